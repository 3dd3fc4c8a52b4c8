package index

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// dropIndexes removes indexes, named alone or with their table.
func (d *Definer) dropIndexes(ctx context.Context, tree *ast.DropIndex) error {
	if tree.Concurrently {
		if err := d.Block.NotIn("DROP INDEX CONCURRENTLY"); err != nil {
			return err
		}
		if len(tree.Indexes) > 1 {
			return sqlerr.New(sqlerr.FeatureNotSupported,
				"DROP INDEX CONCURRENTLY does not support dropping multiple objects")
		}
	}
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	for _, name := range tree.Indexes {
		t, err := d.OwnerOf(d.Txn.Changed().Snap, name, tree.Table)
		if err == nil && t == nil {
			_, err = d.ToDrop(d.Txn.Changed().Snap, ast.IndexObject, name)
			if err == nil {
				err = sqlerr.New(sqlerr.UndefinedObject, "index %q does not exist", name.Name)
			}
		}
		switch {
		case err != nil && tree.IfExists && sqlerr.From(err).Code == sqlerr.UndefinedObject:
			err = d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
		case err == nil:
			if err = d.MustOwnToDrop(d.Txn.Changed().Snap,
				catalog.TableIndex{Table: t, Index: t.Index(name.Name)}); err == nil {
				err = d.dropIndex(ctx, t, name.Name, tree.Concurrently)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropIndex removes an index that is no constraint.
func (d *Definer) dropIndex(ctx context.Context, t *catalog.Table, name string, concurrently bool) error {
	x := t.Index(name)
	if x == nil || x.Constraint {
		owner := fmt.Sprintf("constraint %s on %s", name, d.Describe(d.Txn.Changed().Snap, ddl.Target{Object: t}))
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because %s requires it", name,
			owner).
			WithHint("You can drop %s instead.", owner)
	}
	if x.Of != 0 {
		of := parentIndex(d.Txn.Changed().Snap, t, x)
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because index %s requires it", name,
			of).
			WithHint("You can drop index %s instead.", of)
	}
	if concurrently && !t.Kept() {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot drop partitioned index %q concurrently", name)
	}
	if concurrently {
		return d.startBuild(ctx, t, &catalog.Build{Index: x.ID, Goal: catalog.Disabled, Drop: true}, true)
	}
	if x.Unique {
		if err := d.DropDependents(ctx, ddl.Target{Object: t, Index: x.ID}, false); err != nil {
			return err
		}
	}
	return d.Remove(ctx, t, x)
}

// Remove takes an index from its table, with its entries.
func (d *Definer) Remove(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	if err := d.Txn.Alone(ctx, t); err != nil {
		return err
	}
	for _, p := range d.Txn.Changed().Snap.Partitions(t.ID) {
		own := x.OfPartition(p)
		if own == nil {
			continue
		}
		if err := d.Remove(ctx, p, own); err != nil {
			return err
		}
	}
	if t.Kept() {
		if err := d.Txn.Retire(ctx, t, *t.IndexSpace(x)); err != nil {
			return err
		}
	}
	if err := d.Txn.Put(ctx, t.WithoutIndex(x.Name)); err != nil {
		return err
	}
	txn, err := d.Txn.Store(ctx, true)
	if err != nil {
		return err
	}
	return catalogstore.DeleteBuild(txn, x.ID)
}

// parentIndex names the index that the index of a partition belongs to.
func parentIndex(snap *catalog.Snapshot, t *catalog.Table, x *catalog.Index) string {
	if parent, ok := snap.ByID(t.PartitionOf.Parent).(*catalog.Table); ok {
		if of := parent.IndexByID(x.Of); of != nil {
			return of.Name
		}
	}
	return ""
}
