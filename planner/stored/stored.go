// Package stored binds the expressions that the catalog stores as texts with tables: the defaults of columns, CHECK
// constraints, and the conditions of partial indexes. Their names and constants keep the meaning that they had when
// they were written. INSERT and UPDATE plan with them, background work such as index builds uses them, and
// definitions are checked with them before they are stored.
//
// The queries of views are not here: the planner plans them. Read `Expressions` first; there is a file for each
// kind.
package stored

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Expressions binds the expressions that are stored with tables.
type Expressions struct {
	*bind.Binder
}

// In are the expressions of a catalog. They say themselves how they were meant, so no session is asked.
func In(schema *catalog.Snapshot) Expressions {
	return Expressions{&bind.Binder{Names: bind.Names{Catalog: schema}, Constants: bind.Constants{Env: &types.Env{}}}}
}

// Written is a table as who writes its rows must know it.
func (x Expressions) Written(t *catalog.Table) (plan.Indexed, error) {
	out, err := x.Indexed(t)
	if err != nil {
		return out, err
	}
	if out.Checks, err = x.written(t); err != nil {
		return out, err
	}
	bound, err := x.Bound(t)
	if bound != nil {
		out.Checks = append(out.Checks, plan.Check{Cond: expr.Conjoin(bound), Of: plan.RangeCheck})
	}
	return out, err
}

// Kept is what rows that are there must meet where they are written anew.
func (x Expressions) Kept(t *catalog.Table) (plan.Indexed, error) { return x.Written(valid(t)) }

// written are the values of generated columns of rows that are written, and what the rows must meet then.
func (x Expressions) written(t *catalog.Table) ([]plan.Check, error) {
	out, err := x.Generated(t)
	if err != nil {
		return nil, err
	}
	checks, err := x.Enforced(t)
	return append(out, checks...), err
}

// over binds expressions over the rows of a table.
func (x Expressions) over(t *catalog.Table, where string) *bind.Scalars {
	return x.in(bind.NewScope(x.OfTable(t, "")), where)
}

// in binds expressions in a scope, where no subqueries may stand.
func (x Expressions) in(sc *bind.Scope, where string) *bind.Scalars {
	return x.Over(sc, nil, where)
}
