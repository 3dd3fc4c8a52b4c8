package plan

import (
	"slices"
	"strings"

	"zproxy/encoding/span"
	"zproxy/expr"
)

// Bound is what the conditions say of one column: all terms hold.
type Bound struct {
	Column uint32
	Terms  []Term
}

// Tuple is a comparison of several parts of a layout in a row with expressions that are
// fixed while the plan runs: (a, b) > ($1, $2). Of a longer row it may be the beginning.
type Tuple struct {
	Values  []expr.Expr
	Greater bool
	Equal   bool
}

// SetsOf is what bounds leave of each column. It says false when that is nothing.
func SetsOf(bounds []Bound, c *expr.Context) (func(uint32) span.Set, bool, error) {
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
func SetsByColumn(bounds []Bound, c *expr.Context) (func(uint32) span.Set, error) {
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
func byColumn(bounds []Bound, sets []span.Set) func(uint32) span.Set {
	return func(column uint32) span.Set {
		if i := slices.IndexFunc(bounds, func(b Bound) bool { return b.Column == column }); i >= 0 {
			return sets[i]
		}
		return span.Everything
	}
}

// Set computes the values that a bound leaves.
func (b Bound) Set(c *expr.Context) (span.Set, error) {
	set := span.Everything
	for _, t := range b.Terms {
		s, err := t.Set(c)
		if err != nil {
			return span.Set{}, err
		}
		set = set.Intersect(s)
	}
	return set, nil
}

// String shows a bound whose values are not known yet.
func (b Bound) String() string {
	list := make([]string, len(b.Terms))
	for i, t := range b.Terms {
		if list[i] = t.String(); t.Op == TermEQ {
			list[i] = t.Args[0].String()
		}
	}
	return strings.Join(list, " ")
}
