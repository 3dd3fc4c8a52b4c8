package database

import (
	"context"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/executor"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/budget"
)

// items copies items of spaces to new ones, which nothing reads yet.
type items struct{ read, write store.Txn }

// items begins transactions that copy items, within the bound of index builds.
func (c *copying) items(ctx context.Context) (*items, error) {
	read, err := c.Node.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("copying a database: %w", err)
	}
	took := &store.Stats{}
	write, err := c.Node.Store.Begin(ctx, store.Mode{Bulk: true, Stats: took})
	if err != nil {
		read.Rollback()
		return nil, fmt.Errorf("copying a database: %w", err)
	}
	limit := (*budget.Units)(nil)
	if c.Node.Store.Capabilities().Units {
		limit = budget.Of(c.Units)
	}
	return &items{read: limit.Limit(ctx, read, nil), write: limit.Limit(ctx, write, took)}, nil
}

// end ends the transactions.
func (i *items) end() {
	i.read.Rollback()
	i.write.Rollback()
}

// table copies the rows of a table, and the entries of those of its indexes that have them. The store makes entries
// that follow the rows, by keys that the rows carry.
func (c *copying) table(ctx context.Context, i *items, from *catalog.Table, snap *catalog.Snapshot, to *catalog.Table,
) error {
	rows := to.TableSpace()
	changes, err := c.renaming(to, nil)
	renames := changes != nil
	if err == nil && len(rows.Carries) > 0 {
		changes, err = c.carrying(ctx, snap, to, changes)
	}
	if err != nil {
		return err
	}
	if err := i.space(ctx, from.TableSpace(), rows, changes); err != nil {
		return err
	}
	for n := range to.Indexes {
		x := &to.Indexes[n]
		switch {
		case x.Follows, !x.State.Reads():
			continue
		case renames && x.Method.Inverted(): // of which an entry does not have the value that it is of
			c.builds = append(c.builds, func(ctx context.Context) error { return c.build(ctx, snap, to, x) })
			continue
		}
		if changes, err = c.renaming(to, x); err != nil {
			return err
		}
		if err := i.space(ctx, from.IndexSpace(&from.Indexes[n]), to.IndexSpace(x), changes); err != nil {
			return err
		}
	}
	return nil
}

// build makes the entries of an index from the rows of the copy.
func (c *copying) build(ctx context.Context, snap *catalog.Snapshot, t *catalog.Table, x *catalog.Index) error {
	indexed, err := c.Planner(snap).Stored().Indexed(t)
	if err != nil {
		return err
	}
	build := executor.IndexBuild{Tables: c.Tables, Table: indexed, Index: x, Routines: c.Values(ctx).Routines}
	return build.InOwnTxns(ctx, c.Node.Store)
}

// carrying is a change of items that have the keys of their rows in indexes besides, after another one.
func (c *copying) carrying(ctx context.Context, snap *catalog.Snapshot, to *catalog.Table, first change) (
	change, error) {
	indexed, err := c.Planner(snap).Stored().Indexed(to)
	if err != nil {
		return nil, err
	}
	carried, err := c.Tables.Carried(ctx, indexed, c.Values(ctx))
	return func(item *store.Item) (err error) {
		if first != nil {
			err = first(item)
		}
		if err == nil {
			item.Values, err = carried(item.Values)
		}
		return err
	}, err
}

// space copies the items of a space, which are changed.
func (i *items) space(ctx context.Context, from, to *store.Space, changed change) error {
	scan := &store.Scan{Columns: make([]int, len(from.Columns)), Stats: &store.Stats{}}
	for n := range scan.Columns {
		scan.Columns[n] = n
	}
	var keys []store.Key // of the rows that come next
	scan.Keys = func(k store.Key) { keys = append(keys, k) }
	for batch, err := range i.read.Scan(ctx, from, scan) {
		if err != nil {
			return fmt.Errorf("copying a database: %w", err)
		}
		for n := range batch.Len() {
			key, ok := keyIn(from, to, keys[n])
			if !ok {
				return sqlerr.New(sqlerr.DataCorrupted, "a key of space %q is damaged", from.Name)
			}
			item := store.Item{Key: key, Values: batch.Row(n)}
			if changed != nil {
				if err := changed(&item); err != nil {
					return err
				}
			}
			if err := i.write.Put(to, item, store.Always); err != nil {
				return err
			}
		}
		keys = slices.Delete(keys, 0, batch.Len())
	}
	return nil
}

// keyIn is the key in a space of the item at a key of another one: the same, but for what tells in a host that items
// are of the space. False: it is no key of the other space.
func keyIn(from, to *store.Space, k store.Key) (store.Key, bool) {
	if from.Host == nil {
		return k, true
	}
	whole := from.Host.In(to.Host, slices.Concat(k.Partition, k.Sort))
	switch {
	case whole == nil:
		return store.Key{}, false
	case len(k.Sort) == 0:
		return store.Key{Partition: whole}, true
	}
	return store.Key{Partition: whole[:len(k.Partition)], Sort: whole[len(k.Partition):]}, true
}
