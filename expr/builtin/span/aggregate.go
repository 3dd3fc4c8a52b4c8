package span

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/ranges"
)

// Aggregates are those of ranges and multiranges.
var Aggregates = []*expr.Aggregate{
	{Name: "range_agg", Args: pg.Sig{one}, Result: many, Doc: "Multirange of the values of all ranges.", Keeps: true, New: union},
	{Name: "range_agg", Args: pg.Sig{many}, Result: many, Doc: "Multirange of the values of all multiranges.", Keeps: true, New: union},
	{Name: "range_intersect_agg", Args: pg.Sig{one}, Result: one, Doc: "Range of the values that all ranges have.", Idempotent: true, New: intersection},
	{Name: "range_intersect_agg", Args: pg.Sig{many}, Result: many, Doc: "Multirange of the values that all multiranges have.", Idempotent: true, New: intersection},
}

// all collects the ranges of a group.
type all struct {
	of   types.T
	span *types.RangeType
	list []types.Range
	any  bool
}

func union(args []types.T) expr.Accumulator { return &all{of: args[0], span: spanOf(args)} }

// Add implements expr.Accumulator.
func (a *all) Add(c *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	a.any = true
	a.list = append(a.list, listed(a.of, args[0], a.span)...)
	return reads(c, args)
}

// Result implements expr.Accumulator.
func (a *all) Result(*expr.Context) (types.Value, error) {
	if !a.any {
		return types.Null, nil
	}
	return a.span.MultiValue(ranges.Join(a.list...)), nil
}

// common is what the ranges of a group have in common.
type common struct {
	of   types.T
	span *types.RangeType
	now  types.Multirange
	any  bool
}

func intersection(args []types.T) expr.Accumulator { return &common{of: args[0], span: spanOf(args)} }

// Add implements expr.Accumulator.
func (a *common) Add(c *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	of := listed(a.of, args[0], a.span)
	if a.any {
		of = of.Intersect(a.now)
	}
	a.now, a.any = of, true
	return reads(c, args)
}

// Result implements expr.Accumulator.
func (a *common) Result(*expr.Context) (types.Value, error) {
	switch {
	case !a.any:
		return types.Null, nil
	case a.of.OID == a.span.OID:
		return a.span.Value(a.now.Span()), nil
	}
	return a.span.MultiValue(a.now), nil
}
