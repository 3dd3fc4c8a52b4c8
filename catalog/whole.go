package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// Whole is the catalog of a store at one moment: a snapshot of each database. It never changes.
type Whole struct {
	*common
	snapshots map[uint32]*Snapshot
	gone      *Snapshot // of a database that is no more: it has nothing
	version   uint64
}

// NewWhole is the catalog of a store: of the objects that all databases share, and of those of each database. A
// database that is not among the shared objects has none.
func NewWhole(shared []Object, of map[uint32][]Object) *Whole {
	w := &Whole{common: newCommon().with(shared), snapshots: map[uint32]*Snapshot{}}
	for id := range w.databases {
		w.snapshots[id] = live(newSnapshot(id, w.common, nil), of[id])
	}
	w.share()
	return w
}

// live is a snapshot with the objects that were read. The schema public is there unless it was dropped, of which a
// schema without a name tells.
func live(s *Snapshot, objects []Object) *Snapshot {
	var gone []Object
	live := objects[:0]
	for _, o := range objects {
		if schema, ok := o.(*Schema); ok && schema.Name == "" {
			gone = append(gone, &Schema{ID: PublicID, Name: PublicName})
			continue
		}
		live = append(live, o)
	}
	return s.Without(gone...).With(live...)
}

// share makes all snapshots have what is shared, and one of each database.
func (w *Whole) share() {
	system := (*System)(nil)
	if some := w.snapshots[DatabaseID]; some != nil {
		system = some.system
	}
	for id := range w.databases {
		switch s := w.snapshots[id]; {
		case s == nil:
			w.snapshots[id] = over(newSnapshot(id, w.common, nil), system)
		case s.common != w.common:
			c := *s
			c.common = w.common
			w.snapshots[id] = &c
		}
	}
	maps.DeleteFunc(w.snapshots, func(id uint32, _ *Snapshot) bool { return w.databases[id] == nil })
	w.gone = over(newSnapshot(0, w.common, nil), system)
}

// over is Over for a system that there may be none of.
func over(s *Snapshot, system *System) *Snapshot {
	if system == nil {
		return s
	}
	return s.Over(system)
}

// In is the snapshot of a database. Of one that is no more it is one that has nothing.
func (w *Whole) In(database uint32) *Snapshot {
	if w == nil {
		return nil
	}
	if s := w.snapshots[database]; s != nil {
		return s
	}
	return w.gone
}

// With is the catalog with a snapshot in the place of that of its database, and with what it shares with all others.
func (w *Whole) With(s *Snapshot) *Whole {
	c := &Whole{common: s.common, snapshots: maps.Clone(w.snapshots), gone: w.gone, version: max(w.version, s.version)}
	c.snapshots[s.in] = s
	if s.common != w.common {
		c.share()
	}
	return c
}

// Beginning is the catalog with a database that it has just got, which begins with some objects.
func (w *Whole) Beginning(database uint32, objects []Object) *Whole {
	c := *w
	c.snapshots = maps.Clone(w.snapshots)
	c.snapshots[database] = live(w.In(database), slices.Clone(objects)).At(w.version)
	return &c
}

// Over is the catalog with the relations of a system in all databases.
func (w *Whole) Over(system *System) *Whole {
	return w.each(func(s *Snapshot) *Snapshot { return s.Over(system) })
}

// At is the catalog as a version of that in the store.
func (w *Whole) At(version uint64) *Whole {
	c := w.each(func(s *Snapshot) *Snapshot { return s.At(version) })
	c.version = version
	return c
}

func (w *Whole) each(f func(*Snapshot) *Snapshot) *Whole {
	c := *w
	c.snapshots = make(map[uint32]*Snapshot, len(w.snapshots))
	for id, s := range w.snapshots {
		c.snapshots[id] = f(s)
	}
	c.gone = f(w.gone)
	return &c
}

// Version is that of the catalog in the store, where several processes go by it; else 0.
func (w *Whole) Version() uint64 { return w.version }

// Snapshots are those of all databases, by their numbers.
func (w *Whole) Snapshots() []*Snapshot {
	return slices.SortedFunc(maps.Values(w.snapshots), func(a, b *Snapshot) int { return cmp.Compare(a.in, b.in) })
}

// Tables are the tables of all databases.
func (w *Whole) Tables() (out []*Table) {
	for _, s := range w.Snapshots() {
		out = append(out, s.Tables()...)
	}
	return out
}

// Table finds a table of any database, nil when there is none.
func (w *Whole) Table(id uint32) *Table {
	for _, s := range w.snapshots {
		if t, ok := s.relations[id].(*Table); ok {
			return t
		}
	}
	return nil
}

// Holding is the snapshot of the database that has a relation, nil if none has.
func (w *Whole) Holding(relation uint32) *Snapshot {
	for _, s := range w.snapshots {
		if s.relations[relation] != nil {
			return s
		}
		if _, ok := s.indexes[relation]; ok {
			return s
		}
	}
	return nil
}
