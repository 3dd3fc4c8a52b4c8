package expr

import "zproxy/types"

// Accumulators compute one aggregate for many groups, which have numbers from 0.
type Accumulators interface {
	// Open begins the next group.
	Open()
	// Add takes the arguments of one row of a group.
	Add(c *Context, group int, args []types.Value) error
	// AddVector takes the selected rows of a batch, each of which is in the group of the same place: they have the
	// values of a vector as their only arguments, or with nil none.
	AddVector(c *Context, groups, sel []int32, v *types.Vector) error
	// Result is the aggregate of what was added to a group.
	Result(c *Context, group int) (types.Value, error)
}

// NewMany makes accumulators for arguments of these types, with the order of rows for
// those that rank. Those that are nothing but a few numbers lie next to each other.
func (a *Aggregate) NewMany(args []types.T, order func(a, b types.Row) int) Accumulators {
	if small, ok := a.New(args).(Small); ok {
		return small.Many()
	}
	return &perGroup{open: func() Accumulator {
		one := a.New(args)
		if r, ok := one.(ranker); ok {
			r.OrderBy(order)
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

// AddVector implements Accumulators.
func (a *perGroup) AddVector(c *Context, groups, sel []int32, v *types.Vector) error {
	return AddEach(a, c, groups, sel, v)
}

// AddEach is AddVector by Add.
func AddEach(a Accumulators, c *Context, groups, sel []int32, v *types.Vector) error {
	var args [1]types.Value
	for k, i := range sel {
		given := args[:0]
		if v != nil {
			given = append(given, v.Value(int(i)))
		}
		if err := a.Add(c, int(groups[k]), given); err != nil {
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
