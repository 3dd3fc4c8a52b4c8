// Package observe counts the resources that the statements of a session use: in total, by their texts, and in the
// log. It does not know how they run; all reads of the session meanwhile count for the current statement.
//
// Read `Running` first. The counters and their names are in metrics.
package observe

import (
	"cmp"
	"errors"
	"log/slog"
	"math"
	"slices"
	"time"

	"zproxy/metrics"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
)

// Subject is the statement that runs are counted for.
type Subject struct {
	Kind metrics.Kind
	Text string // as it was sent; empty: no statement that a client sent
	id   uint64 // of the text; 0: not asked for yet
	at   *metrics.Entry
}

// SubjectOf is that of a statement. Its text may be a part of what was sent.
func SubjectOf(parsed *ast.Parsed, text string) Subject {
	if parsed.Text != "" {
		text = parsed.Text
	}
	return Subject{Kind: kindOf(parsed.Statement), Text: text}
}

// Identify finds the number of the text, before several sessions use the subject.
func (s *Subject) Identify() {
	if s.id == 0 {
		s.id = parser.Fingerprint(s.Text)
	}
}

// Like is the subject of a text that differs from others of this subject in literals alone.
func (s *Subject) Like(text string) Subject {
	if s.id == 0 {
		s.id = parser.Fingerprint(text)
	}
	other := *s
	other.Text = text
	return other
}

// kindOf is the kind that a statement is counted as.
func kindOf(tree ast.Statement) metrics.Kind {
	switch tree.(type) {
	case *ast.Select:
		return metrics.Select
	case *ast.Insert:
		return metrics.Insert
	case *ast.Update, *ast.Merge:
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

// Shared is what the statements of all sessions are counted in.
type Shared struct {
	Totals     metrics.Totals
	Statements *metrics.Statements
	Log        *slog.Logger
	Clock      func() time.Time
}

// Running is the statement that a session runs. Whatever the session reads meanwhile is counted for it, also for a
// portal that was opened before.
type Running struct {
	Shared         *Shared
	User, Database string
	Settings       *settings.Settings
	// Waited is how long the session has waited for locks.
	Waited func() time.Duration

	Own       Subject // of a statement that is not prepared yet
	Of        *Subject
	Used      plan.NodeProfile
	Conflicts int64
	expected  expectation
	began     time.Time
	waited    time.Duration // for locks, before
}

// Start begins to count for a statement.
func (r *Running) Start(of *Subject, now time.Time) {
	r.Of, r.began, r.waited, r.Conflicts = of, now, r.Waited(), 0
	r.Used, r.expected = plan.NodeProfile{}, expectation{}
}

// judgedKinds are the kinds of statements of which it is kept how right their estimates were.
var judgedKinds = []metrics.Kind{metrics.Select, metrics.Insert, metrics.Update, metrics.Delete}

// Judges says whether it is of use to know what a run of a statement is expected to take.
func (r *Running) Judges(of *Subject) bool {
	return r.Of == of && slices.Contains(judgedKinds, of.Kind)
}

// expectation is how many rows a statement is expected to return or write, and how many read units to be charged.
type expectation struct {
	known       bool
	rows, units float64
}

// Expect notes how many rows the statement is expected to return or write, and how many read units to be charged.
func (r *Running) Expect(rows, units float64) { r.expected = expectation{true, rows, units} }

// StartNew begins to count for one that is not prepared yet.
func (r *Running) StartNew(own Subject, now time.Time) {
	r.Own = own
	r.Start(&r.Own, now)
}

// Now is when the statement that runs began.
func (r *Running) Now() time.Time {
	if r.began.IsZero() {
		return r.Shared.Clock()
	}
	return r.began
}

// Ended is how a statement ended, or that it was suspended.
type Ended struct {
	Rows      int64
	Counted   bool // Rows is a number of rows
	Suspended bool // it goes on in another message
	Err       error
}

// End counts a statement that has ended at the time that it gives. What one that is to go on has taken is kept in sofar
// until it ends, too; nil: it cannot go on.
func (r *Running) End(e Ended, sofar **metrics.Run) time.Time {
	now := r.Shared.Clock()
	run := metrics.Run{Kind: r.Of.Kind, Duration: now.Sub(r.began), Usage: r.Usage()}
	if e.Counted && !e.Suspended {
		run.Expected, run.ExpectedRows, run.ExpectedUnits = r.expected.known, r.expected.rows, r.expected.units
	}
	if e.Counted || e.Suspended {
		run.Usage[metrics.RowsReturned] = e.Rows
	}
	if e.Err != nil {
		run.State = string(sqlerr.From(e.Err).Code)
	}
	if sofar != nil && *sofar != nil {
		run.Duration += (*sofar).Duration
		run.Usage.Add(&(*sofar).Usage)
		*sofar = nil
	}
	if e.Suspended {
		*sofar = run.Clone()
		return now
	}
	r.count(r.Of, &run, now)
	return now
}

// Abandon counts a statement that was closed before it had sent all its rows; nil: it had.
func (r *Running) Abandon(of *Subject, sofar *metrics.Run) {
	if sofar != nil {
		r.count(of, sofar, r.Shared.Clock())
	}
}

// count counts a run for all who want to know of it.
func (r *Running) count(of *Subject, run *metrics.Run, now time.Time) {
	r.Shared.Totals.Add(run)
	if of.Text == "" {
		return
	}
	if of.id == 0 {
		of.id = parser.Fingerprint(of.Text)
	}
	of.at = r.Shared.Statements.Add(of.at, &metrics.Call{ID: of.id, User: r.User, Text: of.Text,
		Normalize: parser.Normalize, Now: now}, run)
	switch limit := r.Settings.LogMinDuration; {
	case limit >= 0 && run.Duration >= limit:
		r.log("slow statement", of, run)
	case logs(r.Settings.LogStatement, of.Kind):
		r.log("statement", of, run)
	case r.Settings.LogDuration:
		r.Shared.Log.Info("duration", "duration", run.Duration, "user", r.User, "database", r.Database,
			"application_name", r.Settings.ApplicationName, "sqlstate", stateOf(run))
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

// log writes the line of a statement. It has no value, no parameter and no password in it.
func (r *Running) log(message string, of *Subject, run *metrics.Run) {
	r.Shared.Log.Info(message, "duration", run.Duration, "statement", parser.Normalize(of.Text),
		"user", r.User, "database", r.Database, "application_name", r.Settings.ApplicationName,
		"rows_read", run.Usage[metrics.RowsRead], "rows_returned", run.Usage[metrics.RowsReturned],
		"requests", run.Usage[metrics.Requests], "sqlstate", stateOf(run))
}

// Usage is what the statement has taken so far.
func (r *Running) Usage() metrics.Usage {
	n := &r.Used
	return metrics.Usage{
		metrics.RowsRead: n.Stats.Items, metrics.KeysRead: n.Stats.Examined, metrics.BytesRead: n.Stats.Bytes,
		metrics.Scans: n.Scans, metrics.Ranges: n.Ranges, metrics.Requests: n.Stats.Requests,
		metrics.Lookups:      n.Lookups,
		metrics.ItemsWritten: n.Writes, metrics.BytesWritten: n.Written, metrics.BytesSpilled: n.Spilled,
		metrics.LockWait:  int64(r.Waited() - r.waited),
		metrics.Conflicts: r.Conflicts, metrics.Throttled: n.Stats.Throttled,
		metrics.ReadHalves:  int64(math.Round(2 * n.Stats.ReadUnits)),
		metrics.WriteHalves: int64(math.Round(2 * n.Stats.WriteUnits)),
	}
}

// Meet notes an error of a statement or a commit if it is a conflict.
func (r *Running) Meet(err error) {
	if errors.Is(err, store.ErrConflict) {
		r.Conflicts++
	}
}
