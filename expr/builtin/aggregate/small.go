package aggregate

import (
	"zproxy/expr"
	"zproxy/types"
)

// together are accumulators that may be copied before anything is added and moved later.
type together[S any, P interface {
	*S
	expr.Accumulator
}] struct {
	first  S // what each begins as
	groups []S
}

// Open implements Accumulators.
func (t *together[S, P]) Open() { t.groups = append(t.groups, t.first) }

// Add implements Accumulators.
func (t *together[S, P]) Add(c *expr.Context, group int, args []types.Value) error {
	return P(&t.groups[group]).Add(c, args)
}

// AddVector implements Accumulators.
func (t *together[S, P]) AddVector(c *expr.Context, groups, sel []int32, v *types.Vector) error {
	return expr.AddEach(t, c, groups, sel, v)
}

// Result implements Accumulators.
func (t *together[S, P]) Result(c *expr.Context, group int) (types.Value, error) {
	return P(&t.groups[group]).Result(c)
}

// separate are accumulators that may be copied before anything is added, and not be moved later.
type separate[S any, P interface {
	*S
	expr.Accumulator
}] struct {
	first  S // what each begins as
	groups []P
}

// Open implements Accumulators.
func (t *separate[S, P]) Open() {
	one := t.first
	t.groups = append(t.groups, &one)
}

// Add implements Accumulators.
func (t *separate[S, P]) Add(c *expr.Context, group int, args []types.Value) error {
	return t.groups[group].Add(c, args)
}

// Result implements Accumulators.
func (t *separate[S, P]) Result(c *expr.Context, group int) (types.Value, error) {
	return t.groups[group].Result(c)
}

// Many implements expr.Small.
func (n *countRows) Many() expr.Accumulators {
	return &rowCounts{together[countRows, *countRows]{first: *n}}
}

// Many implements expr.Small.
func (n *count) Many() expr.Accumulators { return &counts{together[count, *count]{first: *n}} }

// Many implements expr.Small.
func (n *pairCount) Many() expr.Accumulators { return &together[pairCount, *pairCount]{first: *n} }

// Many implements expr.Small.
func (e *extreme) Many() expr.Accumulators { return &together[extreme, *extreme]{first: *e} }

// Many implements expr.Small.
func (d *decided) Many() expr.Accumulators { return &together[decided, *decided]{first: *d} }

// Many implements expr.Small.
func (s *intSum) Many() expr.Accumulators { return &intSums{together[intSum, *intSum]{first: *s}} }

// Many implements expr.Small.
func (s *plainNumericSum) Many() expr.Accumulators {
	return &numericSums{separate[numericSum, *numericSum]{first: s.numericSum}}
}

// Many implements expr.Small.
func (s *numericSpread) Many() expr.Accumulators {
	return &numericSpreads{separate[numericSpread, *numericSpread]{first: *s}}
}

// Many implements expr.Small.
func (s *plainSum) Many() expr.Accumulators { return &together[plainSum, *plainSum]{first: *s} }

// Many implements expr.Small.
func (m *floatMoments) Many() expr.Accumulators {
	return &together[floatMoments, *floatMoments]{first: *m}
}
