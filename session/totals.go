package session

import (
	"context"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/failure"
	"zproxy/metrics"
	"zproxy/session/hotkeys"
	"zproxy/session/observe"
	"zproxy/session/statement"
	"zproxy/store"
)

// Ready says whether the store answers a small read.
func (db *DB) Ready(ctx context.Context) error {
	txn, err := db.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	return catalogstore.Probe(ctx, txn)
}

// Hot tells where the store refuses requests, and which keys this process asks for most often.
func (db *DB) Hot() ([]metrics.HotPartition, []metrics.HotKey) {
	of := hotkeys.Source{Catalog: db.Whole(), Meter: db.Heat, Shows: func(*catalog.Table) bool { return true }}
	return failure.HotPartitions(db.Whole(), db.Store), of.Hottest()
}

// Totals sums up what all statements took since the start.
func (db *DB) Totals() *metrics.Summary { return db.observed.Totals.Read() }

// Statements lists what the statements took, by their texts and users.
func (db *DB) Statements() []metrics.Statement { return db.observed.Statements.Read() }

// StatementsDropped is how many texts made room for others in Statements.
func (db *DB) StatementsDropped() int64 { return db.observed.Statements.Dropped() }

// StatementCache tells how often the cache had the plan of a statement and how often not, and how many bytes it has.
func (db *DB) StatementCache() (hits, misses, bytes int64) {
	bytes = db.kept.budget.used.Load() + db.ownKept.used.Load()
	return db.cacheCounts.hits.Load(), db.cacheCounts.misses.Load(), bytes
}

// ResetStatements forgets what Statements lists.
func (db *DB) ResetStatements() { db.observed.Statements.Reset() }

// resetStatements is ResetStatements for those who may.
func (r *reach) resetStatements() error {
	if !r.user.Superuser() {
		return statement.Denied("permission denied for function pg_stat_statements_reset")
	}
	r.db.ResetStatements()
	return nil
}

// ends counts the statement that runs, which has ended at the time that it gives; that of a portal may go on.
func (s *Session) ends(p *Portal, o Outcome, err error) time.Time {
	s.limitTransaction() // which the statement may have set
	ended := observe.Ended{Rows: o.Count, Counted: o.Counted, Suspended: o.Suspended, Err: err}
	if p == nil {
		return s.running.End(ended, nil)
	}
	return s.running.End(ended, &p.sofar)
}
