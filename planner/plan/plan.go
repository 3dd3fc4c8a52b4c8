// Package plan is the plan tree: what rows a statement wants, and, once an access path
// is chosen, how they are read. A plan is a value and never changes; a rule returns
// another.
package plan

import (
	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/types"
)

// Node is a step of a plan. A comment on each says which rows come out, in what order.
//
//sumtype:decl
type Node interface {
	// Inputs are the nodes that rows come from.
	Inputs() []Node
	// WithInputs is a copy over other inputs, of the same number and columns.
	WithInputs(in []Node) Node
	// Columns are those of the rows that come out.
	Columns() []Column

	node()
}

// Values is rows of expressions that read no columns, in their order.
type Values struct {
	Rows [][]expr.Expr
	Cols []Column
}

// Stream is rows that the session supplies while the plan runs, in their order.
type Stream struct{ Cols []Column }

// Scan is the rows of a table for which every condition of Filter holds; the columns
// of Reads, in that order. Rows come in no order, unless Access says one.
type Scan struct {
	Table  *catalog.Table
	Alias  string // as the statement calls the table
	Reads  []int  // places of columns in the table
	Filter []expr.Expr
	Hints  []Hint
	Write  bool    // the rows are read to be written
	Order  []Order // the order that the statement would like
	Few    bool    // only the first rows in that order are wanted
	Access *Access // nil until one is chosen
	Cols   []Column
}

// Order is one column, by its place in the table, that rows are ordered by.
type Order struct {
	Column     int
	Desc       bool
	NullsFirst bool
}

// Hint asks for or against an index.
type Hint struct {
	Forbid  bool
	Indexes []string
}

// Filter is the rows of its input for which Cond is true, in their order.
type Filter struct {
	Input Node
	Cond  expr.Expr
}

// Project is one row of expressions for each row of its input, in their order.
type Project struct {
	Input Node
	Exprs []expr.Expr
	Cols  []Column
}

// Sort is the rows of its input ordered by Keys; the first Most of them when Most is
// not nil.
type Sort struct {
	Input Node
	Keys  []SortKey
	Most  *Limit // the Limit above, whose rows are all that is wanted
}

// SortKey is one expression that rows are ordered by.
type SortKey struct {
	Expr       expr.Expr
	Desc       bool
	NullsFirst bool
}

// Limit is the rows of its input after the first Offset, Count of them at the most. A
// nil or NULL Count is all; a nil or NULL Offset is none.
type Limit struct {
	Input  Node
	Count  expr.Expr
	Offset expr.Expr
}

// Distinct is the rows of its input, each different row once, in the order of their
// first appearance.
type Distinct struct{ Input Node }

// Aggregate is one row for each group of rows of its input whose Groups are equal, in
// the order of their first appearance: the groups' values, then the aggregates. Without
// Groups there is exactly one row.
type Aggregate struct {
	Input  Node
	Groups []expr.Expr
	Calls  []AggregateCall
	Cols   []Column
}

// AggregateCall is one aggregate over the rows of a group.
type AggregateCall struct {
	Fn       *expr.Aggregate
	Args     []expr.Expr
	Type     types.T
	Distinct bool
	Filter   expr.Expr // nil: every row
}

// String is the call as EXPLAIN shows it.
func (c AggregateCall) String() string {
	args := "*"
	if len(c.Args) > 0 {
		args = texts(c.Args, ", ")
	}
	if c.Distinct {
		args = "DISTINCT " + args
	}
	s := c.Fn.Name + "(" + args + ")"
	if c.Filter != nil {
		s += " FILTER (WHERE " + c.Filter.String() + ")"
	}
	return s
}

// Insert writes the rows of its input, whose columns are those of the table in order,
// and their index entries. It delivers no rows; it counts.
type Insert struct {
	Input     Node
	Table     *catalog.Table
	Conflict  Conflict
	Arbiter   *catalog.Index // the unique index that Conflict is about; nil: all of them
	Primary   bool           // Conflict is about the primary key only
	Overwrite bool           // REPLACE: a row with the same primary key is replaced
}

// Conflict says what Insert does about a key that is there already.
type Conflict uint8

// The answers to a conflict.
const (
	ConflictError Conflict = iota
	ConflictNothing
)

// Update writes rows of its input, whose columns are those of the table in order,
// with new values. It delivers no rows; it counts.
type Update struct {
	Input Node
	Table *catalog.Table
	Set   []Assignment
}

// Assignment gives a column, by its place in the table, a value computed from the old
// row.
type Assignment struct {
	Column int
	Value  expr.Expr
}

// Delete removes the rows of its input, whose columns are those of the table in order,
// and their index entries. It delivers no rows; it counts.
type Delete struct {
	Input Node
	Table *catalog.Table
}

func (Values) node()    {}
func (Stream) node()    {}
func (Scan) node()      {}
func (Filter) node()    {}
func (Project) node()   {}
func (Sort) node()      {}
func (Limit) node()     {}
func (Distinct) node()  {}
func (Aggregate) node() {}
func (Insert) node()    {}
func (Update) node()    {}
func (Delete) node()    {}

// Inputs implements Node.
func (Values) Inputs() []Node { return nil }

// Inputs implements Node.
func (Stream) Inputs() []Node { return nil }

// Inputs implements Node.
func (Scan) Inputs() []Node { return nil }

// Inputs implements Node.
func (n Filter) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Project) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Sort) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Limit) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Distinct) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Aggregate) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Insert) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Update) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (n Delete) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n Values) WithInputs([]Node) Node { return n }

// WithInputs implements Node.
func (n Stream) WithInputs([]Node) Node { return n }

// WithInputs implements Node.
func (n Scan) WithInputs([]Node) Node { return n }

// WithInputs implements Node.
func (n Filter) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Project) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Sort) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Limit) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Distinct) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Aggregate) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Insert) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Update) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n Delete) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n Values) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n Stream) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n Scan) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n Filter) Columns() []Column { return n.Input.Columns() }

// Columns implements Node.
func (n Project) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n Sort) Columns() []Column { return n.Input.Columns() }

// Columns implements Node.
func (n Limit) Columns() []Column { return n.Input.Columns() }

// Columns implements Node.
func (n Distinct) Columns() []Column { return n.Input.Columns() }

// Columns implements Node.
func (n Aggregate) Columns() []Column { return n.Cols }

// Columns implements Node.
func (Insert) Columns() []Column { return nil }

// Columns implements Node.
func (Update) Columns() []Column { return nil }

// Columns implements Node.
func (Delete) Columns() []Column { return nil }

// TableColumns are the columns of a table at some places, as a Scan delivers them.
func TableColumns(t *catalog.Table, places []int) []Column {
	out := make([]Column, len(places))
	for i, p := range places {
		c := t.Columns[p]
		out[i] = Column{Name: c.Name, Type: c.Type, Table: t.ID, Attribute: int16(c.ID)}
	}
	return out
}

// Target is the table that a plan writes to, nil when it only reads.
func Target(n Node) *catalog.Table {
	switch n := n.(type) {
	case Insert:
		return n.Table
	case Update:
		return n.Table
	case Delete:
		return n.Table
	}
	return nil
}
