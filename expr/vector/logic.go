package vector

import (
	"zproxy/expr"
	"zproxy/types"
)

// logic is AND or OR, whose later arguments are computed only for rows that earlier ones do not decide.
type logic struct {
	or   bool
	args []node
	rest []int32
	out  types.Vector
}

func (n *logic) eval(r *run, sel []int32) (*types.Vector, error) {
	rows := r.batch.Len()
	n.out.Shape(types.KindBool, rows)
	for _, i := range sel {
		n.out.Ints[i] = 0
		if !n.or {
			n.out.Ints[i] = 1
		}
	}
	rest := append(n.rest[:0], sel...)
	for _, arg := range n.args {
		v, err := arg.eval(r, rest)
		if err != nil {
			return nil, err
		}
		undecided := rest[:0]
		for _, i := range rest {
			switch {
			case v.IsNull(int(i)):
				n.out.SetNull(int(i), rows)
			case isTrue(v, i) == n.or:
				if n.out.HasNulls {
					n.out.Nulls[i] = false
				}
				n.out.Ints[i] = 1 - n.out.Ints[i]
				continue
			}
			undecided = append(undecided, i)
		}
		rest = undecided
	}
	n.rest = rest
	return &n.out, nil
}

// choose implements chooser.
func (n *logic) choose(r *run, sel, out []int32) ([]int32, error) {
	if n.or { // the vector keeps the rows in their order
		return byVector(n, r, sel, out)
	}
	rest := append(n.rest[:0], sel...)
	var err error
	for _, arg := range n.args {
		if rest, err = choose(arg, r, rest, rest[:0]); err != nil {
			return nil, err
		}
	}
	n.rest = rest
	return append(out, rest...), nil
}

// cases is a searched CASE: each result is computed for the rows whose it is.
type cases struct {
	whens   []when
	other   node // nil: NULL
	rest    []int32
	matched []int32
	out     types.Vector
}

type when struct{ cond, result node }

func (p *Program) cases(e expr.Case) node {
	n := &cases{}
	for _, w := range e.Whens {
		n.whens = append(n.whens, when{p.node(w.Cond), p.node(w.Result)})
	}
	if e.Else != nil {
		n.other = p.node(e.Else)
	}
	return n
}

func (n *cases) eval(r *run, sel []int32) (*types.Vector, error) {
	n.out.Shape(types.KindNull, r.batch.Len())
	rest := append(n.rest[:0], sel...)
	for _, w := range n.whens {
		matched, err := choose(w.cond, r, rest, n.matched[:0])
		if err != nil {
			return nil, err
		}
		if err := n.take(w.result, r, matched); err != nil {
			return nil, err
		}
		n.matched, rest = matched, without(rest, matched)
	}
	n.rest = rest
	return &n.out, n.take(n.other, r, rest)
}

// take gives rows the values of a node.
func (n *cases) take(from node, r *run, sel []int32) error {
	if len(sel) == 0 {
		return nil
	}
	if from == nil {
		for _, i := range sel {
			n.out.Values[i] = types.Null
		}
		return nil
	}
	v, err := from.eval(r, sel)
	if err != nil {
		return err
	}
	for _, i := range sel {
		n.out.Values[i] = v.Value(int(i))
	}
	return nil
}

// without is an ascending list without some of its members, which are ascending too. It uses the memory of the list.
func without(list, some []int32) []int32 {
	out := list[:0]
	for _, i := range list {
		if len(some) > 0 && some[0] == i {
			some = some[1:]
			continue
		}
		out = append(out, i)
	}
	return out
}
