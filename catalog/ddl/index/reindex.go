package index

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

// reindex runs REINDEX: of one index, or of all of a table, a schema or the database.
func (d *Definer) reindex(ctx context.Context, tree *ast.Reindex) error {
	if tree.Concurrently || tree.Kind == ast.SchemaObject || tree.Kind == ast.DatabaseObject ||
		tree.Kind == ast.SystemCatalogs {
		what := map[bool]string{true: " CONCURRENTLY"}[tree.Concurrently]
		if what == "" {
			what = " " + map[ast.ObjectKind]string{ast.SchemaObject: "SCHEMA",
				ast.DatabaseObject: "DATABASE", ast.SystemCatalogs: "SYSTEM"}[tree.Kind]
		}
		if err := d.Block.NotIn("REINDEX" + what); err != nil {
			return err
		}
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	list, err := d.toReindex(change.Snap, tree)
	if err != nil {
		return err
	}
	one := reindexing{d, tree}
	for _, x := range list { // perhaps each in a transaction of its own
		if err := d.Block.Retry(func() error { return one.build(ctx, x) }); err != nil {
			return err
		}
	}
	return nil
}

// reindexing builds indexes of a REINDEX anew.
type reindexing struct {
	*Definer
	tree *ast.Reindex
}

// build builds an index anew, if it is still there.
func (d reindexing) build(ctx context.Context, of catalog.TableIndex) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, _ := change.Snap.ByID(of.Table.ID).(*catalog.Table)
	if t == nil || t.IndexByID(of.Index.ID) == nil {
		return nil
	}
	x := t.IndexByID(of.Index.ID)
	goes, err := d.goes(ctx, x)
	switch {
	case err != nil || goes:
		return err
	case d.tree.Concurrently:
		return d.rebuild(ctx, t, x, false)
	}
	return d.reindexOne(ctx, t, x)
}

// goes says whether an index will be no more when its build has ended, which is an error if it was
// named. It looks apart from the transaction, which might fill an index in bulk.
func (d reindexing) goes(ctx context.Context, x *catalog.Index) (bool, error) {
	named := d.tree.Kind == ast.IndexObject
	var b *catalog.Build
	err := d.Node.InOwnTxn(ctx, func(txn store.Txn) (err error) {
		b, err = passing(ctx, txn, x.ID)
		return err
	})
	switch {
	case err != nil || b == nil:
		return false, err
	case named && b.Drop:
		return false, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "index %q is being dropped", x.Name)
	case named:
		return false, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"index %q is being built to take the place of another one", x.Name)
	}
	return true, nil
}

// toReindex are the indexes that a REINDEX is about, but for those that are tables.
func (d *Definer) toReindex(snap *catalog.Snapshot, tree *ast.Reindex) ([]catalog.TableIndex, error) {
	var tables []*catalog.Table
	if tree.Kind == ast.SystemCatalogs && tree.Concurrently {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cannot reindex system catalogs concurrently")
	}
	switch tree.Kind {
	case ast.IndexObject:
		t, x, err := d.indexNamed(snap, tree.Name, tree.Table, false)
		if err != nil || x == nil {
			return nil, err
		}
		return []catalog.TableIndex{{Table: t, Index: x}}, nil
	case ast.TableObject:
		t, err := d.Planner(snap).Table(tree.Name)
		if err == nil {
			err = d.MustOwn(snap, t)
		}
		if err == nil && t.Foreign != nil {
			err = sqlerr.New(sqlerr.WrongObjectType, "%q is not a table or materialized view", t.Name)
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, snap.Leaves(t)...)
	case ast.SchemaObject:
		schema := snap.Schema(tree.Name.Name)
		if schema == nil {
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", tree.Name.Name)
		}
		if err := d.MustOwn(snap, schema); err != nil {
			return nil, err
		}
		tables = snap.Tables()
	default:
		if tree.Name.Name != "" && tree.Name.Name != d.Database {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "can only reindex the currently open database")
		}
		if err := d.MustOwn(snap, snap.Database()); err != nil {
			return nil, err
		}
		if tree.Kind == ast.SystemCatalogs { // which have no indexes
			return nil, nil
		}
		tables = snap.Tables()
	}
	var out []catalog.TableIndex
	for _, t := range tables {
		if tree.Kind == ast.SchemaObject && t.Schema != tree.Name.Name || tree.Kind == ast.DatabaseObject &&
			!snap.Owns(d.Role, t) {
			continue
		}
		for i := range t.Indexes {
			if !t.Kept() {
				break
			}
			out = append(out, catalog.TableIndex{Table: t, Index: &t.Indexes[i]})
		}
	}
	return out, nil
}

// reindexOne fills an index anew while no other session writes to the table.
func (d *Definer) reindexOne(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	if err := d.InUse("REINDEX INDEX", t); err != nil {
		return err
	}
	old := *t.IndexSpace(x)
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	fresh := x.In(catalog.NewSpace(id, t.Schema, t.Name, x.Name))
	t.IncludeExpiry(&fresh)
	fresh.Loose, fresh.State = t.StartsLoose(&fresh), catalog.Readable
	if _, _, err := d.Fill(ctx, t, &fresh); err != nil {
		return err
	}
	if err := d.Txn.Retire(ctx, t, old); err != nil {
		return err
	}
	txn, err := d.Txn.Store(ctx, true)
	if err != nil {
		return err
	}
	return catalogstore.DeleteBuild(txn, x.ID)
}
