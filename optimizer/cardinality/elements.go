package cardinality

import (
	"math"

	"zproxy/catalog/elements"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// mostSought is how many elements of a condition are looked at. Others are taken to be like them.
const mostSought = 100

// search is a condition that asks for elements of the values of a column: for all of some, or for any.
type search struct {
	of    *elements.Stats
	nulls float64 // the share of rows without a value
	any   bool
	never bool // no value has all, since one of them is NULL
	// shares are those of the values with each element that is asked for, of so many.
	shares []float64
	all    int
}

// searched is the share of rows for which a condition on elements of a column is true, by what is known of them. False:
// it is no such condition, or nothing is known.
func (e *estimate) searched(cond expr.Expr, in profile) (float64, bool) {
	var s *search
	switch c := cond.(type) {
	case expr.Call:
		s = e.searchOf(c, in)
	case expr.Quantified:
		test, is := c.Test.(expr.Compare)
		if !is || c.All && test.Op != expr.NE || !c.All && test.Op != expr.EQ {
			return 0, false
		}
		if s = e.element(c, in); s != nil && c.All {
			return math.Max(0, 1-s.nulls-s.share()) * (1 - s.of.Nulls), true
		}
	}
	if s == nil {
		return 0, false
	}
	share := s.share()
	if t, ok := e.try(cond, in); ok && s.all > 1 { // elements are not independent of each other
		least, greatest := t.likely()
		share = math.Min(math.Max(share, least), greatest)
	}
	return share, true
}

// share is that of the rows that are found. Elements are taken to be independent of each other.
func (s *search) share() float64 {
	if s.never {
		return 0
	}
	product := 1.0
	for _, one := range s.shares {
		if s.any {
			one = 1 - one
		}
		product *= one
	}
	if n := len(s.shares); n > 0 && n < s.all {
		product = math.Pow(product, float64(s.all)/float64(n))
	}
	if s.any {
		product = 1 - product
	}
	return product * (1 - s.nulls)
}

// searchOf reads an operator that asks for elements of the column on its left side, or as the case may be on the right.
func (e *estimate) searchOf(c expr.Call, in profile) *search {
	if len(c.Args) != 2 {
		return nil
	}
	of, sought := c.Args[0], c.Args[1]
	switch c.Fn.Operator {
	case "<@":
		of, sought = sought, of
	case "&&":
		if expr.Fixed(of) {
			of, sought = sought, of
		}
	case "@>", "?", "?|", "?&":
	default:
		return nil
	}
	s := searchIn(of, in)
	if s == nil {
		return nil
	}
	v, ok := e.constant(sought)
	if !ok {
		return nil
	}
	s.any = c.Fn.Operator == "&&" || c.Fn.Operator == "?|"
	switch v.Kind() {
	case types.KindJSONB:
		for l := range elements.Leaves(v.JSONB()) {
			s.add(func() float64 { return s.of.Part(l) })
		}
	case types.KindArray:
		s.items(v.Array().Items, c.Fn.Operator == "@>" || c.Fn.Operator == "<@")
	case types.KindText:
		s.add(func() float64 { return s.of.Share(v) })
	default:
		return nil
	}
	return s
}

// items adds the elements of an array, each once. NULL is in no array, and not looked for among the keys of documents.
func (s *search) items(list []types.Value, nulls bool) {
	seen := map[string]bool{}
	for _, item := range list {
		key := string(types.AppendKey(nil, item))
		switch {
		case item.IsNull():
			s.never = s.never || nulls
		case !seen[key]:
			seen[key] = true
			s.add(func() float64 { return s.of.Share(item) })
		}
	}
}

func (s *search) add(share func() float64) {
	if s.all++; len(s.shares) < mostSought {
		s.shares = append(s.shares, share())
	}
}

// element reads value = ANY (column), or <> ALL.
func (e *estimate) element(c expr.Quantified, in profile) *search {
	s := searchIn(c.Array, in)
	if s == nil {
		return nil
	}
	element, _ := types.ElementOf(c.Array.Type())
	v, ok := e.constant(c.Arg)
	if !ok || v.Kind() != element.Kind() {
		return nil
	}
	s.add(func() float64 { return s.of.Share(v) })
	return s
}

// searchIn is a search in a column of whose elements something is known; nil: nothing is.
func searchIn(x expr.Expr, in profile) *search {
	c, ok := plan.ColumnOf(x)
	if !ok || c.Index >= len(in.columns) {
		return nil
	}
	stats := in.columns[c.Index].stats()
	if stats == nil || stats.Elements == nil {
		return nil
	}
	return &search{of: stats.Elements, nulls: stats.Nulls}
}

// constant is the value of an expression, if it is known and not NULL.
func (e Estimator) constant(x expr.Expr) (types.Value, bool) {
	changes := func(x expr.Expr) bool {
		_, is := x.(expr.Param)
		return !is && cannotBeTried(x)
	}
	if !expr.Fixed(x) || expr.Any(x, changes) {
		return types.Null, false
	}
	v, err := x.Eval(e.Values, nil)
	return v, err == nil && !v.IsNull()
}
