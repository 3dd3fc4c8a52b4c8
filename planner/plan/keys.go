package plan

import (
	"strings"

	"zproxy/catalog"
	"zproxy/types"
)

// Keys is the keys of rows of a table that every input has, or with Any those that at least
// one has: each once, in the order in which the table keeps its rows, or with Reverse in the
// opposite one. An input is such keys itself, or a Scan of the same table that reads the columns
// of its key first and has each row once. Keys are the Path of an Access, too: it looks up the rows, and checks
// its conditions on them again.
type Keys struct {
	Table   *catalog.Table
	Any     bool
	Reverse bool
	Of      []Node
}

func (Keys) node() {}

// Inputs implements Node.
func (n Keys) Inputs() []Node { return n.Of }

// WithInputs implements Node.
func (n Keys) WithInputs(in []Node) Node { n.Of = in; return n }

// Columns implements Node: the two parts of a key.
func (n Keys) Columns() []Column {
	return []Column{{Name: "partition", Type: types.Bytea}, {Name: "sort", Type: types.Bytea}}
}

// String names what the keys are read from: union of t_a, t_b.
func (n Keys) String() string {
	names := make([]string, len(n.Of))
	for i, in := range n.Of {
		switch in := in.(type) {
		case Keys:
			names[i] = "(" + in.String() + ")"
		case Scan:
			names[i] = in.Access.Name()
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return map[bool]string{true: "union", false: "intersection"}[n.Any] + " of " + strings.Join(names, ", ")
}

// Name is the index that an access reads, or the primary key.
func (a *Access) Name() string {
	if x := a.Index(); x != nil {
		return x.Name
	}
	return "primary key"
}
