// Package vector computes expressions for many rows at once: an expression is compiled to a tree of nodes, each of
// which makes a vector of values for the rows of a batch that are selected (Boncz, Zukowski, Nes: MonetDB/X100, 2005).
// Loops over plain numbers take the place of a call for each row and each node; what has no such loop is computed row
// by row.
//
// What must stay true: the values are those of Eval, and so are the errors, but for which of several rows fails first.
// A row that is not selected never fails. Read Program first, then node.
package vector

import (
	"slices"

	"zproxy/expr"
	"zproxy/types"
)

// Program is an expression over batches. It keeps its vectors from one batch to the next, so that one goroutine uses
// it.
type Program struct {
	root node
	run  run
	of   expr.Expr
}

// Compile makes the program of an expression for one run of a statement.
func Compile(e expr.Expr, c *expr.Context) *Program {
	p := &Program{run: run{context: c}, of: e}
	if p.root = p.node(e); expr.Any(e, isVolatile) {
		p.root = newRowwise(e, c) // what is done for a row is done before anything is for the next one
	}
	return p
}

func isVolatile(e expr.Expr) bool {
	call, ok := e.(expr.Call)
	return ok && call.Fn.Volatility == expr.Volatile
}

// MayFail says whether a row may be an error, as far as can be seen at once.
func (p *Program) MayFail() bool { return mayFail(p.of) }

// run is what nodes know of the batch at hand.
type run struct {
	context *expr.Context
	batch   *types.Batch
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

// Values are the values for the selected rows of a batch, in the places of the rows. They are good until the next call.
func (p *Program) Values(b *types.Batch, sel []int32) (*types.Vector, error) {
	p.run.batch = b
	return p.root.eval(&p.run, sel)
}

// Keep leaves those of the selected rows of a batch for which a condition is true. It uses the memory of sel.
func (p *Program) Keep(b *types.Batch, sel []int32) ([]int32, error) {
	p.run.batch = b
	return choose(p.root, &p.run, sel, sel[:0])
}

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
func (p *Program) node(e expr.Expr) node {
	if expr.Fixed(e) {
		return &fixed{of: e}
	}
	if n := p.known(e); n != nil {
		return n
	}
	return newRowwise(e, p.run.context)
}

// known compiles an expression that is not computed row by row; nil: it is.
func (p *Program) known(e expr.Expr) node {
	switch e := e.(type) {
	case expr.Column:
		return &column{at: e.Index}
	case expr.Compare:
		if isHeld(e.Left) {
			return &compare{op: e.Op, left: p.node(e.Left), right: p.node(e.Right)}
		}
	case expr.Distinct:
		if isHeld(e.Left) {
			return &distinct{equal: compare{op: expr.EQ, left: p.node(e.Left), right: p.node(e.Right)}, not: e.Not}
		}
	case expr.In:
		if _, column := e.Arg.(expr.Column); column && len(e.List) <= mostMembers && isHeld(e.Arg) {
			return p.member(e)
		}
	case expr.Logic:
		return &logic{or: e.Or, args: p.nodes(e.Args), fails: slices.ContainsFunc(e.Args[1:], mayFail)}
	case expr.Not:
		return &not{arg: p.node(e.Arg)}
	case expr.IsNull:
		if !e.Arg.Type().IsComposite() {
			return &isNull{arg: p.node(e.Arg), not: e.Not}
		}
	case expr.IsBool:
		return &isBool{arg: p.node(e.Arg), want: e.Want, not: e.Not}
	case expr.Case:
		return p.cases(e)
	case expr.Coalesce:
		return &coalesce{args: p.nodes(e.Args)}
	case expr.Cast:
		return p.cast(e)
	case expr.Call:
		return p.call(e)
	}
	return nil
}

// isHeld says whether the values of an expression are in vectors of their own kind.
func isHeld(e expr.Expr) bool { return e.Type().Kind().Held() != types.KindNull }

func (p *Program) nodes(list []expr.Expr) []node {
	out := make([]node, len(list))
	for i, e := range list {
		out[i] = p.node(e)
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
