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

// Fields are the fields of the records of a column.
type Fields struct {
	Names []string
	Types []types.T
}
