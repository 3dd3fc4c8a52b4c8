package index

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
)

// ShareExpressions gives a partitioned table and all of its partitions the columns of expressions that one of them has,
// since their rows have the same columns.
func ShareExpressions(ctx context.Context, d *Definer, t *catalog.Table) error {
	root := t
	for _, above := range catalog.WithParents(d.Txn.Changed().Snap, t) {
		root = above
	}
	return shareBelow(ctx, d, root, t)
}

func shareBelow(ctx context.Context, d *Definer, to, of *catalog.Table) error {
	if with := define.WithExpressions(to, of); to.ID != of.ID && len(with.Columns) > len(to.Columns) {
		if err := d.Txn.Alone(ctx, to); err != nil {
			return err
		}
		with.Version++
		if err := d.Txn.Put(ctx, with); err != nil {
			return err
		}
	}
	for _, p := range d.Txn.Changed().Snap.Partitions(to.ID) {
		if err := shareBelow(ctx, d, p, of); err != nil {
			return err
		}
	}
	return nil
}
