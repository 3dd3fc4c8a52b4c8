package cluster

import (
	"context"

	"zproxy/catalog/large"
)

// LargeObjects are those of the database as a transaction sees them, to read or also to write.
func LargeObjects(ctx context.Context, t *Transaction, write bool) (large.Objects, error) {
	n := t.node
	if write && !n.large.Load() {
		if err := large.Make(ctx, n.Store); err != nil {
			return large.Objects{}, err
		}
		n.large.Store(true)
	}
	txn, err := t.Store(ctx, write)
	if err != nil {
		return large.Objects{}, err
	}
	t.Large = t.Large || write
	return large.Objects{Txn: txn, Database: n.database}, nil
}

// removeLarge removes all large objects of the database.
func removeLarge(ctx context.Context, t *Transaction) error {
	all, err := LargeObjects(ctx, t, false)
	if err != nil {
		return err
	}
	var list []uint32
	for x, err := range all.All(ctx) {
		if err != nil {
			return err
		}
		list = append(list, x.ID)
	}
	for _, id := range list {
		if _, err := all.Find(ctx, id, false); err != nil {
			return err
		}
		if err := all.Remove(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
