package catalog

import (
	"slices"
	"time"

	"zproxy/types"
)

// Condition says which rows a partial index holds: those for which it is true. It is kept as a
// text that always means what it meant when it was made: under the names of then, and with its
// constants, such as times without a zone, read by the settings of then.
type Condition struct {
	Text string
	Over Use // the table
	// NotNull are columns in which no row for which it is true has NULL.
	NotNull   []uint32            `json:",omitempty"`
	Zone      string              `json:",omitempty"` // empty: UTC
	Intervals types.IntervalStyle `json:",omitempty"`
	Made      time.Time           // what 'now' is
}

// As is the table with the name, and only the columns, that a use of it has.
func (t *Table) As(u Use) *Table { return asUsed(t, u).(*Table) }

// Env is what constants of the condition are read with.
func (c *Condition) Env() (*types.Env, error) {
	env := &types.Env{IntervalStyle: c.Intervals, Now: c.Made}
	if c.Zone == "" {
		return env, nil
	}
	var err error
	env.Location, err = types.LoadLocation(c.Zone)
	return env, err
}

// over says whether the condition names a column.
func (c *Condition) over(id uint32) bool {
	return c != nil && slices.ContainsFunc(c.Over.Columns, func(b Bound) bool { return b.ID == id })
}
