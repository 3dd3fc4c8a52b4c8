package catalog

// The types of the rows of tables and views have numbers of their own, made of those of their
// relations, which are below.
const (
	rowTypes      = 1 << 30
	rowArrays     = rowTypes | 1<<29
	relationsMask = 1<<29 - 1
)

// RowType is the OID of the type of a relation's rows, and that of arrays of them.
func RowType(relation uint32) (row, array uint32) {
	return rowTypes | relation, rowArrays | relation
}

// RowTypeOf finds the table or view whose rows, or arrays of rows, a type is of; nil when it
// is another type.
func (s *Snapshot) RowTypeOf(oid uint32) (r Relation, array bool) {
	kind := oid &^ relationsMask
	if kind != rowTypes && kind != rowArrays {
		return nil, false
	}
	switch r := s.ByID(oid & relationsMask).(type) {
	case *Table, *View:
		return r, kind == rowArrays
	}
	return nil, false
}
