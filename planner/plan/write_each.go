package plan

// WriteEach writes the rows of several tables, of which all but the first one inherit from it: each by an Update or a
// Delete of its own. The rows of all are known before the first is written. It counts, and delivers what its inputs
// return, one after the other.
type WriteEach struct{ In []Node }

func (WriteEach) node() {}

// Inputs implements Node.
func (n WriteEach) Inputs() []Node { return n.In }

// WithInputs implements Node.
func (n WriteEach) WithInputs(in []Node) Node { n.In = in; return n }

// Columns implements Node.
func (n WriteEach) Columns() []Column { return n.In[0].Columns() }
