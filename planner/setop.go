package planner

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/clause"
	"zproxy/planner/collate"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// planSetOp plans UNION, INTERSECT or EXCEPT, with ORDER BY and LIMIT.
func (q *query) planSetOp(s *ast.Select) (plan.Node, error) {
	n, err := q.setOp(s.SetOp)
	if err != nil {
		return nil, err
	}
	q.over(n, "", "UNION/INTERSECT/EXCEPT")
	for _, o := range s.OrderBy {
		if item, err := clause.Item(o.Expr, clause.OrderBy, q.selected()); err == nil && item < 0 {
			if _, err := q.Expr(o.Expr); err != nil {
				return nil, err
			}
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").
				WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.").
				At(int(analyze.Start(o.Expr)))
		}
	}
	keys, err := q.orderBy(s)
	if err != nil {
		return nil, err
	}
	if q.locking.clauses = s.Locking; q.locking.view {
		q.locking.around = nil
	}
	if err := q.locking.notWith(combinedQueries); err != nil {
		return nil, err
	}
	return q.ordered(n, keys, s)
}

// combinedQueries is what a set operation is called in an error.
const combinedQueries = "UNION/INTERSECT/EXCEPT"

// branch is one side of a set operation.
type branch struct {
	node plan.Node
	list []expr.Expr // the select list, where it has literals that have no type yet
	cols []plan.Column
	pos  []ast.Pos
}

func (q *query) branch(s *ast.Select) (branch, error) {
	if err := (&locking{clauses: s.Locking}).notWith(combinedQueries); err != nil {
		return branch{}, err
	}
	around := *q.around // each branch has relations of its own
	in := q.planner.newQuery(&around)
	in.open, in.appended = clause.Open(s), true
	n, err := in.plan(s)
	return branch{node: n, list: in.list, cols: in.cols, pos: in.pos}, err
}

func (q *query) setOp(s *ast.SetOp) (plan.Node, error) {
	left, err := q.branch(s.Left)
	if err != nil {
		return nil, err
	}
	if s.Kind == ast.Except {
		before := q.around.Tables
		q.around.Tables = before.Refused("EXCEPT")
		defer func() { q.around.Tables = before }()
	}
	right, err := q.branch(s.Right)
	if err != nil {
		return nil, err
	}
	cols, err := q.matched(s, &left, &right)
	if err != nil {
		return nil, err
	}
	if s.Kind != ast.Union || !s.All {
		for i, c := range cols {
			if err := clause.Equatable(c.Type, -1); err != nil {
				return nil, err
			}
			if c.Type.Collation == types.Mixed {
				return nil, collate.Mismatch(q.Catalog, left.value(i), right.value(i), right.pos[i])
			}
		}
	}
	if s.Kind != ast.Union {
		return plan.SetOp{Except: s.Kind == ast.Except, All: s.All, Left: left.node, Right: right.node, Cols: cols}, nil
	}
	all := plan.Append{In: []plan.Node{left.node, right.node}, Cols: cols}
	if s.All {
		return all, nil
	}
	return plan.Distinct{Input: all}, nil
}

// matched brings the columns of two branches to common types.
func (q *query) matched(s *ast.SetOp, left, right *branch) ([]plan.Column, error) {
	common, sides, err := clause.Matched(q.Analysis().Coercion, s, left.outputs(), right.outputs())
	if err != nil {
		return nil, err
	}
	cols := make([]plan.Column, len(common))
	for i, c := range common {
		cols[i] = plan.Column{Name: c.Name, Type: c.Type}
	}
	left.project(sides[0], cols)
	right.project(sides[1], cols)
	return cols, nil
}

func (b *branch) outputs() (out []clause.Output[expr.Expr]) {
	for i, c := range b.cols {
		out = append(out, clause.Output[expr.Expr]{Expr: b.value(i), Name: c.Name, Pos: b.pos[i]})
	}
	return out
}

// value is a column of a branch; a literal without a type is itself, so that it can be
// read as what the other branch has.
func (b *branch) value(i int) expr.Expr {
	if b.cols[i].Type.OID == types.OIDUnknown {
		return b.list[i]
	}
	return expr.Column{Index: i, Name: b.cols[i].Name, T: b.cols[i].Type}
}

// project puts changed columns above a branch; when none is, it is left alone.
func (b *branch) project(list []expr.Expr, cols []plan.Column) {
	for i, e := range list {
		if c, ok := e.(expr.Column); !ok || c.Index != i || !b.cols[i].Type.Same(cols[i].Type) {
			b.node = plan.Project{Input: b.node, Exprs: list, Cols: cols}
			return
		}
	}
}
