// Package referential knows what writes of a table must see to so that foreign keys hold: the keys of the table, whose
// values must be there in other tables, and the keys of other tables that refer to its rows. Of gives them for a plan.
// The statements that look for rows which refer, and that carry out actions, are SQL: this package writes their text,
// and the planner chooses how they read, as for any other statement. The errors about rows that break a key are made
// here, too.
package referential

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
)

// Of are the foreign keys that writes of a table must keep, with those of the tables whose partition it is.
func Of(s stored.Expressions, t *catalog.Table) (out plan.References, err error) {
	for _, of := range catalog.WithParents(s.Catalog, t) {
		if of.Unchecked {
			continue
		}
		for _, k := range of.ForeignKeys.Enforced() {
			parent, _ := s.Catalog.ByID(k.Table).(*catalog.Table)
			if err := add(s, &out.To, &k, of, parent); err != nil {
				return out, err
			}
		}
		for _, id := range of.Referrers {
			child, _ := s.Catalog.ByID(id).(*catalog.Table)
			if child == nil {
				continue
			}
			for _, k := range child.ForeignKeys.To(of.ID).Enforced() {
				if err := add(s, &out.From, &k, child, of); err != nil {
					return out, err
				}
			}
		}
	}
	for i := range out.From {
		out.From[i].Below = below(s.Catalog, &out.From[i])
	}
	byAge := func(a, b plan.Reference) int { return int(a.Key.ID) - int(b.Key.ID) }
	slices.SortFunc(out.To, byAge)
	slices.SortFunc(out.From, byAge)
	return out, nil
}

// add adds a key between two tables that are there.
func add(s stored.Expressions, list *[]plan.Reference, k *reference.Key, child, parent *catalog.Table) error {
	if parent == nil {
		return nil
	}
	r, err := New(s, k, child, parent)
	*list = append(*list, r)
	return err
}

// New is a foreign key as writes see it.
func New(s stored.Expressions, k *reference.Key, child, parent *catalog.Table) (plan.Reference, error) {
	r := plan.Reference{Key: k, Child: child, Parent: parent}
	for i := range k.Columns {
		r.Own = append(r.Own, child.Ordinal(k.Columns[i]))
		r.Refers = append(r.Refers, parent.Ordinal(k.Refers[i]))
	}
	if x, ok := UniqueOver(parent, k.Refers); ok {
		r.Index = x.Index
	}
	var err error
	r.Partitions, err = s.Partitions(parent)
	return r, err
}

// UniqueOver finds the unique index of a table over exactly some columns, in any order: one that is deferrable only if
// there is no other.
func UniqueOver(t *catalog.Table, columns []uint32) (found catalog.TableIndex, ok bool) {
	want := slices.Sorted(slices.Values(columns))
	for _, x := range t.TableIndexes() {
		if x.Index != nil && (!x.Index.Unique || x.Index.Partial() || !x.State().Reads()) {
			continue
		}
		var have []uint32
		for _, part := range x.Layout().Declared() {
			have = append(have, part.ID)
		}
		slices.Sort(have)
		if slices.Equal(want, have) {
			if found, ok = x, true; !x.Layout().Deferrable {
				return x, true
			}
		}
	}
	return found, ok
}

// below are the tables that actions write for a key.
func below(s *catalog.Snapshot, r *plan.Reference) []*catalog.Table {
	seen := map[uint32]bool{}
	var out []*catalog.Table
	var visit func(t *catalog.Table)
	visit = func(t *catalog.Table) {
		if seen[t.ID] {
			return
		}
		seen[t.ID] = true
		out = append(append(out, t), s.Descendants(t.ID)...)
		for _, id := range t.Referrers {
			child, _ := s.ByID(id).(*catalog.Table)
			if child == nil || t.Unchecked {
				continue
			}
			if slices.ContainsFunc(child.ForeignKeys.To(t.ID).Enforced(), writes) {
				visit(child)
			}
		}
	}
	if writes(*r.Key) {
		visit(r.Child)
	}
	return out
}

// writes says whether an action of a key writes rows.
func writes(k reference.Key) bool { return k.OnDelete.Writes() || k.OnUpdate.Writes() }
