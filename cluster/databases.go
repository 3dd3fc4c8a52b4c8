package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/lock"
	"zproxy/store"
)

// vacateWait is how long sessions of other processes may take to leave a database.
const vacateWait = 5 * time.Second

// Vacate keeps other processes from a database until the change of a transaction ends, and waits until no session of
// theirs uses it. They end such sessions if that is wanted; otherwise others is how many go on.
func Vacate(ctx context.Context, t *Transaction, database uint32, end bool) (others int, err error) {
	c, err := t.Changes(ctx)
	if err != nil || t.node.shared == nil {
		return 0, err
	}
	member := t.node.shared.member
	if err := (objectLocks{t}).announce(ctx); err != nil {
		return 0, err
	}
	keep := member.Freeze
	if end {
		keep = member.CloseTable
	}
	for {
		err := confirmed(t.owner.Wait(ctx), func(ctx context.Context) error {
			ctx, stop := context.WithTimeout(ctx, vacateWait)
			defer stop()
			return keep(ctx, database)
		})
		if err == nil || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			c.frozen[database] = end
			return 0, err
		}
		living, err := member.Living(ctx)
		if err != nil {
			return 0, err
		}
		for _, m := range living {
			if m.ID != member.ID() {
				others += m.Sessions
			}
		}
		if others > 0 {
			return others, nil
		}
	}
}

// Standing is the catalog of a database that goes on to have the same tables until the transaction ends: nothing drops
// or alters one. Others may read it, also to copy it.
func Standing(ctx context.Context, t *Transaction, database uint32) (*catalog.Snapshot, error) {
	locks := objectLocks{t}
	if err := locks.lock(ctx, objectTag(pgDatabase, database), lock.Share); err != nil {
		return nil, err
	}
	for {
		snap := t.node.Whole().In(database)
		for _, table := range snap.Tables() {
			if _, err := t.owner.Locks().Acquire(t.owner.Wait(ctx), lock.Relation(table.ID), lock.AccessShare,
				lock.Block); err != nil {
				return nil, err
			}
		}
		if snap == t.node.Whole().In(database) {
			return snap, nil
		}
	}
}

// MakeDatabase puts a database into the catalog, which begins with some objects. Their spaces are there.
func MakeDatabase(ctx context.Context, t *Transaction, d *catalog.Database, objects []catalog.Object) error {
	if err := t.Put(ctx, d); err != nil {
		return err
	}
	return t.edit(ctx, func(c *Change, txn store.Txn) error {
		for _, o := range objects {
			if err := catalogstore.Put(txn, d.ID, o); err != nil {
				return err
			}
			if table, ok := o.(*catalog.Table); ok {
				if err := catalogstore.PutSketches(txn, nil, table); err != nil {
					return err
				}
			}
		}
		c.made = append(slices.Clip(c.made), madeDatabase{d.ID, objects})
		return nil
	})
}

// RemoveDatabase takes the database of a transaction, which nothing else uses, out of the catalog, with all that is in
// it.
func RemoveDatabase(ctx context.Context, t *Transaction) error {
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	objects := append(c.Snap.Objects(), c.Snap.Database())
	for _, table := range c.Snap.Tables() {
		c.frozen[table.ID] = true // with the database
	}
	if err := t.Remove(ctx, objects...); err != nil {
		return err
	}
	txn, err := t.Store(ctx, true)
	if err != nil {
		return err
	}
	if err := removeLarge(ctx, t); err != nil {
		return err
	}
	return catalogstore.Forget(txn, t.node.database, &catalog.Schema{ID: catalog.PublicID})
}
