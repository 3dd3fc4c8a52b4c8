package define

import (
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/types"
)

// Alter makes new versions of one table.
type Alter struct {
	Builder
	Table *catalog.Table
	Now   time.Time // when the statement began
}

// moved is a copy of a table in spaces of its own, in which no row lacks a column.
func (a *Alter) moved() (*catalog.Table, error) {
	t := *a.Table
	t.Version++
	t.StorageNames = nil
	t.Columns, t.Indexes = slices.Clone(t.Columns), slices.Clone(t.Indexes)
	for i := range t.Columns {
		t.Columns[i].Missing = types.Null
	}
	id, err := a.Next()
	if err != nil {
		return nil, err
	}
	t.Space = catalog.NewSpace(id, t.Schema, t.Name)
	for i := range t.Indexes {
		if id, err = a.Next(); err != nil {
			return nil, err
		}
		t.Indexes[i].Space = catalog.NewSpace(id, t.Schema, t.Name, t.Indexes[i].Name)
		t.IncludeExpiry(&t.Indexes[i])
	}
	return &t, nil
}

// Truncated is the table without rows.
func (a *Alter) Truncated() (*catalog.Table, error) {
	t, err := a.moved()
	if err == nil {
		t.Stats = catalog.Stats{Known: true}
	}
	return t, err
}
