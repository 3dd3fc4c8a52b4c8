package vector

import (
	"strings"

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
		case expr.Column, expr.Const, expr.Logic, expr.In, expr.Not, expr.IsNull, expr.IsBool, expr.Coalesce, expr.Case:
			return false
		case expr.Compare:
			return x.Left.Type().Kind().Held() == types.KindNull
		case expr.Call:
			return !total(x)
		}
		return true
	})
}

// total says whether a call has a result for all arguments.
func total(e expr.Call) bool {
	s, ok := signatureOf(e.Fn)
	if !ok || !totals[s] {
		return false
	}
	if e.Fn.Bind == nil {
		return true
	}
	pattern, ok := e.Args[1].(expr.Const)
	return ok && (pattern.Value.IsNull() || !strings.HasSuffix(pattern.Value.Text(), `\`))
}

// totals are functions of texts that have a result for all of them: LIKE unless the pattern ends with the escape.
var totals = func() map[signature]bool {
	out := map[signature]bool{of("length", types.OIDText): true, of("length", types.OIDBpchar): true}
	for _, sign := range []string{"~~", "!~~", "~~*", "!~~*"} {
		for _, left := range []types.OID{types.OIDText, types.OIDBpchar} {
			out[of(sign, left, types.OIDText)] = true
		}
	}
	return out
}()

// mostMembers is up to how many members of a list are compared one after the other.
const mostMembers = 32

// member is x IN (a, b) as x = a OR x = b, and x NOT IN (a, b) as x <> a AND x <> b.
func (s *Set) member(e expr.In) node {
	out := &logic{or: !e.Not}
	op := expr.EQ
	if e.Not {
		op = expr.NE
	}
	for _, item := range e.List {
		out.fails = out.fails || mayFail(item)
		out.args = append(out.args, &compare{op: op, left: s.node(e.Arg), right: s.node(item)})
	}
	return out
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
