package analyze

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/tally"
	"zproxy/store"
)

// lastWords is how long the end of the process waits for the counts of changes to be stored.
const lastWords = time.Second

// recall learns once what has been stored of changes, by this process before it was begun anew and by others. What is
// stored of tables that are no more is removed. The analyzer of the default database does so for all: one request
// reads what is stored.
func (a *Analyzer) recall(ctx context.Context) {
	if a.recalled || a.Node.Database() != catalog.DatabaseID {
		return
	}
	gone, err := a.stored(ctx)
	if err == nil && len(gone) > 0 {
		err = a.Node.InOwnTxn(ctx, func(txn store.Txn) error { return catalogstore.DeleteChanged(txn, gone) })
	}
	a.recalled = err == nil
	a.warn(ctx, "reading the counts of changes", err)
}

// stored learns what is stored, and gives the tables that are no more.
func (a *Analyzer) stored(ctx context.Context) (gone []uint32, err error) {
	txn, _, err := a.Node.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	err = catalogstore.EachChanged(ctx, txn, a.Node.Whole(), func(id uint32, t *catalog.Table, c catalogstore.Changed) {
		switch {
		case t == nil:
			gone = append(gone, id)
		case c.Made.Equal(t.Stats.Made()):
			a.Node.Tally.Saved(id, c.Made, tally.Changes{}, c.Changes)
			t.Stats.Growth.Saved(nil, c.Tails)
		}
	})
	return gone, err
}

// save stores what was changed of tables, as far as it is enough: so a process that ends in disorder loses little, and
// few changes cost nothing. Others add theirs to the same sum, which is learned thereby. An outcome that is not known
// may make it count twice.
func (a *Analyzer) save(ctx context.Context, enough func(t *catalog.Table, changed float64) bool) {
	for _, t := range a.Node.Snapshot().Tables() {
		if !ours(t) {
			continue
		}
		made := t.Stats.Made()
		part, tails := a.Node.Tally.Unsaved(t.ID, made), t.Stats.Growth.Unsaved()
		if part.Total() == 0 || !enough(t, float64(part.Total())) {
			continue
		}
		var sum catalogstore.Changed
		err := a.Node.InOwnTxn(ctx, func(txn store.Txn) (err error) {
			sum, err = catalogstore.AddChanged(ctx, txn, t,
				catalogstore.Changed{Space: t.Space.ID, Made: made, Changes: part, Tails: tails})
			return err
		})
		if err != nil {
			a.warn(ctx, "storing the counts of changes", err)
			return
		}
		if sum.Made.Equal(made) {
			a.Node.Tally.Saved(t.ID, made, part, sum.Changes)
			t.Stats.Growth.Saved(tails, sum.Tails)
		}
	}
}

// telling says whether so many changes of a table tell something: a tenth of those for which its statistics are
// renewed.
func (a *Analyzer) telling(t *catalog.Table, changed float64) bool {
	limits, _ := a.Of(t.Options)
	return changed >= (limits.Threshold+limits.Scale*t.Stats.Rows)/10
}

// end stores what has changed when the process ends, as far as there is time.
func (a *Analyzer) end(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer stop()
	a.save(ctx, func(*catalog.Table, float64) bool { return true })
}

// warn logs an error that nothing but its end was the cause of.
func (a *Analyzer) warn(ctx context.Context, doing string, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrClosed) {
		a.Node.Log.Warn(doing, "error", err)
	}
}
