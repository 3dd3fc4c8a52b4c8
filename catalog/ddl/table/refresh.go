package table

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Refresh gives a materialized view spaces of its own, which a function fills with the rows that it now has.
func Refresh(ctx context.Context, d *Definer, tree *ast.Refresh, fill func(to *catalog.Table) error) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, err := d.Planner(change.Snap).Refreshed(tree)
	if err != nil {
		return err
	}
	if err := d.MustOwn(change.Snap, t); err != nil {
		return err
	}
	if err := mayRefresh(tree, t); err != nil {
		return err
	}
	if err := d.InUse("REFRESH MATERIALIZED VIEW", t); err != nil {
		return err
	}
	to, err := emptied(ctx, d, t)
	if err != nil {
		return err
	}
	to.Materialized = &catalog.Materialized{Query: to.Materialized.Query, Empty: tree.NoData}
	if err := d.Txn.Put(ctx, to); err != nil || tree.NoData {
		return err
	}
	if err := fill(to); err != nil {
		return rewriteError(err, to)
	}
	return nil
}

// mayRefresh refuses what REFRESH cannot do beside those who read.
func mayRefresh(tree *ast.Refresh, t *catalog.Table) error {
	unique := func(x catalog.Index) bool { return x.Unique && x.Where == nil && x.State.Reads() }
	switch {
	case !tree.Concurrently:
		return nil
	case t.Materialized.Empty:
		return sqlerr.New(sqlerr.FeatureNotSupported,
			"CONCURRENTLY cannot be used when the materialized view is not populated")
	case tree.NoData:
		return sqlerr.New(sqlerr.SyntaxError, "CONCURRENTLY and WITH NO DATA options cannot be used together")
	case slices.ContainsFunc(t.Indexes, unique):
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "cannot refresh materialized view %q concurrently",
		t.Schema+"."+t.Name).
		WithHint("Create a unique index with no WHERE clause on one or more columns of the materialized view.")
}
