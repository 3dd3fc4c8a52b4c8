package plan

import (
	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/encoding/cells"
	"zproxy/expr"
)

// Insert writes the rows of its input, whose columns are those of the table in order,
// and their index entries. It counts, and delivers Returning over the rows as they were
// written.
type Insert struct {
	Input    Node
	Table    *catalog.Table
	Conflict Conflict
	Arbiter  *catalog.Index // the unique index that Conflict is about; nil: all of them
	Primary  bool           // Conflict is about the primary key only
	// Overwrite says that of several rows with one primary key the last is written. Without ConflictUpdate, it
	// takes the place of the row that is there, too.
	Overwrite bool
	// Set and SetWhere, of ConflictUpdate, are over the row that is there and then the row
	// that was to be inserted. A row for which SetWhere is not true is left as it is.
	Set      []Assignment
	SetWhere expr.Expr
	// Blind says that the rows may be put without a look at whether their keys are taken: the
	// commit finds that, and the rows can then be inserted once more. With Overwrite or ConflictUpdate they take the
	// place of whole rows.
	Blind bool
	// Anew says that nothing of the table is read by the input: it is empty before, or in other spaces.
	Anew bool
	Written
	Returning []expr.Expr
	Cols      []Column
	Stamp     *cells.Stamp
}

// Written is what the rows that a node writes must meet, and which indexes and partitions they go to.
type Written struct {
	Checks []Check
	upkeep
	// Partitions are those of the table that rows go to; nil: they go to the table.
	Partitions *Partitions
	Fires      []Trigger // the triggers of the table, by their names
	References
	family
}

// References are the foreign keys that a node which writes must keep: those of its table, and those of other tables
// that refer to its rows.
type References struct{ To, From []Reference }

// Reference is a foreign key as writes see it.
type Reference struct {
	Key           *reference.Key
	Child, Parent *catalog.Table
	// Own are the columns of Key in Child, and Refers those in Parent.
	Own, Refers []int
	// Partitions are those of Parent, of which each has an index for Index; nil: it has none.
	Partitions *Partitions
	Index      *catalog.Index // the unique index over Refers; nil: they are the primary key
	// Below are the tables that the action for a row that goes may write, with all that depends on these.
	Below []*catalog.Table
}

// Keep takes over how the rows of a table and the entries of its indexes are kept.
func (w *Written) Keep(t Indexed) { w.Checks, w.upkeep = t.Checks, t.upkeep }

// keeps is a table with what is to be known to write its rows.
func (w *Written) keeps(t *catalog.Table) Indexed {
	return Indexed{Table: t, upkeep: w.upkeep, Fires: w.Fires, References: w.References, family: w.family}
}

// Conflict says what Insert does about a key that is there already.
type Conflict uint8

// The answers to a conflict.
const (
	ConflictError Conflict = iota
	ConflictNothing
	ConflictUpdate
)

// Check is a condition on the rows of a table, over its columns. A row for which it is
// false cannot be written.
type Check struct {
	Name string
	Cond expr.Expr
	Of   CheckKind
	// Column is the one to which Generates gives the value of Cond.
	Column int
	// Table is the name of the table of which it is a policy, or policies: those that have no Name.
	Table string
}

// Policy says whether a check is one of row security.
func (c *Check) Policy() bool { return c.Of > Generates }

// CheckKind is where a check comes from.
type CheckKind uint8

// The kinds of checks. A row must not be one of which that of a view or of a policy is not known, either.
const (
	tableCheck CheckKind = iota
	RangeCheck           // the range of a partition, which has no name
	ViewCheck            // the check option of the view with the name
	Generates            // no condition but the value of a generated column, for the checks behind it

	// Those that follow are policies of row security.

	InsertCheck      // of rows that are inserted
	UpdateCheck      // of rows that others are made into
	ConflictCheck    // of rows that ON CONFLICT DO UPDATE finds
	MergeUpdateCheck // of rows that MERGE updates, as they are before
	MergeDeleteCheck // of rows that MERGE deletes
)

// Update writes rows of its input with new values. The input's columns are those of the
// table in order and then those of FROM; of several rows about one row of the table the
// first counts. It counts, and delivers Returning over the new row and what follows it in
// the input.
type Update struct {
	Input   Node
	Table   *catalog.Table
	Recheck expr.Expr // over the input, as that of LockRows
	Set     []Assignment
	Written
	Returning []expr.Expr
	Cols      []Column
	Stamp     *cells.Stamp
}

// Assignment gives a column, by its ordinal in the table, a value computed from the old
// row.
type Assignment struct {
	Column int
	Value  expr.Expr
}

// Delete removes the rows of its input, whose columns are those of the table in order and
// then those of USING, and their index entries. It counts, and delivers Returning over
// the rows of the input.
type Delete struct {
	Input     Node
	Table     *catalog.Table
	Recheck   expr.Expr // as that of an Update
	Written             // Checks are for rows of which newer cells are left
	Returning []expr.Expr
	Cols      []Column
	Stamp     *cells.Stamp
	// Key is the primary key of the one row that is meant, in the order of catalog.Table.KeyOrdinals, where the delete
	// may be Blind or has a timestamp: that of a row that is not there is kept, too, for writes that come later and are
	// older. nil: it is not asked for.
	Key []expr.Expr
	// Blind says that the row may be deleted at its Key without a look: the commit finds whether it is there.
	Blind bool
}

// Replaces says that an Insert leaves nothing of a row that has the key of a new one.
func (n Insert) Replaces() bool { return n.Overwrite || n.Conflict == ConflictUpdate }

func (Insert) node() {}
func (Update) node() {}
func (Delete) node() {}

// Inputs implements Node.
func (n Insert) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Update) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Delete) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n Insert) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Update) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Delete) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n Insert) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n Update) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n Delete) Columns() []Column { return n.Cols }

// Keeps is the table with what is to be known to write its rows.
func (n Insert) Keeps() Indexed { return n.keeps(n.Table) }

// Keeps is as that of an Insert.
func (n Update) Keeps() Indexed { return n.keeps(n.Table) }

// Keeps is as that of an Insert.
func (n Delete) Keeps() Indexed { return n.keeps(n.Table) }

// Target is the table that a statement writes to, of several the one that it names, nil when it only reads.
func Target(n Node) *catalog.Table {
	switch n := n.(type) {
	case Insert:
		return n.Table
	case Update:
		return n.Table
	case Delete:
		return n.Table
	case MergeInto:
		return n.Table
	case Instead:
		return n.Table
	case WriteEach:
		return Target(n.In[0])
	case With:
		return Target(n.Input)
	}
	return nil
}

// Targets are all tables that a plan writes to, also in the queries of a WITH, with their partitions.
func Targets(n Node) []*catalog.Table {
	var out []*catalog.Table
	if w := writtenBy(n); w != nil {
		out = append(w.below(), Target(n))
		for i := range w.From {
			out = append(out, w.From[i].Below...)
		}
		if w.Partitions != nil {
			out = append(out, w.Partitions.tables()...)
		}
	}
	for _, in := range n.Inputs() {
		out = append(out, Targets(in)...)
	}
	return out
}

// writtenBy is what a node writes, nil for one that writes nothing itself.
func writtenBy(n Node) *Written {
	switch n := n.(type) {
	case Insert:
		return &n.Written
	case Update:
		return &n.Written
	case Delete:
		return &n.Written
	case MergeInto:
		return &n.Written
	}
	return nil
}

// below are the tables whose rows may be deleted with those of the one that is written.
func (f *family) below() []*catalog.Table {
	var out []*catalog.Table
	for i := range f.Children {
		out = append(append(out, f.Children[i].Table), f.Children[i].below()...)
	}
	return out
}
