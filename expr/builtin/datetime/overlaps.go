package datetime

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// overlapsFunctions are OVERLAPS: two periods, each given by its ends, or by one of them and
// its length.
var overlapsFunctions = slices.Concat(
	overlapsOf(pg.Timestamp, addToTimestamp),
	overlapsOf(pg.Timestamptz, AddToTimestamptz),
	overlapsOf(pg.Clock, addToTime),
	[]*expr.Function{overlapsFunction(pg.Clocktz, pg.Clocktz, pg.Clocktz, nil)},
)

// overlapsOf makes the four overloads of a type.
func overlapsOf(oid types.OID, add expr.Function2) []*expr.Function {
	return []*expr.Function{
		overlapsFunction(oid, oid, oid, add),
		overlapsFunction(oid, oid, pg.Interval, add),
		overlapsFunction(oid, pg.Interval, oid, add),
		overlapsFunction(oid, pg.Interval, pg.Interval, add),
	}
}

func overlapsFunction(oid, end1, end2 types.OID, add expr.Function2) *expr.Function {
	f := &expr.Function{
		Name: "overlaps", Args: pg.Sig{oid, end1, oid, end2}, Result: pg.Boolean, NotStrict: true,
		Doc: "Whether two periods have a time in common.",
	}
	if oid == pg.Timestamptz && (end1 == pg.Interval || end2 == pg.Interval) {
		f.Volatility = expr.Stable
	}
	f.FnN = func(c *expr.Context, args []types.Value) (types.Value, error) {
		var ends [4]types.Value
		copy(ends[:], args)
		for i := range 2 {
			if f.Args[2*i+1] != pg.Interval || args[2*i+1].IsNull() {
				continue
			}
			ends[2*i+1] = types.Null
			if args[2*i].IsNull() {
				continue
			}
			end, err := add(c, args[2*i], args[2*i+1])
			if err != nil {
				return types.Null, err
			}
			ends[2*i+1] = end
		}
		return overlaps(ends), nil
	}
	return f
}

// overlaps follows the SQL standard's definition: a period holds its start and not its
// end, unless they are the same. An end that is NULL is unknown.
func overlaps(ends [4]types.Value) types.Value {
	for i := 0; i < 4; i += 2 {
		start, end := &ends[i], &ends[i+1]
		if start.IsNull() || !end.IsNull() && types.Compare(*start, *end) > 0 {
			*start, *end = *end, *start
		}
		if start.IsNull() {
			return types.Null
		}
	}
	order := types.Compare(ends[0], ends[2])
	if order == 0 {
		if ends[1].IsNull() || ends[3].IsNull() {
			return types.Null
		}
		return types.NewBool(true)
	}
	later, earlierEnd, laterEnd := ends[0], ends[3], ends[1]
	if order < 0 {
		later, earlierEnd, laterEnd = ends[2], ends[1], ends[3]
	}
	switch {
	case earlierEnd.IsNull():
		return types.Null
	case types.Compare(later, earlierEnd) < 0:
		return types.NewBool(true)
	case laterEnd.IsNull():
		return types.Null
	}
	return types.NewBool(false)
}
