// Package analyze renews the statistics of tables in the background of a process, as PostgreSQL's autovacuum does:
// where enough rows were changed since they were made, and soon where a table has none. It also stores the counts of
// changes, so that they outlive the process. Reading is executor's matter, and what ANALYZE does as a statement is in
// catalog/ddl/index.
//
// Read Analyzer first, then look, then save.
package analyze

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/autovacuum"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/eventual"
)

const (
	// look is how often the counts of changes are looked at. A table without statistics, or one that has doubled, does
	// not wait for the next round.
	look = time.Second
	// patience is how long statistics wait for a lock before they are thrown away: others change the table.
	patience = time.Second
)

// Analyzer renews the statistics of the tables of a process.
type Analyzer struct {
	Node   *cluster.Node
	Tables *executor.Tables
	Now    func() time.Time
	// Every is how long it rests between two rounds through all tables; 0: there are none.
	Every time.Duration
	// Limits say how many rows must have changed since the statistics of a table were made, if it has no limits itself.
	autovacuum.Limits
	Units int64 // that reading a table may take, where the store charges them; 0: any number

	once  sync.Once
	round time.Time            // of the last one through all tables
	rest  map[uint32]time.Time // until when tables are left alone of which the last try has failed
	empty map[uint32]int64     // how many rows of tables had been changed when they had none and were not known
	sizes map[uint32]measured  // of tables without statistics

	recalled bool // the counts of changes that are stored
}

// Start begins to look, once.
func (a *Analyzer) Start() {
	if a.Every == 0 {
		return
	}
	a.once.Do(func() {
		a.round, a.rest, a.empty = a.Now(), map[uint32]time.Time{}, map[uint32]int64{}
		a.Node.Background.Run(func(ctx context.Context) {
			a.Node.Background.Again(ctx, look, a.look)
			a.end(ctx)
		})
	})
}

// look renews the statistics that it is time for, and stores the counts of changes.
func (a *Analyzer) look(ctx context.Context) {
	a.recall(ctx)
	a.Measure(ctx)
	now := a.Now()
	all := now.Sub(a.round) >= a.Every
	if all {
		a.round = now
	}
	for _, t := range a.Node.Snapshot().Tables() {
		if now.Before(a.rest[t.ID]) || !a.wants(t, all) {
			continue
		}
		err := a.renew(ctx, t.ID)
		if ctx.Err() != nil || errors.Is(err, store.ErrClosed) {
			return
		}
		if err == nil {
			continue
		}
		a.rest[t.ID] = now.Add(a.Every)
		if !errors.Is(err, store.ErrConflict) && !sqlerr.Has(err, sqlerr.LockNotAvailable) { // others change the table
			a.Node.Log.Warn("renewing statistics", "table", t.Name, "error", err)
		}
	}
	if all {
		a.save(ctx, a.telling)
	}
}

// wants says whether the statistics of a table are to be renewed: in a round through all if they are old, and else if
// they are far off.
func (a *Analyzer) wants(t *catalog.Table, all bool) bool {
	limits, on := a.Of(t.Options)
	if !on || !ours(t) {
		return false
	}
	changed := a.Node.Tally.Since(t.ID, t.Stats.Made()).Total()
	if !t.Stats.Known {
		was, empty := a.empty[t.ID]
		return changed > was || all && !empty
	}
	if !all {
		limits.Scale = math.Max(limits.Scale, 1)
	}
	return changed > 0 && float64(changed) >= limits.Threshold+limits.Scale*t.Stats.Rows
}

// ours says whether the process watches how a table changes. The rows of foreign tables are for others to change, and
// those of temporary ones for one session.
func ours(t *catalog.Table) bool {
	return t.Kept() && !strings.HasPrefix(t.Schema, catalog.TemporaryPrefix)
}

// renew reads a table and keeps what it learns, unless the table has changed meanwhile.
func (a *Analyzer) renew(ctx context.Context, id uint32) error {
	txn, schema, err := a.Node.Begin(ctx, store.Mode{ReadOnly: true, Eventual: eventual.Always})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(id).(*catalog.Table)
	if t == nil {
		return nil
	}
	// Rows that are written while the table is read are changes since then.
	began, then, changed := a.Now(), a.Node.Tally.Total(id), a.Node.Tally.Since(id, t.Stats.Made()).Total()
	by := executor.Reading{Units: float64(a.Units), Extended: schema.Statistics(t.ID)}.On(a.Node.Store)
	if by.Computed, err = stored.In(schema).Computed(t); err != nil {
		return err
	}
	survey, err := executor.Statistics(ctx, txn, a.Tables, t, by)
	if err != nil {
		return err
	}
	stats := survey.Stats
	if stats.Rows == 0 && !t.Stats.Known { // of nothing there is nothing to be known for long
		a.empty[id] = changed
		return nil
	}
	indexed, err := stored.In(schema).Indexed(t)
	if err == nil {
		err = survey.Learn(indexed, &stats)
	}
	if err != nil {
		return err
	}
	stats.Analyzed, stats.Renewed = t.Stats.Analyzed, began
	kept, err := a.keep(ctx, t, stats)
	if err == nil && kept {
		a.Node.Tally.Made(id, began, then)
		a.Node.Log.Debug("renewed statistics", "table", t.Name, "rows", stats.Rows)
	}
	return err
}

// keep makes statistics those of a table, unless it is another one by now or others have been faster.
func (a *Analyzer) keep(ctx context.Context, was *catalog.Table, stats catalog.Stats) (kept bool, err error) {
	w := a.Node.NewWorker(a.Now)
	w.Patience = patience
	defer w.End()
	t := cluster.NewTransaction(a.Node, w)
	defer t.End()
	err = cluster.WithTable(ctx, &t, was.ID, func(now *catalog.Table) error {
		kept = now != nil && now.Space == was.Space && now.Version == was.Version &&
			now.Stats.Made().Equal(was.Stats.Made())
		if !kept {
			return nil
		}
		next := *now
		next.Stats = stats
		return t.Put(ctx, &next)
	})
	if err == nil && kept {
		err = t.Commit(ctx)
	}
	return err == nil && kept, err
}
