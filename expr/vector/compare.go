package vector

import (
	"bytes"
	"cmp"

	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/float"
	"zproxy/types/numeric"
)

// compare compares two values.
type compare struct {
	op          expr.CompareOp
	left, right node
	scaled      types.Vector // of the side with the smaller scale
	out         types.Vector
	chosen      []int32
}

func (n *compare) eval(r *run, sel []int32) (*types.Vector, error) {
	rows := r.batch.Len()
	a, b, err := n.sides(r, sel)
	if err != nil {
		return nil, err
	}
	n.out.Shape(types.KindBool, rows)
	for _, i := range sel {
		n.out.Ints[i] = 0
		if a.IsNull(int(i)) || b.IsNull(int(i)) {
			n.out.SetNull(int(i), rows)
		}
	}
	if n.chosen, err = n.holding(a, b, sel, n.chosen[:0]); err != nil {
		return nil, err
	}
	for _, i := range n.chosen {
		n.out.Ints[i] = 1
	}
	return &n.out, nil
}

// choose implements chooser.
func (n *compare) choose(r *run, sel, out []int32) ([]int32, error) {
	a, b, err := n.sides(r, sel)
	if err != nil {
		return nil, err
	}
	return n.holding(a, b, sel, out)
}

// sides are what is compared, numerics with one scale where that is possible.
func (n *compare) sides(r *run, sel []int32) (a, b *types.Vector, err error) {
	if a, err = n.left.eval(r, sel); err != nil {
		return nil, nil, err
	}
	if b, err = n.right.eval(r, sel); err != nil {
		return nil, nil, err
	}
	if a.Kind == types.KindNumeric && b.Kind == types.KindNumeric {
		if a.Scale < b.Scale {
			a = n.withScale(a, b.Scale, sel)
		} else if b.Scale < a.Scale {
			b = n.withScale(b, a.Scale, sel)
		}
	}
	return a, b, nil
}

// withScale is a vector of numerics with a greater scale, or the vector itself where a coefficient would be too large.
func (n *compare) withScale(v *types.Vector, scale int32, sel []int32) *types.Vector {
	n.scaled.Shape(types.KindNumeric, len(v.Ints))
	n.scaled.Scale, n.scaled.HasNulls, n.scaled.Nulls = scale, v.HasNulls, append(n.scaled.Nulls[:0], v.Nulls...)
	for _, i := range sel {
		var fits bool
		n.scaled.Ints[i], fits = numeric.Small{Coefficient: v.Ints[i], Scale: v.Scale}.Scaled(scale)
		if !fits {
			return v
		}
	}
	return &n.scaled
}

// holding appends the rows for which the comparison is true.
func (n *compare) holding(a, b *types.Vector, sel, out []int32) ([]int32, error) {
	switch {
	case a.Kind == b.Kind && a.Kind != types.KindNull && !a.Kind.Plain():
		if _, constant := n.right.(*fixed); constant && len(sel) > 0 && !b.IsNull(int(sel[0])) {
			return holdingText(n.op, a, b.Compared(int(sel[0])), sel, out), nil
		}
		for _, i := range sel {
			if !a.IsNull(int(i)) && !b.IsNull(int(i)) &&
				n.op.Holds(bytes.Compare(a.Compared(int(i)), b.Compared(int(i)))) {
				out = append(out, i)
			}
		}
		return out, nil
	case !a.Kind.Plain() || a.Kind != b.Kind || a.Kind == types.KindNumeric && a.Scale != b.Scale:
		return n.anyHolding(a, b, sel, out)
	case a.Kind == types.KindFloat:
		for _, i := range sel {
			if n.op.Holds(float.Compare(a.Floats[i], b.Floats[i])) && !a.IsNull(int(i)) && !b.IsNull(int(i)) {
				out = append(out, i)
			}
		}
		return out, nil
	case a.HasNulls || b.HasNulls:
		for _, i := range sel {
			if n.op.Holds(cmp.Compare(a.Ints[i], b.Ints[i])) && !a.IsNull(int(i)) && !b.IsNull(int(i)) {
				out = append(out, i)
			}
		}
		return out, nil
	}
	return holdingInts(n.op, a.Ints, b.Ints, sel, out), nil
}

// holdingText is holding for texts and one that is the same for all rows.
func holdingText(op expr.CompareOp, a *types.Vector, b []byte, sel, out []int32) []int32 {
	if op != expr.EQ && op != expr.NE {
		for _, i := range sel {
			if !a.IsNull(int(i)) && op.Holds(bytes.Compare(a.Compared(int(i)), b)) {
				out = append(out, i)
			}
		}
		return out
	}
	for _, i := range sel {
		if bytes.Equal(a.Compared(int(i)), b) == (op == expr.EQ) && !a.IsNull(int(i)) {
			out = append(out, i)
		}
	}
	return out
}

// anyHolding is holding for values of any kind.
func (n *compare) anyHolding(a, b *types.Vector, sel, out []int32) ([]int32, error) {
	for _, i := range sel {
		x, y := a.Value(int(i)), b.Value(int(i))
		if x.IsNull() || y.IsNull() {
			continue
		}
		order, err := types.CompareRows(x, y)
		if err != nil {
			return nil, err
		}
		if n.op.Holds(order) {
			out = append(out, i)
		}
	}
	return out, nil
}

// holdingInts is holding for integers, with a loop for each comparison.
func holdingInts(op expr.CompareOp, a, b []int64, sel, out []int32) []int32 {
	switch op {
	case expr.EQ:
		return holdingWhere(a, b, sel, out, func(x, y int64) bool { return x == y })
	case expr.NE:
		return holdingWhere(a, b, sel, out, func(x, y int64) bool { return x != y })
	case expr.LT:
		return holdingWhere(a, b, sel, out, func(x, y int64) bool { return x < y })
	case expr.LE:
		return holdingWhere(a, b, sel, out, func(x, y int64) bool { return x <= y })
	case expr.GT:
		return holdingWhere(a, b, sel, out, func(x, y int64) bool { return x > y })
	}
	return holdingWhere(a, b, sel, out, func(x, y int64) bool { return x >= y })
}

// holdingWhere is inlined with its test.
func holdingWhere(a, b []int64, sel, out []int32, holds func(x, y int64) bool) []int32 {
	for _, i := range sel {
		if holds(a[i], b[i]) {
			out = append(out, i)
		}
	}
	return out
}
