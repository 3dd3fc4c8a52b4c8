package aggregate

import (
	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// rowCounts are counts of rows.
type rowCounts struct {
	together[countRows, *countRows]
}

// AddVector implements Accumulators.
func (t *rowCounts) AddVector(_ *expr.Context, groups, _ []int32, _ *types.Vector) error {
	for _, g := range groups {
		t.groups[g]++
	}
	return nil
}

// counts are counts of values that are not NULL.
type counts struct{ together[count, *count] }

// AddVector implements Accumulators.
func (t *counts) AddVector(_ *expr.Context, groups, sel []int32, v *types.Vector) error {
	for k, i := range sel {
		if !v.IsNull(int(i)) {
			t.groups[groups[k]].countRows++
		}
	}
	return nil
}

// intSums are sums and averages of integers.
type intSums struct{ together[intSum, *intSum] }

// AddVector implements Accumulators.
func (t *intSums) AddVector(c *expr.Context, groups, sel []int32, v *types.Vector) error {
	if v.Kind != types.KindInt {
		return expr.AddEach(t, c, groups, sel, v)
	}
	for k, i := range sel {
		if !v.HasNulls || !v.Nulls[i] {
			t.groups[groups[k]].add(v.Ints[i])
		}
	}
	return nil
}

// numericSums are sums and averages of numerics.
type numericSums struct {
	first  numericSum
	groups []*numericSum
}

// Open implements Accumulators.
func (t *numericSums) Open() {
	one := t.first
	t.groups = append(t.groups, &one)
}

// Add implements Accumulators.
func (t *numericSums) Add(c *expr.Context, group int, args []types.Value) error {
	return t.groups[group].Add(c, args)
}

// AddVector implements Accumulators.
func (t *numericSums) AddVector(c *expr.Context, groups, sel []int32, v *types.Vector) error {
	if v.Kind != types.KindNumeric || t.first.doSquares {
		return expr.AddEach(t, c, groups, sel, v)
	}
	for k, i := range sel {
		if v.HasNulls && v.Nulls[i] {
			continue
		}
		s := t.groups[groups[k]]
		s.count++
		if err := s.addSmall(numeric.Small{Coefficient: v.Ints[i], Scale: v.Scale}); err != nil {
			return err
		}
	}
	return nil
}

// Result implements Accumulators.
func (t *numericSums) Result(c *expr.Context, group int) (types.Value, error) {
	return t.groups[group].Result(c)
}
