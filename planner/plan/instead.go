package plan

import (
	"zproxy/catalog"
	"zproxy/catalog/trigger"
	"zproxy/expr"
)

// Instead fires the triggers of a view in place of an event, for each row of its input: of an insert a new row of the
// view, otherwise one that there is, behind which are those of FROM or USING. It counts the rows that triggers want,
// and delivers Returning over the new row of each, and what follows it in the input.
type Instead struct {
	Input     Node
	Event     trigger.Events
	Table     *catalog.Table // the view as a table
	Fires     []Trigger
	Set       []Assignment // of an update
	Returning []expr.Expr
	Cols      []Column
}

func (Instead) node() {}

// Inputs implements Node.
func (n Instead) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n Instead) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n Instead) Columns() []Column { return n.Cols }

// FiresInstead says whether a plan fires triggers in place of events.
func FiresInstead(n Node) bool {
	if _, ok := n.(Instead); ok {
		return true
	}
	for _, in := range n.Inputs() {
		if FiresInstead(in) {
			return true
		}
	}
	return false
}
