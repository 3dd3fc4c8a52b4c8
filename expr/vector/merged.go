package vector

import (
	"zproxy/expr"
	"zproxy/types"
)

// merged is a vector of which each row has the value of one of several nodes. It holds plain numbers as long as all of
// them do, of one kind.
type merged struct {
	taken []int32 // the rows that have a value
	none  types.Vector
	out   types.Vector
}

// take gives rows the values of a node, or NULL.
func (m *merged) take(from node, r *run, sel []int32) error {
	if len(sel) == 0 {
		return nil
	}
	if from == nil {
		m.none.Fill(types.Null, r.batch.Len())
		m.copy(&m.none, r, sel)
		return nil
	}
	v, err := from.eval(r, sel)
	if err == nil {
		m.copy(v, r, sel)
	}
	return err
}

// copy gives rows their values in a vector.
func (m *merged) copy(v *types.Vector, r *run, sel []int32) {
	kind, scale := v.Kind, int32(0)
	if !kind.Plain() {
		kind = types.KindNull
	}
	if kind == types.KindNumeric {
		scale = v.Scale
	}
	rows := r.batch.Len()
	switch {
	case len(m.taken) == 0:
		m.out.Shape(kind, rows)
		m.out.Scale = scale
	case m.out.Kind != types.KindNull && (kind != m.out.Kind || scale != m.out.Scale):
		m.out.Generalize(m.taken, rows)
	}
	m.taken = append(m.taken, sel...)
	for _, i := range sel {
		switch {
		case m.out.Kind == types.KindNull:
			m.out.Values[i] = v.Value(int(i))
		case v.IsNull(int(i)):
			m.out.PutNull(int(i), rows)
		case kind == types.KindFloat:
			m.out.Floats[i] = v.Floats[i]
		default:
			m.out.Ints[i] = v.Ints[i]
		}
	}
}

// cases is a searched CASE: each result is computed for the rows whose it is.
type cases struct {
	whens   []when
	other   node // nil: NULL
	rest    []int32
	matched []int32
	merged
}

type when struct{ cond, result node } // a result that is nil is NULL

func (s *Set) cases(e expr.Case) node {
	n := &cases{}
	for _, w := range e.Whens {
		n.whens = append(n.whens, when{s.node(w.Cond), s.node(w.Result)})
	}
	if e.Else != nil {
		n.other = s.node(e.Else)
	}
	return n
}

// nullIf is NULLIF as CASE WHEN left = right THEN NULL ELSE value END.
func (s *Set) nullIf(e expr.NullIf) node {
	value := e.Value
	if value == nil {
		value = e.Left
	}
	equal := &compare{op: expr.EQ, left: s.node(e.Left), right: s.node(e.Right)}
	return &cases{whens: []when{{cond: equal}}, other: s.node(value)}
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

// coalesce is COALESCE: each argument is computed for the rows of which those before it are NULL.
type coalesce struct {
	args       []node
	rest, some []int32
	merged
}

func (n *coalesce) eval(r *run, sel []int32) (*types.Vector, error) {
	n.taken = n.taken[:0]
	rest := append(n.rest[:0], sel...)
	for _, arg := range n.args {
		if len(rest) == 0 {
			break
		}
		v, err := arg.eval(r, rest)
		if err != nil {
			return nil, err
		}
		n.some = n.some[:0]
		missing := rest[:0]
		for _, i := range rest {
			if v.IsNull(int(i)) {
				missing = append(missing, i)
			} else {
				n.some = append(n.some, i)
			}
		}
		if rest = missing; len(n.some) > 0 {
			n.copy(v, r, n.some)
		}
	}
	n.rest = rest
	return &n.out, n.take(nil, r, rest)
}
