package expr

import "zproxy/types"

// Accumulators compute one aggregate for many groups, which have numbers from 0.
type Accumulators interface {
	// Open begins the next group.
	Open()
	// Add takes the arguments of one row of a group.
	Add(c *Context, group int, args []types.Value) error
	// AddColumn takes rows of which each is in the group of the same place: one of their
	// columns is the only argument, or for a negative one there are no arguments.
	AddColumn(c *Context, groups []int32, rows *types.Batch, column int) error
	// Result is the aggregate of what was added to a group.
	Result(c *Context, group int) (types.Value, error)
}

// NewMany makes accumulators for arguments of these types, with the order of rows for
// Rankers. Those that are nothing but a few numbers lie next to each other.
func (a *Aggregate) NewMany(args []types.T, order func(a, b types.Row) int) Accumulators {
	if small, ok := a.New(args).(Small); ok {
		return small.Many()
	}
	return &perGroup{open: func() Accumulator {
		one := a.New(args)
		if ranker, ok := one.(Ranker); ok {
			ranker.OrderBy(order)
		}
		return one
	}}
}

// Small is an accumulator that may be copied before anything is added, and makes ones of its kind
// for many groups.
type Small interface {
	Many() Accumulators
}

// perGroup are accumulators of any kind.
type perGroup struct {
	open   func() Accumulator
	groups []Accumulator
}

// Open implements Accumulators.
func (a *perGroup) Open() { a.groups = append(a.groups, a.open()) }

// Add implements Accumulators.
func (a *perGroup) Add(c *Context, group int, args []types.Value) error {
	return a.groups[group].Add(c, args)
}

// AddColumn implements Accumulators.
func (a *perGroup) AddColumn(c *Context, groups []int32, rows *types.Batch, column int) error {
	for i, g := range groups {
		if err := a.groups[g].Add(c, ColumnArgs(rows.Row(i), column)); err != nil {
			return err
		}
	}
	return nil
}

// Present is the state of a group, NULL if its accumulator has none.
func (a *perGroup) Present(group int) types.Value {
	if s, ok := a.groups[group].(interface{ Present(int) types.Value }); ok {
		return s.Present(0)
	}
	return types.Null
}

// Result implements Accumulators.
func (a *perGroup) Result(c *Context, group int) (types.Value, error) {
	return a.groups[group].Result(c)
}

// ColumnArgs is the arguments of a row of which one column is the only one, or for a negative one
// none.
func ColumnArgs(row types.Row, column int) []types.Value {
	if column < 0 {
		return nil
	}
	return row[column : column+1]
}
