package transaction

import (
	"context"

	"zproxy/session/settings"
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
	return all && v.deferrable() || !all && c.of.Settings.ConsistentStatements, all
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

// Validate looks whether what the query that has run has read is of one state.
func (v Consistency) Validate(ctx context.Context) error {
	if v.c.Txn() == nil {
		return nil
	}
	return v.c.Txn().Validate(ctx)
}

// Again lets a query run once more whose reads were not of one state. It says false where rows were sent that must be
// of the same state.
func (v Consistency) Again() bool {
	if v.c.Fixed() && v.c.Answered {
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
