package span

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/ranges"
)

// setFunctions make ranges and multiranges of others.
var setFunctions = []*expr.Function{
	{Name: "range_union", Operator: "+", Args: pg.Sig{one, one}, Result: one, Doc: "Range of the values of both, between which there must be none.", Typed: ofRanges(types.Range.Union)},
	{Name: "range_intersect", Operator: "*", Args: pg.Sig{one, one}, Result: one, Doc: "Range of the values that both have.", Typed: ofRanges(sure(types.Range.Intersect))},
	{Name: "range_minus", Operator: "-", Args: pg.Sig{one, one}, Result: one, Doc: "Range of the values that the second one has not, which must be one.", Typed: ofRanges(types.Range.Minus)},
	{Name: "range_merge", Args: pg.Sig{one, one}, Result: one, Doc: "Smallest range that contains both.", Typed: ofRanges(sure(types.Range.Merge))},
	{Name: "range_merge", Args: pg.Sig{many}, Result: one, Doc: "Smallest range that contains all.", Typed: spanned},
	{Name: "multirange_union", Operator: "+", Args: pg.Sig{many, many}, Result: many, Doc: "Values of both.", Typed: ofMany(joined)},
	{Name: "multirange_minus", Operator: "-", Args: pg.Sig{many, many}, Result: many, Doc: "Values that the second one has not.", Typed: ofMany(types.Multirange.Minus)},
	{Name: "multirange_intersect", Operator: "*", Args: pg.Sig{many, many}, Result: many, Doc: "Values that both have.", Typed: ofMany(types.Multirange.Intersect)},
	{Name: "multirange", Args: pg.Sig{one}, Result: many, Doc: "Multirange of one range.", Typed: ofOne},
	{Name: "unnest", Args: pg.Sig{many}, Result: one, Doc: "Ranges of a multirange, in order.", Rows: unnest},
}

func sure(f func(a, b types.Range) types.Range) func(a, b types.Range) (types.Range, error) {
	return func(a, b types.Range) (types.Range, error) { return f(a, b), nil }
}

func ofRanges(f func(a, b types.Range) (types.Range, error)) typed {
	return func(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
		if err := reads(c, args); err != nil {
			return types.Null, err
		}
		span := spanOf(of)
		out, err := f(rangeOf(args[0]), rangeOf(args[1]))
		if err != nil {
			return types.Null, err
		}
		return span.Value(out), nil
	}
}

// rangeOf is a value as a range.
func rangeOf(v types.Value) types.Range { return v.Range().Ranges[0] }

func joined(a, b types.Multirange) types.Multirange { return ranges.Join(slices.Concat(a, b)...) }

func ofMany(f func(a, b types.Multirange) types.Multirange) typed {
	return func(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
		if err := reads(c, args); err != nil {
			return types.Null, err
		}
		span := spanOf(of)
		return span.MultiValue(f(args[0].Range().Ranges, args[1].Range().Ranges)), nil
	}
}

func spanned(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if err := reads(c, args); err != nil {
		return types.Null, err
	}
	span := spanOf(of)
	return span.Value(args[0].Range().Ranges.Span()), nil
}

func ofOne(_ *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	span := spanOf(of)
	return span.MultiValue(ranges.Join(rangeOf(args[0]))), nil
}

func unnest(_ *expr.Context, args []types.Value) expr.Set { return expr.SetOf(args[0].Range().Items()) }
