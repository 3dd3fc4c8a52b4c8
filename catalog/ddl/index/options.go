package index

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/cluster"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

// indexOptions runs ALTER INDEX ... SET, RESET and ATTACH PARTITION.
func (d *Definer) indexOptions(ctx context.Context, tree *ast.IndexOptions) error {
	if tree.Commands[0].Kind == ast.ChangePartition {
		return Partitions{d}.attachIndex(ctx, tree, tree.Commands[0].Partition)
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if tree.Table == nil {
		if skip, err := d.Skips(tree.IfExists, tree.Index); skip || err != nil {
			return err
		}
	}
	t, x, err := d.indexNamed(change.Snap, tree.Index, tree.Table, tree.IfExists)
	if err == nil && t != nil && tree.Commands[0].Kind == ast.SetColumn {
		return setStatistics(catalog.TableIndex{Table: t, Index: x}, tree.Commands[0])
	}
	switch {
	case err == nil && t == nil:
		return nil // IF EXISTS
	case tree.Table == nil && sqlerr.Has(err, sqlerr.UndefinedObject):
		return sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", tree.Index.Name)
	case err != nil:
		return err
	case x == nil:
		return ofPrimaryKey("set parameters of", tree.Index.Name)
	}
	if cmd, ok := define.RelayCommand(tree.Commands); ok {
		return d.relayIndex(ctx, t, x, cmd)
	}
	if err := d.InUse("ALTER INDEX", t); err != nil {
		return err
	}
	if err := d.Txn.Alone(ctx, t); err != nil {
		return err
	}
	for _, cmd := range tree.Commands {
		if x, err = define.AlterIndexOptions(x, cmd.Options, cmd.Kind == ast.ResetOptions); err != nil {
			return err
		}
	}
	return d.PutAltered(ctx, t, t.WithIndex(*x))
}

// PutAltered puts a table whose options changed into the schema. A store that keeps spaces by them is
// told at once, as it would be too late at the end to refuse the statement. If the transaction is
// rolled back, the store stays as it was told.
func (d *Definer) PutAltered(ctx context.Context, before, after *catalog.Table) error {
	if alterer, ok := d.Node.Store.(store.SpaceAlterer); ok {
		was := map[store.SpaceID]store.Space{}
		for _, space := range cluster.SpacesOf(before) {
			was[space.ID] = space
		}
		for _, space := range cluster.SpacesOf(after) {
			old, there := was[space.ID]
			if !there || keptAlike(&old, &space) {
				continue
			}
			txn, err := d.Txn.Store(ctx, true)
			if err == nil {
				err = notReplaced(ctx, txn, before, relays) // the space that takes its place has what it was made with
			}
			if err != nil {
				return err
			}
			if err := alterer.AlterSpace(ctx, &space); err != nil {
				return fmt.Errorf("alter space %s: %w", space.Name, err)
			}
		}
	}
	return d.Txn.Put(ctx, after)
}

// keptAlike says whether a store that was told to keep a space in one way has to be told the other.
func keptAlike(a, b *store.Space) bool {
	return a.Capacity == b.Capacity && a.Dense == b.Dense && sameExpiry(a.Expiry, b.Expiry)
}

// sameExpiry says whether a store that was told one has to be told the other.
func sameExpiry(a, b *store.Expiry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Number == b.Number
}
