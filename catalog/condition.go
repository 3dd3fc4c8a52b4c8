package catalog

import (
	"slices"
)

// Condition says which rows a partial index holds: those for which it is true. It is kept as a
// text that always means what it meant when it was made: under the names of then, and with its
// constants, such as times without a zone, read by the settings of then.
type Condition struct {
	Text string
	Over Use // the table
	// NotNull are columns in which no row for which it is true has NULL.
	NotNull []uint32 `json:",omitempty"`
	Literals
}

// As is the table with the name, and only the columns, that a use of it has.
func (t *Table) As(u Use) *Table { return asUsed(t, u).(*Table) }

// Whole is the table with the names that the columns of the condition had, and with all other columns: a row as a whole
// has those that came later.
func (c *Condition) Whole(t *Table) *Table {
	u := c.Over
	u.Columns = slices.Clone(u.Columns)
	for _, column := range t.Columns {
		taken := func(b Bound) bool { return b.ID == column.ID || b.Name == column.Name }
		if !column.Hidden && !slices.ContainsFunc(c.Over.Columns, taken) {
			u.Columns = append(u.Columns, Bound{ID: column.ID, Name: column.Name})
		}
	}
	return t.As(u)
}

// Names says whether the expression names a column.
func (c *Condition) Names(id uint32) bool { return c.over(id) }

// over says whether the condition names a column.
func (c *Condition) over(id uint32) bool {
	return c != nil && slices.ContainsFunc(c.Over.Columns, func(b Bound) bool { return b.ID == id })
}
