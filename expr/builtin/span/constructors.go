package span

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/ranges"
)

type constructor = func(c *expr.Context, args []types.Value) (types.Value, error)

// Constructor is what a function does that makes values of a type of ranges, or of the multiranges of it, by the name
// that pg_proc has for that in its column prosrc. The ranges of a variadic one may be an array. nil: there is no such
// name.
func Constructor(source string, span *types.RangeType) func(c *expr.Context, args []types.Value) (types.Value, error) {
	switch source {
	case "range_constructor2", "range_constructor3":
		return between(span)
	case "multirange_constructor0", "multirange_constructor1", "multirange_constructor2":
		return collected(span)
	}
	return nil
}

// constructors are the functions of the names of built-in types that make values of them.
func constructors() (out []*expr.Function) {
	all := types.RangeTypes()
	for i := range all {
		span := &all[i]
		bound, from, of := span.Subtype.OID, between(span), collected(span)
		out = append(out,
			&expr.Function{
				Name: span.Name, Args: pg.Sig{bound, bound}, Result: span.OID, NotStrict: true,
				Doc: "Range from a value to another one, which does not lie in it; NULL bounds nothing.",
				Fn2: func(c *expr.Context, a, b types.Value) (types.Value, error) { return from(c, []types.Value{a, b}) },
			},
			&expr.Function{
				Name: span.Name, Args: pg.Sig{bound, bound, pg.Text}, Result: span.OID, NotStrict: true,
				Doc: "Range between two values, with [ or ( and ] or ) for whether they lie in it.", FnN: from,
			},
			&expr.Function{
				Name: span.MultiName, Args: pg.Sig{}, Result: span.Multirange, Doc: "Multirange of no values.",
				Fn0: func(c *expr.Context) (types.Value, error) { return of(c, nil) },
			},
			&expr.Function{
				Name: span.MultiName, Args: pg.Sig{span.OID}, Result: span.Multirange, Doc: "Multirange of one range.",
				Fn1: func(c *expr.Context, a types.Value) (types.Value, error) { return of(c, []types.Value{a}) },
			},
			&expr.Function{
				Name: span.MultiName, Args: pg.Sig{span.OID}, Variadic: true, NotStrict: true, Result: span.Multirange,
				Doc: "Multirange of the values of some ranges.", FnN: of,
			})
	}
	return out
}

func between(span *types.RangeType) constructor {
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

func collected(span *types.RangeType) constructor {
	return func(c *expr.Context, args []types.Value) (types.Value, error) {
		if len(args) == 1 && args[0].Kind() == types.KindArray {
			if len(args[0].Array().Dims) > 1 {
				return types.Null, sqlerr.New(sqlerr.CardinalityViolation,
					"multiranges cannot be constructed from multidimensional arrays")
			}
			args = args[0].Array().Items
		}
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
