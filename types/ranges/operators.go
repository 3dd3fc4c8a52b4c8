package ranges

import (
	"bytes"

	"zproxy/sqlerr"
)

// Holds says whether a value lies in a range.
func (r Range) Holds(key []byte) bool {
	value := Bound{Key: key, Inclusive: true}
	return !r.Empty && compareBounds(r.Lower, value, true, true) <= 0 &&
		compareBounds(value, r.Upper, false, false) <= 0
}

// Contains says whether all values of another range lie in a range.
func (r Range) Contains(o Range) bool {
	return o.Empty || !r.Empty && compareBounds(r.Lower, o.Lower, true, true) <= 0 &&
		compareBounds(r.Upper, o.Upper, false, false) >= 0
}

// Overlaps says whether two ranges have a value in common.
func (r Range) Overlaps(o Range) bool {
	return !r.Empty && !o.Empty && compareBounds(r.Lower, o.Upper, true, false) <= 0 &&
		compareBounds(o.Lower, r.Upper, true, false) <= 0
}

// Before says whether all values of a range lie before those of another one.
func (r Range) Before(o Range) bool {
	return !r.Empty && !o.Empty && compareBounds(r.Upper, o.Lower, false, true) < 0
}

// EndsWith says whether no value of a range lies behind another range.
func (r Range) EndsWith(o Range) bool {
	return !r.Empty && !o.Empty && compareBounds(r.Upper, o.Upper, false, false) <= 0
}

// BeginsWith says whether no value of a range lies before another range.
func (r Range) BeginsWith(o Range) bool {
	return !r.Empty && !o.Empty && compareBounds(r.Lower, o.Lower, true, true) >= 0
}

// Adjacent says whether there is nothing between two ranges, which have no value in common.
func (r Range) Adjacent(o Range) bool {
	return !r.Empty && !o.Empty && (touch(r.Upper, o.Lower) || touch(o.Upper, r.Lower))
}

// touch says whether an upper bound ends where a lower one begins.
func touch(upper, lower Bound) bool {
	return !upper.Infinite && !lower.Infinite && upper.Inclusive != lower.Inclusive &&
		bytes.Equal(upper.Key, lower.Key)
}

// Union is all values of two ranges, which must overlap or touch.
func (r Range) Union(o Range) (Range, error) {
	switch {
	case r.Empty:
		return o, nil
	case o.Empty:
		return r, nil
	case !r.Overlaps(o) && !r.Adjacent(o):
		return Range{}, sqlerr.New(sqlerr.DataException, "result of range union would not be contiguous")
	}
	return r.Merge(o), nil
}

// Merge is the smallest range that contains two ranges.
func (r Range) Merge(o Range) Range {
	switch {
	case r.Empty:
		return o
	case o.Empty:
		return r
	}
	if compareBounds(o.Lower, r.Lower, true, true) < 0 {
		r.Lower = o.Lower
	}
	if compareBounds(o.Upper, r.Upper, false, false) > 0 {
		r.Upper = o.Upper
	}
	return r
}

// Intersect is the values that two ranges have in common.
func (r Range) Intersect(o Range) Range {
	if !r.Overlaps(o) {
		return Range{Empty: true}
	}
	if compareBounds(o.Lower, r.Lower, true, true) > 0 {
		r.Lower = o.Lower
	}
	if compareBounds(o.Upper, r.Upper, false, false) < 0 {
		r.Upper = o.Upper
	}
	return r
}

// other is a bound as one of the other side: where it ends something, another thing begins.
func (b Bound) other() Bound {
	b.Inclusive = !b.Inclusive
	return b
}

// Without is what is left of a range without another one: nothing, a range, or two.
func (r Range) Without(o Range) []Range {
	if !r.Overlaps(o) {
		return []Range{r}
	}
	var out []Range
	if compareBounds(r.Lower, o.Lower, true, true) < 0 {
		out = append(out, Range{Lower: r.Lower, Upper: o.Lower.other()})
	}
	if compareBounds(r.Upper, o.Upper, false, false) > 0 {
		out = append(out, Range{Lower: o.Upper.other(), Upper: r.Upper})
	}
	return out
}

// Minus is Without where one range is left, or none.
func (r Range) Minus(o Range) (Range, error) {
	switch left := r.Without(o); len(left) {
	case 0:
		return Range{Empty: true}, nil
	case 1:
		return left[0], nil
	}
	return Range{}, sqlerr.New(sqlerr.DataException, "result of range difference would not be contiguous")
}

// Span is the smallest range that contains a multirange.
func (m Multirange) Span() Range {
	if len(m) == 0 {
		return Range{Empty: true}
	}
	return m[0].Merge(m[len(m)-1])
}

// Contains says whether all values of another multirange lie in one.
func (m Multirange) Contains(o Multirange) bool {
	at := 0
	for _, r := range o {
		for at < len(m) && m[at].Before(r) {
			at++
		}
		if at == len(m) || !m[at].Contains(r) {
			return false
		}
	}
	return true
}

// Overlaps says whether two multiranges have a value in common.
func (m Multirange) Overlaps(o Multirange) bool { return len(m.Intersect(o)) > 0 }

// Intersect is the values that two multiranges have in common.
func (m Multirange) Intersect(o Multirange) (out Multirange) {
	for i, j := 0, 0; i < len(m) && j < len(o); {
		if common := m[i].Intersect(o[j]); !common.Empty {
			out = append(out, common)
		}
		if compareBounds(m[i].Upper, o[j].Upper, false, false) < 0 {
			i++
		} else {
			j++
		}
	}
	return out
}

// Minus is what is left of a multirange without another one.
func (m Multirange) Minus(o Multirange) Multirange {
	var out Multirange
	for _, r := range m {
		left := []Range{r}
		for _, gone := range o {
			last := len(left) - 1
			if last < 0 {
				break
			}
			left = append(left[:last], left[last].Without(gone)...)
		}
		out = append(out, left...)
	}
	return out
}

// Adjacent says whether a multirange ends where another one begins, with nothing between them.
func (m Multirange) Adjacent(o Multirange) bool {
	return len(m) > 0 && len(o) > 0 && (touch(m[len(m)-1].Upper, o[0].Lower) || touch(o[len(o)-1].Upper, m[0].Lower))
}
