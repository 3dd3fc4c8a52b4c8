package span

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
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

// makers are the functions of the names of types that make values of them.
func makers() (out []*expr.Function) {
	all := types.RangeTypes()
	for i := range all {
		span := &all[i]
		out = append(out,
			&expr.Function{
				Name: span.Name, Args: pg.Sig{span.Subtype.OID, span.Subtype.OID}, Result: span.OID, NotStrict: true,
				Doc: "Range from a value to another one, which does not lie in it; NULL bounds nothing.",
				Fn2: func(c *expr.Context, a, b types.Value) (types.Value, error) {
					return between(span)(c, []types.Value{a, b})
				},
			},
			&expr.Function{
				Name: span.Name, Args: pg.Sig{span.Subtype.OID, span.Subtype.OID, pg.Text}, Result: span.OID, NotStrict: true,
				Doc: "Range between two values, with [ or ( and ] or ) for whether they lie in it.", FnN: between(span),
			},
			&expr.Function{
				Name: span.MultiName, Args: pg.Sig{}, Result: span.Multirange, Doc: "Multirange of no values.",
				Fn0: func(*expr.Context) (types.Value, error) { return span.MultiValue(nil), nil },
			},
			&expr.Function{
				Name: span.MultiName, Args: pg.Sig{span.OID}, Result: span.Multirange, Doc: "Multirange of one range.",
				Fn1: func(_ *expr.Context, a types.Value) (types.Value, error) {
					return span.MultiValue(ranges.Join(rangeOf(a))), nil
				},
			},
			&expr.Function{
				Name: span.MultiName, Args: pg.Sig{span.OID}, Variadic: true, NotStrict: true, Result: span.Multirange,
				Doc: "Multirange of the values of some ranges.", FnN: collected(span),
			})
	}
	return out
}

func between(span *types.RangeType) func(c *expr.Context, args []types.Value) (types.Value, error) {
	return func(_ *expr.Context, args []types.Value) (types.Value, error) {
		lower, upper, flags := span.Bound(args[0]), span.Bound(args[1]), "[)"
		if len(args) == 3 {
			if args[2].IsNull() {
				return types.Null, sqlerr.New(sqlerr.DataException, "range constructor flags argument must not be null")
			}
			flags = args[2].Text()
		}
		if !slices.Contains([]string{"[]", "[)", "(]", "()"}, flags) {
			return types.Null, sqlerr.New(sqlerr.SyntaxError, "invalid range bound flags").
				WithHint("Valid values are \"[]\", \"[)\", \"(]\", and \"()\".")
		}
		lower.Inclusive, upper.Inclusive = flags[0] == '[', flags[1] == ']'
		return span.Make(lower, upper)
	}
}

func collected(span *types.RangeType) func(c *expr.Context, args []types.Value) (types.Value, error) {
	return func(c *expr.Context, args []types.Value) (types.Value, error) {
		if err := reads(c, args); err != nil {
			return types.Null, err
		}
		var list []types.Range
		for _, v := range args {
			if v.IsNull() {
				return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed,
					"multirange values cannot contain null members")
			}
			list = append(list, rangeOf(v))
		}
		return span.MultiValue(ranges.Join(list...)), nil
	}
}
