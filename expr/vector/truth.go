package vector

import "zproxy/types"

// isNull is IS [NOT] NULL of what is no row.
type isNull struct {
	arg node
	not bool
	out types.Vector
}

func (n *isNull) eval(r *run, sel []int32) (*types.Vector, error) {
	v, err := n.arg.eval(r, sel)
	if err != nil {
		return nil, err
	}
	n.out.Shape(types.KindBool, r.batch.Len())
	for _, i := range sel {
		n.out.Ints[i] = asInt(n.holds(v, i))
	}
	return &n.out, nil
}

// choose implements chooser.
func (n *isNull) choose(r *run, sel, out []int32) ([]int32, error) {
	v, err := n.arg.eval(r, sel)
	if err != nil {
		return nil, err
	}
	if v.Kind != types.KindNull && !v.HasNulls {
		if n.not {
			out = append(out, sel...)
		}
		return out, nil
	}
	for _, i := range sel {
		if n.holds(v, i) {
			out = append(out, i)
		}
	}
	return out, nil
}

func (n *isNull) holds(v *types.Vector, i int32) bool { return v.IsNull(int(i)) != n.not }

func asInt(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// not is NOT.
type not struct {
	arg node
	out types.Vector
}

func (n *not) eval(r *run, sel []int32) (*types.Vector, error) {
	v, err := n.arg.eval(r, sel)
	if err != nil {
		return nil, err
	}
	rows := r.batch.Len()
	n.out.Shape(types.KindBool, rows)
	for _, i := range sel {
		n.out.Ints[i] = asInt(!isTrue(v, i))
		if v.IsNull(int(i)) {
			n.out.SetNull(int(i), rows)
		}
	}
	return &n.out, nil
}

// isBool is IS [NOT] TRUE or FALSE.
type isBool struct {
	arg       node
	want, not bool
	out       types.Vector
}

func (n *isBool) eval(r *run, sel []int32) (*types.Vector, error) {
	v, err := n.arg.eval(r, sel)
	if err != nil {
		return nil, err
	}
	n.out.Shape(types.KindBool, r.batch.Len())
	for _, i := range sel {
		is := !v.IsNull(int(i)) && isTrue(v, i) == n.want
		n.out.Ints[i] = asInt(is != n.not)
	}
	return &n.out, nil
}

// distinct is IS [NOT] DISTINCT FROM.
type distinct struct {
	equal compare
	not   bool
	out   types.Vector
}

func (n *distinct) eval(r *run, sel []int32) (*types.Vector, error) {
	a, b, err := n.equal.sides(r, sel)
	if err != nil {
		return nil, err
	}
	n.out.Shape(types.KindBool, r.batch.Len())
	for _, i := range sel {
		both := a.IsNull(int(i)) && b.IsNull(int(i))
		n.out.Ints[i] = asInt(both == n.not)
	}
	if n.equal.chosen, err = n.equal.holding(a, b, sel, n.equal.chosen[:0]); err != nil {
		return nil, err
	}
	for _, i := range n.equal.chosen {
		n.out.Ints[i] = asInt(n.not)
	}
	return &n.out, nil
}
