package spans

import (
	"slices"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// SetsOf is what bounds leave of each column. It says false when that is nothing.
func SetsOf(bounds []plan.Bound, c *expr.Context) (keys.Sets, bool, error) {
	sets := make([]span.Set, len(bounds))
	for i, b := range bounds {
		var err error
		if sets[i], err = b.Set(c); err != nil || sets[i].Empty() {
			return nil, false, err
		}
	}
	return byColumn(bounds, sets), true, nil
}

// SetsByColumn is what bounds leave of each column, which may be nothing.
func SetsByColumn(bounds []plan.Bound, c *expr.Context) (keys.Sets, error) {
	sets := make([]span.Set, len(bounds))
	for i, b := range bounds {
		var err error
		if sets[i], err = b.Set(c); err != nil {
			return nil, err
		}
	}
	return byColumn(bounds, sets), nil
}

// byColumn finds the set that a bound leaves of a column; what is not bounded is anything.
func byColumn(bounds []plan.Bound, sets []span.Set) keys.Sets {
	return func(column uint32) span.Set {
		if i := slices.IndexFunc(bounds, func(b plan.Bound) bool { return b.Column == column }); i >= 0 {
			return sets[i]
		}
		return span.Everything
	}
}
