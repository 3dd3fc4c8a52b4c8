package table

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/define"
	"zproxy/catalog/trigger"
	"zproxy/cluster"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// truncate empties tables: each goes to new spaces.
func (d *Definer) truncate(ctx context.Context, tree *ast.Truncate) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	var tables []*catalog.Table
	for _, name := range tree.Tables {
		t, err := d.Planner(change.Snap).Table(name)
		if sqlerr.Has(err, sqlerr.WrongObjectType) {
			return sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", name.Name)
		}
		if err != nil {
			return err
		}
		if err := d.MustHold(change.Snap, t, catalog.MayTruncate); err != nil {
			return err
		}
		if t.Materialized != nil {
			return sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", t.Name)
		}
		if t.Foreign != nil {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot truncate foreign table %q", t.Name)
		}
		if name.Only && t.Partitioning != nil {
			return sqlerr.New(sqlerr.WrongObjectType, "cannot truncate only a partitioned table").WithHint(
				"Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.")
		}
		if tables = append(tables, t); !name.Only {
			tables = append(tables, change.Snap.Lineage(t)[1:]...)
		}
	}
	tables, err = foreignKeys{d}.truncated(tables, tree.Cascade)
	if err != nil {
		return err
	}
	var leaves, all []*catalog.Table
	for _, t := range tables {
		below := change.Snap.Leaves(t)
		leaves = append(leaves, below...)
		if all = append(all, t); t.Partitioning != nil {
			all = append(all, below...)
		}
	}
	if err := fire(ctx, d, all, trigger.Before); err != nil {
		return err
	}
	if err := emptyAll(ctx, d, leaves, tree.RestartIdentity); err != nil {
		return err
	}
	return fire(ctx, d, all, trigger.After)
}

// fire fires the triggers of tables that are emptied.
func fire(ctx context.Context, d *Definer, tables []*catalog.Table, at trigger.Timing) error {
	for _, t := range tables {
		if len(t.Triggers.Triggers) == 0 {
			continue
		}
		if err := d.Fire(ctx, t, at); err != nil {
			return err
		}
	}
	return nil
}

func emptyAll(ctx context.Context, d *Definer, leaves []*catalog.Table, restart bool) error {
	for _, t := range leaves {
		if err := d.InUse("TRUNCATE", t); err != nil {
			return err
		}
		if err := d.Empty(ctx, t); err != nil {
			return err
		}
		if restart {
			if err := d.restart(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// Empty lets a table begin anew in other spaces.
func (d *Definer) Empty(ctx context.Context, t *catalog.Table) error {
	to, err := emptied(ctx, d, t)
	if err != nil {
		return err
	}
	return d.Txn.Put(ctx, to)
}

// emptied is a table in new spaces, which have no rows. Those that it is in are retired.
func emptied(ctx context.Context, d *Definer, t *catalog.Table) (*catalog.Table, error) {
	if err := d.Txn.Alone(ctx, t); err != nil {
		return nil, err
	}
	snap := d.Txn.Changed().Snap
	t = snap.ByID(t.ID).(*catalog.Table)
	to, err := (&define.Alter{Builder: d.Builder(ctx, snap), Table: t}).Truncated()
	if err != nil {
		return nil, err
	}
	if err := d.Txn.CreateSpaces(ctx, to); err != nil {
		return nil, err
	}
	return to, d.Txn.Retire(ctx, t, cluster.SpacesOf(t)...)
}

// restart lets the sequences of a table begin anew.
func (d *Definer) restart(ctx context.Context, t *catalog.Table) error {
	for _, q := range d.Txn.Changed().Snap.Sequences() {
		if q.OwnerTable != t.ID {
			continue
		}
		if err := d.begins(ctx, q, catalogstore.State{Last: q.Start}); err != nil {
			return err
		}
	}
	return nil
}

// begins puts a sequence in a new state.
func (d *Definer) begins(ctx context.Context, q *catalog.Sequence, at catalogstore.State) error {
	if _, err := d.Txn.LockSequence(ctx, q); err != nil {
		return err
	}
	state, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	c := *q
	c.Version++
	c.State, c.From, c.FromCalled = state, at.Last, at.Called
	return d.Txn.Put(ctx, &c)
}
