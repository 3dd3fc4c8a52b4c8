package access_test

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// facts are what there is to be said of an access, whatever kind its path is of.
type facts struct {
	*plan.Access
	Index   *catalog.Index
	Box     bool
	Keys    *plan.Keys
	Skip    int
	Parts   int
	Counted int

	Bounds []plan.Bound // of the only side
	Tuple  *plan.Tuple
	Either []plan.Side // of an OR

	EntryReads                        []int
	EntryFilter, BoxFilter, RowFilter []expr.Expr
	Lookup                            bool
}

func factsOf(a *plan.Access) facts {
	entries := a.Entries()
	spans, _ := a.Spans()
	sides := spans.Sides
	f := facts{
		Access: a, Index: entries.Index, EntryReads: entries.Reads, EntryFilter: entries.Filter,
		RowFilter: a.RowFilter(),
		Lookup:    a.Lookup != nil, Skip: spans.Skip, Parts: spans.Parts(),
	}
	switch p := a.Path.(type) {
	case plan.Keys:
		f.Keys = &p
	case plan.Box:
		f.Box, f.BoxFilter = true, p.Edges
		for _, bounds := range p.Sides {
			sides = append(sides, plan.Side{Bounds: bounds})
		}
	}
	switch {
	case len(sides) > 1:
		f.Either = sides
	case len(sides) == 1:
		f.Bounds, f.Tuple, f.Counted = sides[0].Bounds, sides[0].Tuple, sides[0].Counted
	}
	return f
}
