package planner

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// Refreshed finds the materialized view that a REFRESH names.
func (p *Planner) Refreshed(s *ast.Refresh) (*catalog.Table, error) {
	r, err := p.Relation(s.View)
	if err != nil {
		return nil, err
	}
	t, ok := r.(*catalog.Table)
	switch {
	case r == nil:
		return nil, bind.NoRelation(s.View)
	case !ok || t.Materialized == nil:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "%q is not a materialized view", r.Ref().Name)
	}
	return t, nil
}

// planRefresh plans the rows that a materialized view is to have, by the rights of its owner.
func (p *Planner) planRefresh(s *ast.Refresh) (plan.Node, error) {
	t, err := p.Refreshed(s)
	if err != nil {
		return nil, err
	}
	v := catalog.QueryOf(t)
	n, err := p.viewQuery(p.newQuery(bind.NewScope()), v)
	if err != nil {
		return nil, err
	}
	return firstColumns(n, len(v.Columns)), nil
}

// Filled fills a materialized view, in spaces of its own, with the rows of its query.
func (p *Planner) Filled(t *catalog.Table, n plan.Node) (plan.Node, error) {
	out := Fill(t, n).(plan.Insert)
	kept, err := p.Stored().Written(t)
	out.Keep(kept)
	return out, err
}
