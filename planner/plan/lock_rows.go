package plan

import (
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/rowlock"
)

// LockRows is the rows of its input, in their order, of which it locks the rows of some tables, one by one, when a
// row is asked for: none is locked that is not wanted above. A row that was written meanwhile is put in with its new
// values, and comes out if Recheck still holds; one that is gone, or is passed over, does not.
type LockRows struct {
	Input   Node
	Targets []LockTarget
	// Recheck is, over the input, what the rows of the tables were chosen by; nil: nothing. It is not among Exprs:
	// it has the subqueries of conditions below once more, for the few rows that it is asked of.
	Recheck expr.Expr
}

// LockTarget is a table whose rows are locked.
type LockTarget struct {
	Table      *catalog.Table
	Partitions *Partitions // those of the table that rows are in; nil: they are in the table
	Alias      string      // as the statement calls the table
	rowlock.Lock
	Row []expr.Expr // the columns of the input that are the row of the table, for all of its columns
}

// Text is all that a node locks, as EXPLAIN shows it.
func (n LockRows) Text() string {
	list := make([]string, len(n.Targets))
	for i, t := range n.Targets {
		list[i] = t.Of(t.Alias)
	}
	return strings.Join(list, ", ")
}

func (LockRows) node() {}

// Inputs implements Node.
func (n LockRows) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n LockRows) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n LockRows) Columns() []Column { return n.Input.Columns() }

// Leaves are the tables that rows are in: the partitions, or the table itself.
func (t LockTarget) Leaves() []*catalog.Table {
	if t.Partitions == nil {
		return []*catalog.Table{t.Table}
	}
	return t.Partitions.tables()
}

// Locked are all tables that a plan locks rows in, also in subqueries.
func Locked(n Node) []*catalog.Table {
	var out []*catalog.Table
	if l, ok := n.(LockRows); ok {
		for _, t := range l.Targets {
			out = append(out, t.Leaves()...)
		}
	}
	for _, in := range n.Inputs() {
		out = append(out, Locked(in)...)
	}
	for _, s := range Subqueries(n) {
		out = append(out, Locked(s.Plan.(Sub).Node)...)
	}
	return out
}
