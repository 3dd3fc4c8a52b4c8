// Package plan is the plan tree: what rows a statement wants, and, once an access path
// is chosen, how they are read. A plan is a value and never changes; a rule returns
// another. What makes plans, improves them and runs them is elsewhere. Read Node and Scan first.
package plan

import (
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/joinhint"
	"zproxy/types"
	"zproxy/types/collation"
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
type Stream struct {
	Cols []Column
	Few  bool // a handful is expected; otherwise that is not known
	// Number is that of rows which are given to a statement, from 1; 0: they come from the client.
	Number int
}

// Scan is the rows of a table for which every condition of Filter holds; the columns
// of Reads, in that order. Rows come in no order, unless Access says one. Its input is the Keys
// of its Access, if that has any.
type Scan struct {
	Table  *catalog.Table
	Alias  string // as the statement calls the table
	Reads  []int  // ordinals of columns in the table
	Filter []expr.Expr
	filtering
	Hints  []Hint
	Write  bool    // the rows are read to be written, or locked
	Marked int     // each row has one column more, its mark, with this number from 1: see Resumable; 0: it has none
	Order  []Order // the order that the statement would like
	firsts
	Access *Access // nil until one is chosen
	Holds  []Predicate
	// Declared are conditions over the columns of the table that no row of it makes false, where the planner
	// wants scans to be left out by them.
	Declared []expr.Expr
	Cols     []Column
	statistics
}

// filtering is what there is to know of the conditions of a scan.
type filtering struct {
	Aside []int // ordinals in Reads that only Filter reads, so that NULL may come out there
	// Barrier says that the conditions leave rows out which the statement must not see: see Barrier.
	Barrier bool
}

// statistics tell more of the rows of a scan than those of its table.
type statistics struct {
	// Whole is the table that was asked for, of which this one is a partition; nil: it is not.
	Whole *catalog.Table
	// Computed are the expressions over the columns of the table of whose values statistics tell, under their numbers.
	Computed []Predicate
}

// firsts is which rows of a scan are wanted, in the order that the statement would like.
type firsts struct {
	Few  bool // only the first ones
	Each each // only the first ones of those that agree in columns of the order
}

// Predicate says which rows a partial index holds: those for which Cond, over the columns of
// the table, is true. The nodes that read or write a table have one for each such index.
type Predicate struct {
	Index uint32
	Cond  expr.Expr
}

// Indexed is a table with all that who keeps the entries of its indexes must know.
type Indexed struct {
	*catalog.Table
	Checks []Check // that rows must meet
	upkeep
	Fires []Trigger
	References
	family
}

// upkeep is how the entries of indexes are made of rows.
type upkeep struct {
	Holds []Predicate // one for each partial index
	// Expressions are the values of the columns that rows do not store, by their IDs.
	Expressions []Predicate
}

// family is the tables whose rows lie with those of one.
type family struct {
	// Parent is the table that must have a row for each of the rows, which lie behind it; nil: there is none.
	Parent *catalog.Table
	// Children are the tables whose rows lie behind the rows: none are left when a row is deleted.
	Children []Indexed
}

// Order is one column, by its ordinal in the table, that rows are ordered by.
type Order struct {
	Column     int
	Desc       bool
	NullsFirst bool
}

// Hint asks for or against an index, or a merge of several, or for a way to join the table.
type Hint struct {
	Join    *joinhint.Hint // nil: it is about indexes
	Forbid  bool
	Merge   bool // it is about reading several indexes, of Indexes or of any
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
// not nil. With Each, it may leave out rows behind so many of those that agree in the first Of keys.
type Sort struct {
	Input Node
	Keys  []SortKey
	Most  *Limit // the Limit above, whose rows are all that is wanted
	Few   bool   // only the first rows are probably wanted
	// Each is how many rows are wanted of those that agree in the first Of keys; 0: all of them.
	Of   int
	Each int64
}

// SortKey is one expression that rows are ordered by.
type SortKey struct {
	Expr       expr.Expr
	Desc       bool
	NullsFirst bool
}

// Limit is the rows of its input after the first Offset, Count of them at the most. A
// nil or NULL Count is all; a nil or NULL Offset is none. With Ties, which its input is
// sorted by, the rows that follow the last one and equal it by Ties come out too.
type Limit struct {
	Input  Node
	Count  expr.Expr
	Offset expr.Expr
	Ties   []SortKey
	Passed int64 // rows that an earlier run has delivered
	Marked bool  // rows have marks, and those that are skipped count as passed: see Resumable
}

// Distinct is the rows of its input, each different row once, in the order of their
// first appearance. With On rows are different when the values of On are.
type Distinct struct {
	Input Node
	On    []expr.Expr
}

// Aggregate is one row for each group of rows of its input whose Groups are equal, in
// the order of their first appearance: the groups' values, then the aggregates. Without
// Groups there is exactly one row. By are the numbers of those Groups that decide all others: rows
// that are equal in these are equal in all; nil: it takes all.
type Aggregate struct {
	Input  Node
	Groups []expr.Expr
	By     []int
	Calls  []AggregateCall
	Cols   []Column
	Sorted bool // the rows of each group come one after the other
	// Partial makes groups of each part of the rows, of which Final makes the groups of all.
	Partial, Final bool
}

// Keys are the expressions whose values make groups.
func (n Aggregate) Keys() []expr.Expr {
	if n.By == nil {
		return n.Groups
	}
	out := make([]expr.Expr, len(n.By))
	for i, at := range n.By {
		out[i] = n.Groups[at]
	}
	return out
}

// AggregateCall is one aggregate over the rows of a group.
type AggregateCall struct {
	Fn       *expr.Aggregate
	Args     []expr.Expr
	Type     types.T
	Distinct bool
	Order    []SortKey // the order in which the rows are added; nil: as they come
	Filter   expr.Expr // nil: every row
}

// String is the call as EXPLAIN shows it.
func (c AggregateCall) String() string {
	args := "*"
	if len(c.Args) > 0 {
		args = texts(c.Args)
	}
	if c.Distinct {
		args = "DISTINCT " + args
	}
	if c.Order != nil {
		args += " ORDER BY " + texts(c.Order)
	}
	s := c.Fn.Name + "(" + args + ")"
	if c.Filter != nil {
		s += " FILTER (WHERE " + c.Filter.String() + ")"
	}
	return s
}

// String is the key as EXPLAIN shows it.
func (k SortKey) String() string {
	s := k.Expr.String()
	if c, ok := collation.ByOID(k.Expr.Type().Collation.OID); ok && c.OID != collation.Default {
		s += " COLLATE " + expr.QuoteIdent(c.Name)
	}
	if k.Desc {
		s += " DESC"
	}
	if k.NullsFirst != k.Desc {
		s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
	}
	return s
}

// texts are the texts of expressions or keys, in a row.
func texts[E fmt.Stringer](list []E) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.String()
	}
	return strings.Join(out, ", ")
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

// Inputs implements Node.
func (Values) Inputs() []Node { return nil }

// Inputs implements Node.
func (Stream) Inputs() []Node { return nil }

// Inputs implements Node.
func (n Scan) Inputs() []Node {
	if n.Access == nil {
		return nil
	}
	keys, ok := n.Access.Keys()
	if !ok {
		return nil
	}
	return []Node{keys}
}

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

// WithInputs implements Node.
func (n Values) WithInputs([]Node) Node { return n }

// WithInputs implements Node.
func (n Stream) WithInputs([]Node) Node { return n }

// WithInputs implements Node.
func (n Scan) WithInputs(in []Node) Node {
	if len(in) > 0 {
		a := *n.Access
		a.Path = in[0].(Keys)
		n.Access = &a
	}
	return n
}

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

// Columns implements Node.
func (n Values) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n Stream) Columns() []Column { return n.Cols }

// Layout is the one that a Scan with an access reads.
func (n Scan) Layout() *catalog.Layout {
	if x := n.Access.Index(); x != nil {
		return &x.Layout
	}
	return &n.Table.Primary
}

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

// TableColumns are the columns of a table of some ordinals, as a Scan delivers them.
func TableColumns(t *catalog.Table, ordinals []int) []Column {
	out := make([]Column, len(ordinals))
	for i, p := range ordinals {
		c := t.Columns[p]
		out[i] = Column{Name: c.Name, Type: c.Type, Table: t.ID, Attribute: int16(c.ID)}
	}
	return out
}
