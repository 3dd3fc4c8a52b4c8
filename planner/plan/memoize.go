package plan

import "zproxy/expr"

// Memoize is the rows of Input, kept for the values that Keys had: when these come again, Input does not run.
// Keys are expr.Outer, all values of queries further out that Input reads.
type Memoize struct {
	Input  Node
	Keys   []expr.Expr
	Single bool // no more than the first row is wanted
	Number int  // tells what it keeps apart from what others of the statement do
}

func (Memoize) node() {}

// Inputs implements Node.
func (n Memoize) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n Memoize) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n Memoize) Columns() []Column { return n.Input.Columns() }
