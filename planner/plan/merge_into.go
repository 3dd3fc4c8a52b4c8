package plan

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
)

// MergeInto writes rows of a table by the rows of its input, whose columns are those of the table in order and then
// those of the source. Those of the table are all NULL in a row of the source that matches none. The first of Whens
// that suits a row says what is done with it. It counts the rows that it writes.
type MergeInto struct {
	Input   Node
	Table   *catalog.Table
	Recheck expr.Expr // over the input, as that of LockRows: whether rows match
	Whens   []MergeWhen
	// Present is the ordinal of a column of the source that is NULL in a row of the table which none of the source
	// matches; 0: there are no such rows.
	Present int
	Written
	Returning []expr.Expr // over the input with the row as it is written, and the word for what was done behind it
	Cols      []Column
}

// MergeWhen is what is done with a row that matches, or with one that does not, if Cond, over the input, is true.
type MergeWhen struct {
	Matched  bool
	BySource bool      // the row is one of the table that none of the source matches
	Cond     expr.Expr // nil: always
	Do       MergeAction
	Set      []Assignment
	Row      []expr.Expr // the row that is inserted
}

// MergeAction is what is done with a row.
type MergeAction uint8

// The actions.
const (
	MergeNothing MergeAction = iota
	MergeInsert
	MergeUpdate
	MergeDelete
)

// String is the word that merge_action() gives for it.
func (a MergeAction) String() string {
	return [...]string{"DO NOTHING", "INSERT", "UPDATE", "DELETE"}[a]
}

func (MergeInto) node() {}

// Inputs implements Node.
func (n MergeInto) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n MergeInto) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n MergeInto) Columns() []Column { return n.Cols }

// Keeps is as that of an Insert.
func (n MergeInto) Keeps() Indexed { return n.keeps(n.Table) }

// Inserts is the Insert that writes the rows which match none.
func (n MergeInto) Inserts() Insert {
	return Insert{Input: n.Input, Table: n.Table, Written: n.Written}
}

func (m *mapping) mergeInto(n MergeInto) MergeInto {
	n.Recheck, n.Checks, n.Returning = m.one(n.Recheck), m.checks(n.Checks), m.list(n.Returning)
	whens := make([]MergeWhen, len(n.Whens))
	for i, w := range n.Whens {
		w.Cond, w.Set, w.Row = m.one(w.Cond), m.set(w.Set), m.list(w.Row)
		whens[i] = w
	}
	n.Whens, n.Partitions = whens, m.partitions(n.Partitions)
	return n
}

// Does says whether the node may do something with rows.
func (n MergeInto) Does(do MergeAction) bool {
	return slices.ContainsFunc(n.Whens, func(w MergeWhen) bool { return w.Do == do })
}

// Sets are the columns that it may set of rows.
func (n MergeInto) Sets() (out []int) {
	for _, w := range n.Whens {
		for _, a := range w.Set {
			out = append(out, a.Column)
		}
	}
	return out
}
