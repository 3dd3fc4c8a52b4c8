package vector

import (
	"hash/maphash"
	"math"

	"zproxy/expr"
	"zproxy/types"
)

// shared is a node of an expression that may be in other ones, too. It is computed once for the rows of a batch that
// all of them ask for.
//
// Who asks a node for some rows holds the vector only while no others are asked for, but for some of those: so it may
// be computed anew as soon as a row is missing.
type shared struct {
	of   node
	expr expr.Expr
	hash uint64 // of the expression
	uses int

	number uint64 // that of the batch; 0: there is no vector
	out    *types.Vector
	whole  bool     // all rows of the batch were computed
	made   []uint64 // by row: when it was computed
	last   uint64   // when the vector was
}

func (n *shared) eval(r *run, sel []int32) (*types.Vector, error) {
	if n.uses == 1 {
		return n.of.eval(r, sel)
	}
	if n.number == r.number && n.has(sel) {
		return n.out, nil
	}
	n.number = 0
	v, err := n.of.eval(r, sel)
	if err != nil {
		return nil, err
	}
	n.note(r, sel)
	n.out = v
	return v, nil
}

// choose implements chooser.
func (n *shared) choose(r *run, sel, out []int32) ([]int32, error) {
	if n.uses == 1 {
		return choose(n.of, r, sel, out)
	}
	return byVector(n, r, sel, out)
}

// has says whether rows were computed.
func (n *shared) has(sel []int32) bool {
	if n.whole {
		return true
	}
	for _, i := range sel {
		if n.made[i] != n.last {
			return false
		}
	}
	return true
}

// note remembers which rows were computed.
func (n *shared) note(r *run, sel []int32) {
	rows := r.batch.Len()
	n.number, n.whole = r.number, len(sel) == rows
	if n.last++; n.whole {
		return
	}
	if len(n.made) < rows {
		n.made = make([]uint64, rows)
	}
	for _, i := range sel {
		n.made[i] = n.last
	}
}

// share is the node of an expression that may be shared with others of the set, by its hash; nil: there is none yet.
func (s *Set) share(hash uint64, e expr.Expr) node {
	for _, n := range s.shared {
		if n.hash == hash && expr.Equal(n.expr, e) {
			n.uses++
			return n
		}
	}
	return nil
}

// keep makes a node one that may be shared.
func (s *Set) keep(hash uint64, e expr.Expr, of node) node {
	n := &shared{of: of, expr: e, hash: hash, uses: 1}
	s.shared = append(s.shared, n)
	return n
}

// takesTime says whether computing an expression takes more than looking for another one that is equal.
func takesTime(e expr.Expr) bool {
	switch e.(type) {
	case expr.Call, expr.Cast, expr.Case, expr.Coalesce, expr.NullIf, expr.Extreme:
		return true
	}
	return false
}

// seed makes hashes differ from run to run.
var seed = maphash.MakeSeed()

// hashOf is the same for equal expressions. It says false of those that may have another value each time, as far as can
// be seen at once.
func hashOf(e expr.Expr) (h uint64, ok bool) {
	switch e := e.(type) {
	case expr.Column:
		return mixed(1, uint64(e.Index)), true
	case expr.Param:
		return mixed(2, uint64(e.Number)), true
	case expr.Const:
		return mixed(3+uint64(e.Value.Kind()), uint64(e.Value.Int())), true
	case expr.Call:
		if e.Fn.Volatility == expr.Volatile {
			return 0, false
		}
		h = maphash.String(seed, e.Fn.Name)
	case expr.Cast:
		h = mixed(uint64(e.To.OID), uint64(e.To.Mod))
	case expr.Compare:
		h = uint64(e.Op)
	case expr.Logic, expr.Not, expr.IsNull, expr.IsBool, expr.Distinct, expr.In, expr.Case, expr.Coalesce, expr.NullIf,
		expr.Extreme:
	default:
		return 0, false
	}
	for _, in := range e.Inputs() {
		of, ok := hashOf(in)
		if !ok {
			return 0, false
		}
		h = mixed(h, of)
	}
	return h, true
}

func mixed(a, b uint64) uint64 {
	a = (a ^ b + math.MaxUint32) * 0x9e3779b97f4a7c15
	return a ^ a>>29
}
