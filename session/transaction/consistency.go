package transaction

import (
	"context"
	"errors"

	"zproxy/session/settings"
	"zproxy/store"
)

// Consistency is how the queries of a transaction see one state of a store that has no snapshots: what they have read
// is read again.
type Consistency struct{ c *Current }

// Consistency is that of the transaction.
func (c *Current) Consistency() Consistency { return Consistency{c} }

// validated says whether the reads of each query, and those of all the transaction, must be shown to be of one state.
func (v Consistency) validated() (query, all bool) {
	c := v.c
	if c.of.Node.Store.Capabilities().Snapshots {
		return false, false
	}
	all = c.Fixed()
	return c.of.Settings.ConsistentStatements || all && v.deferrable(), all
}

// OfQueries says whether a query must find all that it reads of one state before its rows are sent: it is asked for,
// or the transaction must not fail for it later.
func (v Consistency) OfQueries() bool {
	query, _ := v.validated()
	return query
}

// Any says whether reads are noted and read again.
func (v Consistency) Any() bool {
	query, all := v.validated()
	return query || all
}

// Validate looks whether what has been read is of one state, and gives the conflict if it is not: a query that failed
// may have failed for that alone. Otherwise its error, or nil, remains.
func (v Consistency) Validate(ctx context.Context, failed error) error {
	if v.c.Txn() == nil || failed != nil && (errors.Is(failed, store.ErrConflict) || ctx.Err() != nil) {
		return failed
	}
	if err := v.c.Txn().Validate(ctx); failed == nil || errors.Is(err, store.ErrConflict) {
		return err
	}
	return failed
}

// Cause is Validate for the error of any statement, if all the transaction must be of one state.
func (v Consistency) Cause(ctx context.Context, failed error) error {
	if _, all := v.validated(); all {
		return v.Validate(ctx, failed)
	}
	return failed
}

// Again lets a query run once more whose reads were not of one state. It says false where the transaction has sent or
// written rows that must be of the same state.
func (v Consistency) Again() bool {
	if c := v.c; c.Fixed() && (c.Answered || c.Wrote != nil || c.Large || c.locked != nil) {
		return false
	}
	v.c.Refresh()
	return true
}

// deferrable says whether the transaction rather waits than fails.
func (v Consistency) deferrable() bool {
	level, _ := v.c.of.Settings.Get(settings.IsolationName)
	deferred, _ := v.c.of.Settings.Get(settings.DeferrableName)
	return level == "serializable" && deferred == "on" && v.c.ReadOnly()
}
