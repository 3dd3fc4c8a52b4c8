package catalogstore

import (
	"context"
	"fmt"
	"strconv"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// Mend makes the catalog of a store in which items may be missing, or older than others, one that goes on:
// no number is given a second time, builds of indexes begin anew, and each table and index has its space. It gives
// the spaces that nothing owns.
func Mend(ctx context.Context, st store.Store) ([]store.Space, error) {
	txn, err := st.Begin(ctx, store.Mode{})
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	defer txn.Rollback()
	snap, err := Load(ctx, txn)
	if err != nil {
		return nil, err
	}
	for _, t := range snap.Tables() {
		if !t.Kept() {
			continue
		}
		if err := st.Create(ctx, t.TableSpace()); err != nil {
			return nil, fmt.Errorf("catalog: %w", err)
		}
		for i := range t.Indexes {
			if err := st.Create(ctx, t.IndexSpace(&t.Indexes[i])); err != nil {
				return nil, fmt.Errorf("catalog: %w", err)
			}
		}
	}
	if err := restartBuilds(ctx, txn); err != nil {
		return nil, err
	}
	if err := raiseID(ctx, st, txn, snap); err != nil {
		return nil, err
	}
	if err := txn.Commit(ctx); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	return Orphans(ctx, st, snap)
}

// restartBuilds lets builds read all rows again.
func restartBuilds(ctx context.Context, txn store.Txn) error {
	list, err := Builds(ctx, txn)
	if err != nil {
		return err
	}
	for _, b := range list {
		b, err := ReadBuild(ctx, txn, b.Index)
		if err != nil {
			return err
		}
		b.Space = 0 // it is of rows elsewhere
		if err := PutBuild(txn, b); err != nil {
			return err
		}
	}
	return nil
}

// raiseID lets NextID go on behind all numbers that are in use.
func raiseID(ctx context.Context, st store.Store, txn store.Txn, snap *catalog.Whole) error {
	highest := uint64(firstID)
	use := func(ids ...uint64) {
		for _, id := range ids {
			if id < 1<<31 { // others are not from NextID
				highest = max(highest, id)
			}
		}
	}
	r := &store.Scan{Columns: []int{idColumn}, Stats: &store.Stats{}}
	for batch, err := range txn.Scan(ctx, space, r) {
		if err != nil {
			return fmt.Errorf("catalog: %w", err)
		}
		for i := range batch.Len() {
			at := slotOf(uint64(batch.Row(i)[0].Int()))
			use(uint64(at.database), at.id)
		}
	}
	for _, t := range snap.Tables() {
		use(uint64(t.KeyID), t.Space.ID)
		for i := range t.Indexes {
			use(uint64(t.Indexes[i].ID), t.Indexes[i].Space.ID)
		}
	}
	spaces, err := st.Spaces(ctx)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	for _, s := range spaces {
		use(uint64(s.ID))
	}
	next, err := NextID(ctx, txn)
	if err != nil || next > highest {
		return err
	}
	return txn.Put(space, itemOf(kindCounter, 0, types.NewText(strconv.FormatUint(highest, 10)), types.Null),
		store.Unchanged)
}
