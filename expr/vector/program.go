// Package vector computes expressions for many rows at once: an expression is compiled to a tree of nodes, each of
// which makes a vector of values for the rows of a batch that are selected (Boncz, Zukowski, Nes: MonetDB/X100, 2005).
// Loops over plain numbers take the place of a call for each row and each node; what has no such loop is computed row
// by row.
//
// What must stay true: the values are those of Eval, and so are the errors, but for which of several rows fails first.
// A row that is not selected never fails, and what is shared between expressions is computed for no rows but those that
// one of them asks for. Read Set and Program first, then node, then kernel.
package vector

import (
	"slices"

	"zproxy/expr"
	"zproxy/types"
)

// Set is programs over the same batches. What their expressions have in common is computed once.
type Set struct {
	run    run
	shared []*shared
}

// NewSet makes a set for one run of a statement.
func NewSet(c *expr.Context) *Set { return &Set{run: run{context: c}} }

// Program is an expression over batches. It keeps its vectors from one batch to the next, so that one goroutine uses
// it.
type Program struct {
	set  *Set
	root node
	of   expr.Expr
}

// Compile makes the program of an expression.
func (s *Set) Compile(e expr.Expr) *Program {
	p := &Program{set: s, of: e}
	if expr.Any(e, isVolatile) { // what is done for a row is done before anything is for the next one
		p.root = newRowwise(e, s.run.context)
	} else {
		p.root = s.node(e)
	}
	return p
}

func isVolatile(e expr.Expr) bool {
	call, ok := e.(expr.Call)
	return ok && call.Fn.Volatility == expr.Volatile
}

// Begin has the programs compute a batch. Its rows must stay as they are, and in their places, until they are done.
func (s *Set) Begin(b *types.Batch) {
	s.run.batch = b
	s.run.number++
}

// MayFail says whether a row may be an error, as far as can be seen at once.
func (p *Program) MayFail() bool { return mayFail(p.of) }

// run is what nodes know of the batch at hand.
type run struct {
	context *expr.Context
	batch   *types.Batch
	number  uint64 // the number of the batch, from 1
}

// node makes values for the selected rows of a batch. The vector is the node's own, and good until it is asked again.
// It has a place for each row of the batch; those of rows that are not selected have any value.
type node interface {
	eval(r *run, sel []int32) (*types.Vector, error)
}

// chooser is a node that finds the rows for which it is true without making a vector.
type chooser interface {
	node
	// choose appends those of the selected rows to out, which may be the front of sel.
	choose(r *run, sel, out []int32) ([]int32, error)
}

// Values are the values for the selected rows of the batch, in the places of the rows. They are good until the set is
// asked for others of its rows.
func (p *Program) Values(sel []int32) (*types.Vector, error) { return p.root.eval(&p.set.run, sel) }

// Keep leaves those of the selected rows of the batch for which a condition is true. It uses the memory of sel.
func (p *Program) Keep(sel []int32) ([]int32, error) { return choose(p.root, &p.set.run, sel, sel[:0]) }

// choose finds the rows for which a node is true.
func choose(n node, r *run, sel, out []int32) ([]int32, error) {
	if c, ok := n.(chooser); ok {
		return c.choose(r, sel, out)
	}
	return byVector(n, r, sel, out)
}

// byVector is choose by the values of a node.
func byVector(n node, r *run, sel, out []int32) ([]int32, error) {
	v, err := n.eval(r, sel)
	if err != nil {
		return nil, err
	}
	for _, i := range sel {
		if isTrue(v, i) {
			out = append(out, i)
		}
	}
	return out, nil
}

func isTrue(v *types.Vector, i int32) bool {
	if v.Kind == types.KindNull {
		return v.Values[i].IsTrue()
	}
	return v.Ints[i] != 0 && (!v.HasNulls || !v.Nulls[i])
}

// node compiles an expression.
func (s *Set) node(e expr.Expr) node {
	if expr.Fixed(e) {
		return &fixed{of: e}
	}
	if takesTime(e) {
		if hash, ok := hashOf(e); ok {
			if n := s.share(hash, e); n != nil {
				return n
			}
			return s.keep(hash, e, s.own(e))
		}
	}
	return s.own(e)
}

// own compiles an expression that no other one has.
func (s *Set) own(e expr.Expr) node {
	if n := s.known(e); n != nil {
		return n
	}
	return newRowwise(e, s.run.context)
}

// known compiles an expression that is not computed row by row; nil: it is.
func (s *Set) known(e expr.Expr) node {
	switch e := e.(type) {
	case expr.Column:
		return &column{at: e.Index}
	case expr.Compare:
		if isHeld(e.Left) {
			return &compare{op: e.Op, left: s.node(e.Left), right: s.node(e.Right)}
		}
	case expr.Distinct:
		if isHeld(e.Left) {
			return &distinct{equal: compare{op: expr.EQ, left: s.node(e.Left), right: s.node(e.Right)}, not: e.Not}
		}
	case expr.In:
		if _, ok := hashOf(e.Arg); ok && len(e.List) <= mostMembers && isHeld(e.Arg) {
			return s.member(e)
		}
	case expr.NullIf:
		if _, ok := hashOf(e.Left); ok && isHeld(e.Left) {
			return s.nullIf(e)
		}
	case expr.Logic:
		return &logic{or: e.Or, args: s.nodes(e.Args), fails: slices.ContainsFunc(e.Args[1:], mayFail)}
	case expr.Not:
		return &not{arg: s.node(e.Arg)}
	case expr.IsNull:
		if !e.Arg.Type().IsComposite() {
			return &isNull{arg: s.node(e.Arg), not: e.Not}
		}
	case expr.IsBool:
		return &isBool{arg: s.node(e.Arg), want: e.Want, not: e.Not}
	case expr.Case:
		return s.cases(e)
	case expr.Coalesce:
		return &coalesce{args: s.nodes(e.Args)}
	case expr.Cast:
		return s.cast(e)
	case expr.Call:
		return s.call(e)
	}
	return nil
}

// isHeld says whether the values of an expression are in vectors of their own kind.
func isHeld(e expr.Expr) bool { return e.Type().Kind().Held() != types.KindNull }

func (s *Set) nodes(list []expr.Expr) []node {
	out := make([]node, len(list))
	for i, e := range list {
		out[i] = s.node(e)
	}
	return out
}

// column is a column of the batch.
type column struct {
	at  int
	out types.Vector
}

func (n *column) eval(r *run, sel []int32) (*types.Vector, error) {
	return r.batch.Vector(n.at, sel, &n.out), nil
}

// fixed is a value that is the same for all rows of a run. It is computed for the first row that needs it, whose the
// error is.
type fixed struct {
	of    expr.Expr
	known bool
	value types.Value
	rows  int
	out   types.Vector
}

func (n *fixed) eval(r *run, sel []int32) (*types.Vector, error) {
	if len(sel) == 0 {
		return &n.out, nil
	}
	if _, err := n.get(r); err != nil {
		return nil, err
	}
	if rows := r.batch.Len(); rows > n.rows {
		n.rows = rows
		n.out.Fill(n.value, rows)
	}
	return &n.out, nil
}

// get is the value.
func (n *fixed) get(r *run) (types.Value, error) {
	if !n.known {
		var err error
		if n.value, err = n.of.Eval(r.context, nil); err != nil {
			return types.Null, err
		}
		n.known = true
	}
	return n.value, nil
}
