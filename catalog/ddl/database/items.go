package database

import (
	"context"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/budget"
	"zproxy/types"
)

// items copies items of spaces to new ones, which nothing reads yet.
type items struct {
	read, write store.Txn
	// carried makes items of rows that carry keys, nil where none do.
	carried func(types.Row) (types.Row, error)
}

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
	if i.carried = nil; len(rows.Carries) > 0 {
		indexed, err := c.Planner(snap).Stored().Indexed(to)
		if err == nil {
			i.carried, err = c.Tables.Carried(ctx, indexed, c.Values(ctx))
		}
		if err != nil {
			return err
		}
	}
	if err := i.space(ctx, from.TableSpace(), rows); err != nil {
		return err
	}
	i.carried = nil
	for n := range to.Indexes {
		x := &to.Indexes[n]
		if x.Follows || !x.State.Reads() {
			continue
		}
		if err := i.space(ctx, from.IndexSpace(&from.Indexes[n]), to.IndexSpace(x)); err != nil {
			return err
		}
	}
	return nil
}

// space copies the items of a space.
func (i *items) space(ctx context.Context, from, to *store.Space) error {
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
			item := store.Item{Values: batch.Row(n)}
			ok := false
			if item.Key, ok = keyIn(from, to, keys[n]); !ok {
				return sqlerr.New(sqlerr.DataCorrupted, "a key of space %q is damaged", from.Name)
			}
			if i.carried != nil {
				if item.Values, err = i.carried(batch.Row(n)); err != nil {
					return err
				}
			}
			if err := i.write.Put(to, item, store.Always); err != nil {
				return err
			}
		}
		keys = append(keys[:0], keys[batch.Len():]...)
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
