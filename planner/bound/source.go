// Package bound has the trees of the expressions and queries that the catalog stores, as PostgreSQL has them after
// its analysis: every name is resolved, and every cast is explicit. Source makes them from syntax trees. As with
// expressions that run, package analyze analyzes the expressions, package clause the clauses, and the scopes of
// package bind resolve names. Unlike there, comparisons have the operators of the recorded pg_operator, since
// expressions that run need no casts. Package deparse prints the trees. Read Source and Node first.
package bound

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/types"
)

// Source is what a stored text is read with.
type Source struct {
	Names bind.Names // as they resolve when the text is stored
	bind.Constants
	Now *catalog.Snapshot // with the names of today
	// Positions takes where nodes were written; nil: nothing does.
	Positions map[Node]ast.Pos
}

// Renamed is a relation under the names that a text has for it, and under those of now; nil for
// a text that is about none.
type Renamed struct {
	Was, Is catalog.Relation
	// Bare is how its only column is printed, without quotes; empty: by its name.
	Bare string
}

func (s *Source) analyzer() *analyzer {
	return &analyzer{Source: s, names: &resolver{Names: s.Names}, q: &Query{}}
}

// Query analyzes the query of a view.
func (s Source) Query(tree *ast.Select) (*Query, error) {
	a := s.analyzer()
	return a.q, clauses{a}.analyze(tree, false)
}

// When analyzes the condition of a trigger, in a query with the old row and the new one as its relations.
func (s Source) When(tree ast.Expr, over Renamed) (Node, *Query, error) {
	a := s.analyzer()
	for _, name := range []string{"old", "new"} {
		rel := &Relation{Cols: columnsOf(over.Was, over.Is)}
		a.q.Relations = append(a.q.Relations, rel)
		it := rel.item()
		it.Name = name
		a.items = append(a.items, it)
	}
	n, err := a.expr(tree)
	if err == nil {
		n, err = a.to(n, types.Bool, types.Assignment)
	}
	return n, a.q, err
}

// Expr analyzes an expression as one of a type; the zero type is its own. It is in a query with the relation as
// its only one.
func (s Source) Expr(tree ast.Expr, over Renamed, to types.T) (Node, *Query, error) {
	a, rel := s.analyzer(), &Relation{Cols: columnsOf(over.Was, over.Is)}
	a.q.Relations = []*Relation{rel}
	it := rel.item()
	if over.Was != nil {
		it.Name, it.Schema = over.Was.Ref().Name, over.Was.Ref().Schema
	}
	if t, ok := over.Was.(*catalog.Table); ok {
		it.addTableOID(t.ID)
	}
	a.items = []item{it}
	n, err := a.expr(tree)
	if err != nil {
		return nil, nil, err
	}
	if to.OID == types.OIDInvalid {
		n, err = a.known(n)
	} else {
		n, err = a.to(n, to, types.Assignment)
	}
	return n, a.q, err
}
