package span

import "zproxy/types"

// Neighbour is the value that follows an integer or a time, or goes before it.
func Neighbour(v types.Value, up bool) (types.Value, bool) {
	by := int64(-1)
	if up {
		by = 1
	}
	const far = 1 << 62 // the ends of the types, and infinite times, are no neighbours
	switch v.Kind() {
	case types.KindInt:
		n := v.Int()
		return types.NewInt(n + by), n < far && n > -far
	case types.KindDate:
		n := int64(v.Days())
		return types.NewDate(int32(n + by)), n < 1<<30 && n > -1<<30
	case types.KindTimestamp:
		n := v.Micros()
		return types.NewTimestamp(n + by), n < far && n > -far
	case types.KindTime:
		n := v.Micros()
		return types.NewTime(n + by), n < far && n > -far
	}
	return types.Null, false
}

// Inward is an end of an interval; one that is open, and has a neighbour, is that.
func Inward(end types.Value, open, up bool) types.Value {
	if next, ok := Neighbour(end, up); open && ok {
		return next
	}
	return end
}
