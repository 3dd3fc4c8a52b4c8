// Package span is the functions, operators and aggregates of ranges and multiranges. A range is treated as a multirange
// of one range, or of none if it is empty, wherever that says the same. Begin with Functions.
package span

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/ranges"
)

// The types of arguments.
const (
	one     = types.OIDAnyRange
	many    = types.OIDAnyMultirange
	element = types.OIDAnyElement
)

// Functions are all functions and operators of this family.
var Functions = slices.Concat(tests, propertiesOf(one), propertiesOf(many), setFunctions, constructors())

type typed = func(c *expr.Context, of []types.T, args []types.Value) (types.Value, error)

// listed is an operand as a multirange. A value of the type that ranges are over is a range of that value alone.
func listed(t types.T, v types.Value, span *types.RangeType) types.Multirange {
	switch t.OID {
	case span.Multirange:
		return v.Range().Ranges
	case span.OID:
		return ranges.Join(v.Range().Ranges...)
	}
	b := span.Bound(v)
	b.Inclusive = true
	return types.Multirange{{Lower: b, Upper: b}}
}

// spanOf is the type of ranges of the operands, one of which is a range or a multirange.
func spanOf(of []types.T) *types.RangeType {
	for _, t := range of {
		if r := t.Range(); r != nil {
			return r
		}
	}
	return nil
}

// test is an operator that says something of two multiranges.
func test(holds func(a, b types.Multirange) bool) typed {
	return func(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
		if err := reads(c, args); err != nil {
			return types.Null, err
		}
		span := spanOf(of)
		return types.NewBool(holds(listed(of[0], args[0], span), listed(of[1], args[1], span))), nil
	}
}

func contained(a, b types.Multirange) bool { return b.Contains(a) }

func before(a, b types.Multirange) bool { return a.Span().Before(b.Span()) }

func behind(a, b types.Multirange) bool { return before(b, a) }

func endsWith(a, b types.Multirange) bool { return a.Span().EndsWith(b.Span()) }

func beginsWith(a, b types.Multirange) bool { return a.Span().BeginsWith(b.Span()) }

// operator is one that is there for several types of operands.
type operator struct {
	sign, doc string
	holds     func(a, b types.Multirange) bool
	overloads []overload
}

type overload struct {
	name        string
	left, right types.OID
}

var tests = testFunctions([]operator{
	{"&&", "True if there is a value in both.", types.Multirange.Overlaps, []overload{
		{"range_overlaps", one, one}, {"range_overlaps_multirange", one, many},
		{"multirange_overlaps_range", many, one}, {"multirange_overlaps_multirange", many, many},
	}},
	{"@>", "True if the second one lies in the first one.", types.Multirange.Contains, []overload{
		{"range_contains_elem", one, element}, {"range_contains", one, one},
		{"range_contains_multirange", one, many}, {"multirange_contains_elem", many, element},
		{"multirange_contains_range", many, one}, {"multirange_contains_multirange", many, many},
	}},
	{"<@", "True if the first one lies in the second one.", contained, []overload{
		{"elem_contained_by_range", element, one}, {"range_contained_by", one, one},
		{"multirange_contained_by_range", many, one}, {"elem_contained_by_multirange", element, many},
		{"range_contained_by_multirange", one, many}, {"multirange_contained_by_multirange", many, many},
	}},
	{"<<", "True if the first one lies before the second one.", before, []overload{
		{"range_before", one, one}, {"range_before_multirange", one, many},
		{"multirange_before_range", many, one}, {"multirange_before_multirange", many, many},
	}},
	{">>", "True if the first one lies behind the second one.", behind, []overload{
		{"range_after", one, one}, {"range_after_multirange", one, many},
		{"multirange_after_range", many, one}, {"multirange_after_multirange", many, many},
	}},
	{"&<", "True if the first one does not reach beyond the end of the second one.", endsWith, []overload{
		{"range_overleft", one, one}, {"range_overleft_multirange", one, many},
		{"multirange_overleft_range", many, one}, {"multirange_overleft_multirange", many, many},
	}},
	{"&>", "True if the first one does not begin before the second one.", beginsWith, []overload{
		{"range_overright", one, one}, {"range_overright_multirange", one, many},
		{"multirange_overright_range", many, one}, {"multirange_overright_multirange", many, many},
	}},
	{"-|-", "True if there is nothing between them, and no value in both.", types.Multirange.Adjacent, []overload{
		{"range_adjacent", one, one}, {"range_adjacent_multirange", one, many},
		{"multirange_adjacent_range", many, one}, {"multirange_adjacent_multirange", many, many},
	}},
})

func testFunctions(all []operator) (out []*expr.Function) {
	for _, o := range all {
		for _, f := range o.overloads {
			out = append(out, &expr.Function{
				Name: f.name, Operator: o.sign, Args: pg.Sig{f.left, f.right}, Result: pg.Boolean, Doc: o.doc,
				Typed: test(o.holds),
			})
		}
	}
	return out
}

// property is a function of the span of a range or a multirange.
func property(f func(span *types.RangeType, r types.Range) types.Value) typed {
	return func(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
		if err := reads(c, args); err != nil {
			return types.Null, err
		}
		span := spanOf(of)
		return f(span, listed(of[0], args[0], span).Span()), nil
	}
}

func propertiesOf(t types.OID) []*expr.Function {
	yes := func(holds func(r types.Range) bool) typed {
		return property(func(_ *types.RangeType, r types.Range) types.Value { return types.NewBool(holds(r)) })
	}
	end := func(of func(r types.Range) types.RangeBound) typed {
		return property(func(span *types.RangeType, r types.Range) types.Value {
			if r.Empty {
				return types.Null
			}
			return of(r).Value
		})
	}
	lower := func(r types.Range) types.RangeBound { return r.Lower }
	upper := func(r types.Range) types.RangeBound { return r.Upper }
	return []*expr.Function{
		{Name: "lower", Args: pg.Sig{t}, Result: element, Doc: "Lower bound; NULL when there is none.", Typed: end(lower)},
		{Name: "upper", Args: pg.Sig{t}, Result: element, Doc: "Upper bound; NULL when there is none.", Typed: end(upper)},
		{Name: "isempty", Args: pg.Sig{t}, Result: pg.Boolean, Doc: "True if no value lies in it.", Typed: yes(func(r types.Range) bool { return r.Empty })},
		{Name: "lower_inc", Args: pg.Sig{t}, Result: pg.Boolean, Doc: "True if the lower bound lies in it.", Typed: yes(func(r types.Range) bool { return !r.Empty && r.Lower.Inclusive })},
		{Name: "upper_inc", Args: pg.Sig{t}, Result: pg.Boolean, Doc: "True if the upper bound lies in it.", Typed: yes(func(r types.Range) bool { return !r.Empty && r.Upper.Inclusive })},
		{Name: "lower_inf", Args: pg.Sig{t}, Result: pg.Boolean, Doc: "True if it has no lower bound.", Typed: yes(func(r types.Range) bool { return !r.Empty && r.Lower.Infinite })},
		{Name: "upper_inf", Args: pg.Sig{t}, Result: pg.Boolean, Doc: "True if it has no upper bound.", Typed: yes(func(r types.Range) bool { return !r.Empty && r.Upper.Infinite })},
	}
}

// reads counts the work of reading the ranges among some values, and of making others of them.
func reads(c *expr.Context, args []types.Value) error {
	const piece, rangeBytes = 32 << 10, 32
	n := 0
	for _, v := range args {
		if v.Kind() == types.KindRange {
			n += rangeBytes * len(v.Range().Ranges)
		}
	}
	for ; n > 0; n -= piece {
		if err := c.Tick(min(n, piece)); err != nil {
			return err
		}
	}
	return nil
}
