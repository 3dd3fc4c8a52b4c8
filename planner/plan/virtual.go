package plan

import "zproxy/catalog"

// Virtual is the rows of a relation of the system; the columns of Reads, in that order.
// Those for whose key a term of Only is not true may be left out. The terms name points.
type Virtual struct {
	Relation *catalog.Virtual
	Alias    string
	Reads    []int // ordinals of columns in the relation, or TableOID
	Only     []Term
	Cols     []Column
}

// TableOID stands among the ordinals of columns for the OID of the relation itself.
const TableOID = -1

func (Virtual) node() {}

// Inputs implements Node.
func (Virtual) Inputs() []Node { return nil }

// WithInputs implements Node.
func (n Virtual) WithInputs([]Node) Node { return n }

// Columns implements Node.
func (n Virtual) Columns() []Column { return n.Cols }
