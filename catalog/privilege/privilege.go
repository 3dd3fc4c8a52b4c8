// Package privilege decides by the grants on a relation and on its columns what a role may do with it. A statement says
// what it wants: the privileges for the relation, and the columns that it reads and writes. A role that lacks one of
// these privileges on the relation may have it on each of the columns instead.
package privilege

import (
	"slices"

	"zproxy/catalog"
)

// Wanted is what a statement does with a relation: the privileges for it, and the numbers of the columns that it reads,
// and of those that it gives values in new rows and in rows that are there.
type Wanted struct {
	Privileges              catalog.Privileges
	Read, Inserted, Updated []int16
}

// Note adds the number of a column to others.
func Note(columns *[]int16, number int16) {
	if !slices.Contains(*columns, number) {
		*columns = append(*columns, number)
	}
}

// columnsOf are the columns with which a statement does what needs a privilege.
func (w *Wanted) columnsOf(p catalog.Privileges) []int16 {
	switch p {
	case catalog.MaySelect:
		return w.Read
	case catalog.MayInsert:
		return w.Inserted
	}
	return w.Updated
}

// Allows says whether a role may do with a relation what a statement wants. Where the statement has to do with no
// column, a privilege on one of them is enough.
func Allows(s *catalog.Snapshot, role uint32, o catalog.Owned, w *Wanted) bool {
	have, _ := s.Privileges(role, o)
	missing := w.Privileges &^ have
	if missing&^(catalog.MaySelect|catalog.MayInsert|catalog.MayUpdate) != 0 {
		return false
	}
	rights := catalog.RightsOf(o)
	for _, p := range []catalog.Privileges{catalog.MaySelect, catalog.MayInsert, catalog.MayUpdate} {
		if missing&p == 0 {
			continue
		}
		without := func(column int16) bool {
			have, _ := s.Held(role, rights.Columns[column], o.OwnerID())
			return have&p == 0
		}
		columns := w.columnsOf(p)
		if have, _ := OnAnyColumn(s, role, o); have&p == 0 || slices.ContainsFunc(columns, without) {
			return false
		}
	}
	return true
}

// OnColumn are what a role may do with a column of a relation, and what of it it may grant.
func OnColumn(s *catalog.Snapshot, role uint32, o catalog.Owned, column int16) (have, options catalog.Privileges) {
	have, options = s.Privileges(role, o)
	rights := catalog.RightsOf(o)
	h, may := s.Held(role, rights.Columns[column], o.OwnerID())
	return have | h, options | may
}

// OnAnyColumn are what a role may do with some columns of a relation.
func OnAnyColumn(s *catalog.Snapshot, role uint32, o catalog.Owned) (have, options catalog.Privileges) {
	have, options = s.Privileges(role, o)
	rights := catalog.RightsOf(o)
	for _, acl := range rights.Columns {
		h, may := s.Held(role, acl, o.OwnerID())
		have, options = have|h, options|may
	}
	return have, options
}
