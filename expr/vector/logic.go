package vector

import (
	"zproxy/expr"
	"zproxy/types"
)

// logic is AND or OR, whose later arguments are computed only for rows that earlier ones do not decide.
type logic struct {
	or    bool
	args  []node
	fails bool // an argument behind the first may fail

	rest, chosen []int32
	out          types.Vector
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
	switch {
	case n.or:
		return n.any(r, sel, out)
	case n.fails: // also where an argument before is NULL
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

// any finds the rows for which an argument of an OR is true, in their order.
func (n *logic) any(r *run, sel, out []int32) ([]int32, error) {
	rows := r.batch.Len()
	n.out.Shape(types.KindBool, rows)
	for _, i := range sel {
		n.out.Ints[i] = 0
	}
	rest := append(n.rest[:0], sel...)
	for _, arg := range n.args {
		var err error
		if n.chosen, err = choose(arg, r, rest, n.chosen[:0]); err != nil {
			return nil, err
		}
		for _, i := range n.chosen {
			n.out.Ints[i] = 1
		}
		rest = without(rest, n.chosen)
	}
	n.rest = rest
	for _, i := range sel {
		if n.out.Ints[i] != 0 {
			out = append(out, i)
		}
	}
	return out, nil
}

// mayFail says whether computing an expression may be an error, as far as can be seen at once.
func mayFail(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Column, expr.Const, expr.Logic, expr.In:
			return false
		case expr.Compare:
			return x.Left.Type().Kind().Held() == types.KindNull
		}
		return true
	})
}

// mostMembers is up to how many members of a list are compared one after the other.
const mostMembers = 32

// member is x IN (a, b) as x = a OR x = b, and x NOT IN (a, b) as x <> a AND x <> b.
func (p *Program) member(e expr.In) node {
	out := &logic{or: !e.Not}
	op := expr.EQ
	if e.Not {
		op = expr.NE
	}
	for _, item := range e.List {
		out.fails = out.fails || mayFail(item)
		out.args = append(out.args, &compare{op: op, left: p.node(e.Arg), right: p.node(item)})
	}
	return out
}

// cases is a searched CASE: each result is computed for the rows whose it is.
type cases struct {
	whens   []when
	other   node // nil: NULL
	rest    []int32
	matched []int32
	taken   []int32 // the rows that have a value
	none    types.Vector
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
	n.taken = n.taken[:0]
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

// take gives rows the values of a node. The vector holds plain numbers as long as all results do, of one kind.
func (n *cases) take(from node, r *run, sel []int32) error {
	if len(sel) == 0 {
		return nil
	}
	v := &n.none
	if from == nil {
		v.Fill(types.Null, r.batch.Len())
	} else {
		var err error
		if v, err = from.eval(r, sel); err != nil {
			return err
		}
	}
	kind, scale := v.Kind, int32(0)
	if !kind.Plain() {
		kind = types.KindNull
	}
	if kind == types.KindNumeric {
		scale = v.Scale
	}
	rows := r.batch.Len()
	switch {
	case len(n.taken) == 0:
		n.out.Shape(kind, rows)
		n.out.Scale = scale
	case n.out.Kind != types.KindNull && (kind != n.out.Kind || scale != n.out.Scale):
		n.out.Generalize(n.taken, rows)
	}
	n.taken = append(n.taken, sel...)
	for _, i := range sel {
		switch {
		case n.out.Kind == types.KindNull:
			n.out.Values[i] = v.Value(int(i))
		case v.IsNull(int(i)):
			n.out.PutNull(int(i), rows)
		case kind == types.KindFloat:
			n.out.Floats[i] = v.Floats[i]
		default:
			n.out.Ints[i] = v.Ints[i]
		}
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
