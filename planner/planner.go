// Package planner turns the syntax tree of a statement that reads or writes rows, and the catalog, into a plan:
// names are resolved, types are checked and every implicit cast is made explicit, by PostgreSQL's rules. Package
// bind binds names and calls, package stored the expressions that tables have, package define makes definitions,
// and package optimizer decides how rows are read. Read Planner.Plan first.
package planner

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
)

// Planner plans one statement. It learns the types of the statement's parameters as
// their uses tell.
type Planner struct {
	bind.Binder
	// Missed are the hints that concern no table of their query, known after planning.
	Missed []ast.Hint
	hinted []ast.Pos // of those that concern one
	// Given are rows that the session supplies, which the statement names like queries of WITH.
	Given []Given
}

// Given is the name and the columns of such rows.
type Given struct {
	Name string
	Cols []plan.Column
}

// expressions binds expressions over a scope, in a clause.
func (p *Planner) expressions(sc *bind.Scope, where string) *bind.Scalars {
	return p.Over(sc, p, where)
}

// Stored binds the expressions that are stored with tables.
func (p *Planner) Stored() stored.Expressions {
	return stored.Expressions{Binder: &p.Binder}
}

// Query plans a query within an expression.
func (p *Planner) Query(s *ast.Select, in *bind.Scope) (plan.Node, error) {
	return p.newQuery(in).plan(s)
}

// Plan plans a statement that reads or writes rows.
func (p *Planner) Plan(s ast.Statement) (plan.Node, error) {
	n, err := p.plan(s)
	if err != nil {
		return nil, err
	}
	return n, p.RequireParamTypes()
}

func (p *Planner) plan(s ast.Statement) (plan.Node, error) {
	sc := bind.NewScope()
	return p.planGiven(s, sc, 0)
}

// planIn plans a statement in its outermost scope.
func (p *Planner) planIn(s ast.Statement, sc *bind.Scope) (plan.Node, error) {
	switch s := s.(type) {
	case *ast.Select:
		return p.newQuery(sc).plan(s)
	case *ast.Copy:
		return writer{p}.planCopy(s)
	case *ast.Refresh:
		return p.planRefresh(s)
	case *ast.CallProcedure:
		return p.planCall(s.Call, sc)
	}
	return p.planWrite(s, sc)
}

// planGiven plans a statement that rows are given to, those from a number on.
func (p *Planner) planGiven(s ast.Statement, sc *bind.Scope, from int) (plan.Node, error) {
	if from >= len(p.Given) {
		return p.planIn(s, sc)
	}
	p.Numbers++
	g := &p.Given[from]
	given := plan.With{Number: p.Numbers, Name: g.Name, Query: plan.Stream{Cols: g.Cols, Few: true, Number: from + 1}}
	var err error
	sc.Tables, err = sc.Tables.With(ast.CommonTable{Name: given.Name}, given.Number, g.Cols)
	if err != nil {
		return nil, err
	}
	given.Input, err = p.planGiven(s, sc, from+1)
	return given, err
}

// writer plans the statements that write rows.
type writer struct{ *Planner }

// planWrite plans a statement that writes, in the scope of its surroundings.
func (p *Planner) planWrite(s ast.Statement, around *bind.Scope) (plan.Node, error) {
	switch s := s.(type) {
	case *ast.Insert:
		return writer{p}.planInsert(s, around)
	case *ast.Update:
		return writer{p}.planUpdate(s, around)
	case *ast.Delete:
		return writer{p}.planDelete(s, around)
	case *ast.Merge:
		return writer{p}.planMerge(s, around)
	default:
		return nil, sqlerr.Unsupported("planning %T", s)
	}
}

// from is Table for a name in a statement that writes, whose position the error gives.
func (p *Planner) from(n ast.Name) (*catalog.Table, error) {
	r, err := p.Relation(n)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *catalog.View:
		return nil, sqlerr.Unsupported("writing to view %q", r.Name).At(int(n.Pos))
	case *catalog.Virtual:
		return nil, bind.SystemRelation(r)
	case *catalog.Sequence:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot change sequence %q", r.Name)
	}
	t, err := p.Table(n)
	return t, bind.At(err, n.Pos)
}
