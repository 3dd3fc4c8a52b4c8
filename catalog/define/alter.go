package define

import (
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/family"
	"zproxy/sqlerr"
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
	if children := family.Children(a.Catalog, a.Table); len(children) > 0 {
		return nil, sqlerr.Unsupported("moving the rows of table %q, behind which rows of table %q lie,", a.Table.Name,
			children[0].Name)
	}
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
	old := t.Space
	t.Space = old.Next(catalog.NewSpace(id, t.Schema, t.Name))
	t.Primary = t.Primary.In(old, t.Space)
	for i := range t.Indexes {
		if id, err = a.Next(); err != nil {
			return nil, err
		}
		x := &t.Indexes[i]
		*x = x.In(catalog.NewSpace(id, t.Schema, t.Name, x.Name))
		if in := x.Space.In; in != nil && in.HostID == old.ID {
			moved := *in
			moved.HostID, moved.HostName = t.Space.ID, t.Space.Name
			x.Space.In = &moved
		}
		t.IncludeExpiry(x)
	}
	return &t, nil
}

// Truncated is the table without rows.
func (a *Alter) Truncated() (*catalog.Table, error) {
	if children := family.Children(a.Catalog, a.Table); len(children) > 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"cannot truncate a table referenced in a foreign key constraint").
			WithDetail("Table %q references %q.", children[0].Name, a.Table.Name)
	}
	t, err := a.moved()
	if err == nil {
		t.Stats = catalog.Stats{Known: true}
	}
	return t, err
}
