package bind

import (
	"iter"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/types"
)

// RelationColumn is a column of a relation that can be named. Its number stays when it is renamed.
type RelationColumn struct {
	ID   uint32
	Name string
	Type types.T
}

// ColumnsOf are the columns of a relation that can be named; those of nil are none.
func ColumnsOf(r catalog.Relation) iter.Seq[RelationColumn] {
	return func(yield func(RelationColumn) bool) {
		switch r := r.(type) {
		case *catalog.Table:
			for _, c := range r.Columns {
				if !c.Hidden && !yield(RelationColumn{c.ID, c.Name, c.Type}) {
					return
				}
			}
		case *catalog.View:
			for i, c := range r.Columns {
				if !yield(RelationColumn{uint32(i + 1), c.Name, c.Type}) {
					return
				}
			}
		case *catalog.Virtual:
			for i, c := range r.Columns {
				if !yield(RelationColumn{uint32(i + 1), c.Name, c.Type}) {
					return
				}
			}
		case *catalog.Sequence:
			for i, c := range expr.SequenceRow.Out {
				if !yield(RelationColumn{uint32(i + 1), c.Name, types.Of(c.Type)}) {
					return
				}
			}
		}
	}
}
