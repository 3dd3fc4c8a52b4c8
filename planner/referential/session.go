package referential

import (
	"context"
	"slices"
	"strconv"

	"zproxy/catalog/reference"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Session is the part of a session in keeping foreign keys.
type Session interface {
	// Checks says whether keys are kept at all: a session that writes what another one has checked needs not.
	Checks() bool
	// Deferred says whether the transaction checks a constraint with a number only when it ends.
	Deferred(id uint32, t reference.Timing) bool
	// Defer keeps keys that are then to be checked: those that rows refer to, or which rows of the parent have had.
	Defer(r *plan.Reference, vacated bool, keys []types.Row) error
	// DeferUnique keeps keys of a unique index of a table that are then to be checked.
	DeferUnique(table, index uint32, keys []types.Row) error
	// Run runs a statement of this package about some keys, with all that follows from it, and gives its rows.
	Run(ctx context.Context, s Statement) ([]types.Row, error)
}

// Given are the keys as values of the columns.
func (s *Statement) Given() []types.Row {
	if !slices.ContainsFunc(s.Cols, func(c plan.Column) bool { return c.Type.OID.Collates() }) {
		return s.Keys
	}
	out := make([]types.Row, len(s.Keys))
	for i, key := range s.Keys {
		out[i] = slices.Clone(key)
		for j, c := range s.Cols {
			out[i][j] = c.Type.Within(key[j])
		}
	}
	return out
}

// Kind tells statements with other columns from each other.
func (s *Statement) Kind() string {
	kind := []byte(s.Text)
	for _, c := range s.Cols {
		kind = strconv.AppendUint(append(kind, ' '), uint64(c.Type.OID), 10)
	}
	return string(kind)
}

// Statement is a statement about the rows of a table that refers, to which some keys are given.
type Statement struct {
	Of   *plan.Reference
	Text string
	Cols []plan.Column
	Keys []types.Row
	// Writes says that it writes the rows which refer, and Vacated that rows of the parent have had the keys.
	Writes, Vacated bool
}
