package catalog

import "zproxy/types"

// RowType is the OID of the type of a relation's rows, and that of arrays of them.
func RowType(relation uint32) (row, array uint32) {
	r, a := types.RowOID(relation)
	return uint32(r), uint32(a)
}

// RowTypeOf finds the table or view, perhaps of the system, whose rows, or arrays of rows, a type is of; nil when it
// is another type.
func (s *Snapshot) RowTypeOf(oid uint32) (r Relation, array bool) {
	id, array := types.OID(oid).Relation()
	if id == 0 {
		return nil, false
	}
	switch r := s.Numbered(id).(type) {
	case *Table, *View, *Virtual:
		return r, array
	}
	return nil, false
}
