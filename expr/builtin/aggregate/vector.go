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
	separate[numericSum, *numericSum]
}

// AddVector implements Accumulators.
func (t *numericSums) AddVector(c *expr.Context, groups, sel []int32, v *types.Vector) error {
	if v.Kind != types.KindNumeric {
		return expr.AddEach(t, c, groups, sel, v)
	}
	for k, i := range sel {
		if v.HasNulls && v.Nulls[i] {
			continue
		}
		if err := t.groups[groups[k]].addSmall(numeric.Small{Coefficient: v.Ints[i], Scale: v.Scale}); err != nil {
			return err
		}
	}
	return nil
}

// numericSpreads are variances and standard deviations of numbers.
type numericSpreads struct {
	separate[numericSpread, *numericSpread]
}

// AddVector implements Accumulators.
func (t *numericSpreads) AddVector(c *expr.Context, groups, sel []int32, v *types.Vector) error {
	if v.Kind != types.KindNumeric && v.Kind != types.KindInt {
		return expr.AddEach(t, c, groups, sel, v)
	}
	for k, i := range sel {
		if v.HasNulls && v.Nulls[i] {
			continue
		}
		s, err := t.groups[groups[k]], error(nil)
		if v.Kind == types.KindInt {
			err = s.addInt(v.Ints[i])
		} else {
			err = s.addSmall(numeric.Small{Coefficient: v.Ints[i], Scale: v.Scale})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
