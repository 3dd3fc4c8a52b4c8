package deparse

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/types"
)

// source is what a stored text is read with.
type source struct {
	names     bind.Names // as they resolve when the text is stored
	constants bind.Constants
	now       *catalog.Snapshot // with the names of today
}

// renamed is a relation under the names that a text has for it, and under those of now; nil for
// a text that is about none.
type renamed struct{ was, is catalog.Relation }

func (s *source) analyzer() *analyzer {
	return &analyzer{source: s, names: &resolver{Names: s.names}, q: &query{}}
}

// Query analyzes the query of a view.
func (s source) Query(tree *ast.Select) (*query, error) {
	a := s.analyzer()
	return a.q, a.analyze(tree, false)
}

// Expr analyzes an expression as one of a type; the zero type is its own. It is in a query with the relation as
// its only one.
func (s source) Expr(tree ast.Expr, over renamed, to types.T) (node, *query, error) {
	a, rel := s.analyzer(), &relation{cols: columnsOf(over.was, over.is)}
	a.q.relations = []*relation{rel}
	it := rel.item()
	if over.was != nil {
		it.Name, it.Schema = over.was.Ref().Name, over.was.Ref().Schema
	}
	a.items = []item{it}
	n, err := a.expr(tree)
	if err != nil {
		return nil, nil, err
	}
	if to.OID == types.OIDInvalid {
		n, err = a.known(n)
	} else {
		n, err = a.coerceTo(n, to, types.Assignment, implicitCast)
	}
	return n, a.q, err
}
