package session

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"zproxy/catalog/catalogstore"
	"zproxy/cluster/failure"
	"zproxy/metrics"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/store"
)

// subject is the statement that runs are counted for.
type subject struct {
	kind metrics.Kind
	text string // as it was sent; empty: no statement that anybody sent
	id   uint64 // of the text; 0: not asked for yet
	at   *metrics.Entry
}

// subjectOf is that of a statement. Its text may be a part of what was sent.
func subjectOf(parsed *ast.Parsed, text string) subject {
	if parsed.Text != "" {
		text = parsed.Text
	}
	return subject{kind: kindOf(parsed.Statement), text: text}
}

// kindOf is the kind that a statement is counted as.
func kindOf(tree ast.Statement) metrics.Kind {
	switch tree.(type) {
	case *ast.Select:
		return metrics.Select
	case *ast.Insert:
		return metrics.Insert
	case *ast.Update:
		return metrics.Update
	case *ast.Delete:
		return metrics.Delete
	case *ast.Copy:
		return metrics.Copy
	case *ast.Explain:
		return metrics.Explain
	case *ast.Transaction:
		return metrics.Transaction
	case *ast.Set, *ast.Show, *ast.Discard:
		return metrics.Setting
	case *ast.DeclareCursor, *ast.Fetch, *ast.CloseCursor:
		return metrics.Cursor
	case *ast.Prepare, *ast.ExecutePrepared, *ast.Deallocate:
		return metrics.Prepared
	case *ast.Analyze, *ast.LockTable, *ast.Unlisten, *ast.ShowIndex, *ast.CheckIndex:
		return metrics.Other
	}
	return metrics.Definition
}

// running is the statement that a session runs. Whatever the session reads meanwhile is
// counted for it, also for a portal that was opened before.
type running struct {
	own       subject // of a statement that is not prepared yet
	of        *subject
	began     time.Time
	used      plan.NodeProfile
	conflicts int64
}

// starts begins to count for a statement.
func (s *Session) starts(of *subject, now time.Time) {
	r := &s.running
	r.of, r.began, r.conflicts = of, now, 0
	r.used = plan.NodeProfile{}
}

// now is when the statement that runs began.
func (s *Session) now() time.Time {
	if s.running.began.IsZero() {
		return s.db.now()
	}
	return s.running.began
}

// startsNew begins to count for one that is not prepared yet.
func (s *Session) startsNew(own subject, now time.Time) {
	s.running.own = own
	s.starts(&s.running.own, now)
}

// ends counts a statement that has ended at the time that it gives. What a portal that is
// to go on has taken is kept until it ends, too.
func (s *Session) ends(p *Portal, o Outcome, err error) time.Time {
	now := s.db.now()
	r := metrics.Run{Kind: s.running.of.kind, Duration: now.Sub(s.running.began), Usage: s.running.usage()}
	if o.Counted || o.Suspended {
		r.Usage[metrics.RowsReturned] = o.Count
	}
	if err != nil {
		r.State = string(sqlerr.From(err).Code)
	}
	if p != nil && p.sofar != nil {
		r.Duration += p.sofar.Duration
		r.Usage.Add(&p.sofar.Usage)
		p.sofar = nil
	}
	if o.Suspended {
		p.sofar = r.Clone()
		return now
	}
	s.count(s.running.of, &r, now)
	return now
}

// abandoned counts a portal that was closed before it had sent all its rows.
func (s *Session) abandoned(p *Portal) {
	if p.sofar != nil {
		s.count(&p.statement.subject, p.sofar, s.db.now())
	}
}

// count counts a run for all who want to know of it.
func (s *Session) count(of *subject, r *metrics.Run, now time.Time) {
	s.db.totals.Add(r)
	if of.text == "" {
		return
	}
	if of.id == 0 {
		of.id = parser.Fingerprint(of.text)
	}
	of.at = s.db.statements.Add(of.at, &metrics.Call{ID: of.id, User: s.user, Text: of.text,
		Normalize: parser.Normalize, Now: now}, r)
	switch limit := s.settings.LogMinDuration; {
	case limit >= 0 && r.Duration >= limit:
		s.logStatement("slow statement", of, r)
	case logs(s.settings.LogStatement, of.kind):
		s.logStatement("statement", of, r)
	case s.settings.LogDuration:
		s.db.Log.Info("duration", "duration", r.Duration, "user", s.user, "database", s.database, "application_name",
			s.settings.ApplicationName, "sqlstate", stateOf(r))
	}
}

// logs says whether log_statement wants statements of a kind.
func logs(wanted string, k metrics.Kind) bool {
	switch wanted {
	case "ddl":
		return k == metrics.Definition
	case "mod":
		return slices.Contains([]metrics.Kind{metrics.Definition, metrics.Insert, metrics.Update, metrics.Delete,
			metrics.Copy}, k)
	}
	return wanted == "all"
}

// stateOf is the SQLSTATE that a run ended with.
func stateOf(r *metrics.Run) string { return cmp.Or(r.State, string(sqlerr.SuccessfulCompletion)) }

// Ready says whether the store answers a small read.
func (db *DB) Ready(ctx context.Context) error {
	txn, err := db.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	return catalogstore.Probe(ctx, txn)
}

// HotPartitions are those that the store tells, the worst first; none if it tells nothing.
func (db *DB) HotPartitions() []metrics.HotPartition {
	return failure.HotPartitions(db.Snapshot(), db.Store)
}

// Totals sums up what all statements took since the start.
func (db *DB) Totals() *metrics.Summary { return db.totals.Read() }

// Statements lists what the statements took, by their texts and users.
func (db *DB) Statements() []metrics.Statement { return db.statements.Read() }

// StatementsDropped is how many texts made room for others in Statements.
func (db *DB) StatementsDropped() int64 { return db.statements.Dropped() }

// ResetStatements forgets what Statements lists.
func (db *DB) ResetStatements() { db.statements.Reset() }

// resetStatements is ResetStatements for those who may.
func (s *Session) resetStatements() error {
	if !s.superuser() {
		return statement.Denied("permission denied for function pg_stat_statements_reset")
	}
	s.db.ResetStatements()
	return nil
}

// logStatement writes the line of a statement. It has no value, no parameter and no password in it.
func (s *Session) logStatement(message string, of *subject, r *metrics.Run) {
	s.db.Log.Info(message, "duration", r.Duration, "statement", parser.Normalize(of.text),
		"user", s.user, "database", s.database, "application_name", s.settings.ApplicationName,
		"rows_read", r.Usage[metrics.RowsRead], "rows_returned", r.Usage[metrics.RowsReturned],
		"requests", r.Usage[metrics.Requests], "sqlstate", stateOf(r))
}

// usage is what the statement has taken so far.
func (r *running) usage() metrics.Usage {
	n := &r.used
	return metrics.Usage{
		metrics.RowsRead: n.Stats.Items, metrics.KeysRead: n.Stats.Examined, metrics.BytesRead: n.Stats.Bytes,
		metrics.Scans: n.Scans, metrics.Ranges: n.Ranges, metrics.Requests: n.Stats.Requests,
		metrics.Lookups:      n.Lookups,
		metrics.ItemsWritten: n.Writes, metrics.BytesWritten: n.Written, metrics.BytesSpilled: n.Spilled,
		metrics.Conflicts: r.conflicts, metrics.Throttled: n.Stats.Throttled,
		metrics.ReadHalves:  int64(math.Round(2 * n.Stats.ReadUnits)),
		metrics.WriteHalves: int64(math.Round(2 * n.Stats.WriteUnits)),
	}
}

// meets notes an error of a commit if it is a conflict.
func (r *running) meets(err error) {
	if errors.Is(err, store.ErrConflict) {
		r.conflicts++
	}
}
