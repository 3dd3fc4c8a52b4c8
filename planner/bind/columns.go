package bind

import (
	"iter"

	"zproxy/catalog"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// ColumnsOf are the columns of a relation that can be named; those of nil are none. The number of a
// column stays when it is renamed.
func ColumnsOf(r catalog.Relation) iter.Seq2[catalog.Bound, types.T] {
	return func(yield func(catalog.Bound, types.T) bool) {
		switch r := r.(type) {
		case *catalog.Table:
			for _, c := range r.Columns {
				if !c.Hidden && !yield(catalog.Bound{ID: c.ID, Name: c.Name}, c.Type) {
					return
				}
			}
		case *catalog.View:
			for i, c := range r.Columns {
				if !yield(catalog.Bound{ID: uint32(i + 1), Name: c.Name}, c.Type) {
					return
				}
			}
		case *catalog.Virtual:
			for i, c := range r.Columns {
				if !yield(catalog.Bound{ID: uint32(i + 1), Name: c.Name}, c.Type) {
					return
				}
			}
		case *catalog.Sequence:
			for i, c := range system.SequenceRow.Out {
				if !yield(catalog.Bound{ID: uint32(i + 1), Name: c.Name}, types.Of(c.Type)) {
					return
				}
			}
		}
	}
}
