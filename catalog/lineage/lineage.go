// Package lineage finds the tables that a table has its columns and checks from: those that it inherits from, or the
// one that it is a partition of. That a column or a check is inherited means that one of them has it under the same
// name. The tables that inherit from one are found by the catalog itself, those that have the columns of a composite
// type by Typed.
package lineage

import "zproxy/catalog"

// Parents are the tables that one inherits from, in the order in which they were named, or is a partition of.
func Parents(s *catalog.Snapshot, t *catalog.Table) (out []*catalog.Table) {
	ids := t.Inherits.Of()
	if t.PartitionOf != nil {
		ids = []uint32{t.PartitionOf.Parent}
	}
	for _, id := range ids {
		if parent, ok := s.ByID(id).(*catalog.Table); ok {
			out = append(out, parent)
		}
	}
	return out
}

// OfColumn counts the parents of a table that have a column of a name.
func OfColumn(s *catalog.Snapshot, t *catalog.Table, column string) (n int) {
	for _, parent := range Parents(s, t) {
		if at := parent.Column(column); at >= 0 && !parent.Columns[at].Hidden {
			n++
		}
	}
	return n
}

// OfCheck counts the parents of a table that have a check of a name, which is inherited.
func OfCheck(s *catalog.Snapshot, t *catalog.Table, check string) (n int) {
	for _, parent := range Parents(s, t) {
		if at := parent.Check(check); at >= 0 && !parent.Checks[at].NoInherit {
			n++
		}
	}
	return n
}

// Typed are the tables whose columns are those of a composite type.
func Typed(s *catalog.Snapshot, of *catalog.Type) (out []*catalog.Table) {
	for _, t := range s.Tables() {
		if t.OfType == of.ID {
			out = append(out, t)
		}
	}
	return out
}
