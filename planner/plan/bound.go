package plan

import (
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
