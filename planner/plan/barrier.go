package plan

// Barrier is the rows of its input, in their order. The input leaves rows out that the statement must not see, so a
// condition that might show what a row holds is asked above it.
type Barrier struct{ Input Node }

func (Barrier) node() {}

// Inputs implements Node.
func (n Barrier) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n Barrier) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n Barrier) Columns() []Column { return n.Input.Columns() }
