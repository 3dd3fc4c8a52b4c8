package plan

import "zproxy/types"

// Column is one column of what a plan delivers.
type Column struct {
	Name string
	Type types.T
	// Table and Attribute say which column of which table it is, 0 when it is none.
	Table     uint32
	Attribute int16
	Fields    *Fields // of a record; nil where they are not known
}

// Same says whether two columns are the same, perhaps as two statements see them.
func (c Column) Same(o Column) bool {
	return c.Name == o.Name && c.Type.Same(o.Type) && c.Table == o.Table && c.Attribute == o.Attribute &&
		c.Fields == o.Fields
}

// Fields are the fields of the records of a column.
type Fields struct {
	Names []string
	Types []types.T
}
