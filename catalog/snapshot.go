package catalog

import (
	"maps"
	"slices"
	"strings"
)

// Snapshot is all tables at one moment. It never changes.
type Snapshot struct {
	tables  map[name]*Table
	version uint64
}

type name struct{ schema, table string }

// NewSnapshot is a snapshot of some tables.
func NewSnapshot(tables []*Table) *Snapshot {
	s := &Snapshot{tables: map[name]*Table{}}
	for _, t := range tables {
		s.tables[name{t.Schema, t.Name}] = t
	}
	return s
}

// Version grows with every change, so that what was made from a snapshot can tell
// whether it is still true.
func (s *Snapshot) Version() uint64 { return s.version }

// Table finds a table, nil when there is none.
func (s *Snapshot) Table(schema, table string) *Table { return s.tables[name{schema, table}] }

// Tables are all tables, by schema and name.
func (s *Snapshot) Tables() []*Table {
	return slices.SortedFunc(maps.Values(s.tables), func(a, b *Table) int {
		return strings.Compare(a.Schema+"\x00"+a.Name, b.Schema+"\x00"+b.Name)
	})
}

// With is a snapshot in which t stands for the table of its name.
func (s *Snapshot) With(t *Table) *Snapshot {
	c := s.next()
	c.tables[name{t.Schema, t.Name}] = t
	return c
}

// Without is a snapshot without a table.
func (s *Snapshot) Without(t *Table) *Snapshot {
	c := s.next()
	delete(c.tables, name{t.Schema, t.Name})
	return c
}

func (s *Snapshot) next() *Snapshot {
	return &Snapshot{tables: maps.Clone(s.tables), version: s.version + 1}
}
