// Package planner turns a syntax tree and the catalog into a plan: names are resolved,
// types are checked and every implicit cast is written out, by PostgreSQL's rules.
package planner

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Planner plans one statement. It learns the types of the statement's parameters as
// their uses tell.
type Planner struct {
	Catalog    *catalog.Snapshot
	SearchPath []string
	Temporary  string // the schema that pg_temp stands for; empty: there is none
	Env        *types.Env
	// Params are the types of $1, $2, ...: those that the client declared, and after
	// planning all of them.
	Params []types.T
	// NoParams says that parameters get no values.
	NoParams bool
	// ParseExpr reads the text of a column's default.
	ParseExpr func(text string) (ast.Expr, error)
	// ParseQuery reads the text of a view's query.
	ParseQuery func(text string) (*ast.Select, error)

	// Limits bound the indexes that are made.
	Limits Limits

	// Role is whose rights to use schemas count; 0: they do not count.
	Role uint32
	// Needs is what the statement wants to do with relations, known after planning.
	Needs []*Need
	// Missed are the hints that concern no table of their query, known after planning.
	Missed []ast.Hint
	hinted []ast.Pos // of those that concern one

	nesting nesting
	// Literals is what constants are read with, apart from names; nil: Env. A statement that was
	// prepared and a text that the catalog keeps have those of when they were first read.
	Literals *types.Env
	noting   *catalog.Literals // where names in constants are noted; nil: nowhere

	as      uint32                    // the owner of the view whose query is planned; 0: outside of views
	slots   int                       // how many slots of expr.Outer there are
	numbers int                       // how many subqueries and common tables there are
	rows    map[uint32]*types.RowType // of relations, that types have met
	uses    *[]catalog.Use            // takes the relations that are named; nil: they are not taken
}

// Plan plans a statement that reads or writes rows.
func (p *Planner) Plan(s ast.Statement) (plan.Node, error) {
	n, err := p.plan(s)
	if err != nil {
		return nil, err
	}
	if err := apart(n); err != nil {
		return nil, err
	}
	return n, p.settleParams()
}

func (p *Planner) plan(s ast.Statement) (plan.Node, error) {
	switch s := s.(type) {
	case *ast.Select:
		q := p.newQuery(newScope())
		return q.plan(s)
	case *ast.Copy:
		return p.planCopy(s)
	}
	return p.planWrite(s, newScope())
}

// planWrite plans a statement that writes, in the scope of its surroundings.
func (p *Planner) planWrite(s ast.Statement, around *scope) (plan.Node, error) {
	switch s := s.(type) {
	case *ast.Insert:
		return p.planInsert(s, around)
	case *ast.Update:
		return p.planUpdate(s, around)
	case *ast.Delete:
		return p.planDelete(s, around)
	default:
		return nil, sqlerr.Unsupported("planning %T", s)
	}
}

// settleParams wants every parameter to have found its type.
func (p *Planner) settleParams() error {
	for i, t := range p.Params {
		if t.OID == types.OIDInvalid || t.OID == types.OIDUnknown {
			return sqlerr.New(sqlerr.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	return nil
}

// param is a use of $n, which may be the first.
func (p *Planner) param(e *ast.Param) (expr.Expr, error) {
	if e.Number < 1 || e.Number > 65535 || p.NoParams {
		return nil, sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", e.Number).At(int(e.Pos))
	}
	for len(p.Params) < e.Number {
		p.Params = append(p.Params, types.Unknown)
	}
	t := p.Params[e.Number-1]
	if t.OID == types.OIDInvalid {
		t = types.Unknown
	}
	if id, _ := t.OID.Relation(); id != 0 && t.Row == nil { // as the client declared it
		t = p.typeOf(t.OID)
		p.Params[e.Number-1] = t
	}
	return expr.Param{Number: e.Number - 1, T: t}, nil
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
		return nil, SystemRelation(r)
	}
	t, err := p.Table(n)
	return t, at(err, n.Pos)
}
