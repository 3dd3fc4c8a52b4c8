package planner

import (
	"zproxy/parser/ast"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// planCopy plans COPY FROM: rows of the named columns that the session reads from the
// client, made whole.
func (p *Planner) planCopy(s *ast.Copy) (plan.Node, error) {
	if s.To {
		return nil, sqlerr.Unsupported("COPY TO")
	}
	if s.Where != nil {
		return nil, sqlerr.Unsupported("COPY FROM ... WHERE")
	}
	t, err := p.Table(s.Table)
	if err != nil {
		return nil, err
	}
	targets, err := p.insertTargets(t, s.Columns)
	if err != nil {
		return nil, err
	}
	stream := plan.Stream{Cols: plan.TableColumns(t, targets)}
	given := make([]expr.Expr, len(targets))
	for i, c := range stream.Cols {
		given[i] = expr.Column{Index: i, Name: c.Name, T: c.Type}
	}
	row, err := p.wholeRow(t, targets, given, make([]ast.Pos, len(given)))
	if err != nil {
		return nil, err
	}
	checks, err := p.Checks(t)
	if err != nil {
		return nil, err
	}
	return plan.Insert{Table: t, Checks: checks, Input: plan.Project{Input: stream, Exprs: row, Cols: allColumns(t)}}, nil
}
