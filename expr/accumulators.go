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
	if small, ok := a.New(args).(interface{ many() Accumulators }); ok {
		return small.many()
	}
	return &apart{open: func() Accumulator {
		one := a.New(args)
		if ranker, ok := one.(Ranker); ok {
			ranker.OrderBy(order)
		}
		return one
	}}
}

// apart are accumulators of any kind.
type apart struct {
	open   func() Accumulator
	groups []Accumulator
}

// Open implements Accumulators.
func (a *apart) Open() { a.groups = append(a.groups, a.open()) }

// Add implements Accumulators.
func (a *apart) Add(c *Context, group int, args []types.Value) error {
	return a.groups[group].Add(c, args)
}

// AddColumn implements Accumulators.
func (a *apart) AddColumn(c *Context, groups []int32, rows *types.Batch, column int) error {
	for i, g := range groups {
		if err := a.groups[g].Add(c, columnArgs(rows.Row(i), column)); err != nil {
			return err
		}
	}
	return nil
}

// Result implements Accumulators.
func (a *apart) Result(c *Context, group int) (types.Value, error) { return a.groups[group].Result(c) }

func columnArgs(row types.Row, column int) []types.Value {
	if column < 0 {
		return nil
	}
	return row[column : column+1]
}

// together are accumulators that may be copied before anything is added and moved later.
type together[S any, P interface {
	*S
	Accumulator
}] struct {
	first  S // what each begins as
	groups []S
}

// Open implements Accumulators.
func (t *together[S, P]) Open() { t.groups = append(t.groups, t.first) }

// Add implements Accumulators.
func (t *together[S, P]) Add(c *Context, group int, args []types.Value) error {
	return P(&t.groups[group]).Add(c, args)
}

// AddColumn implements Accumulators.
func (t *together[S, P]) AddColumn(c *Context, groups []int32, rows *types.Batch, column int) error {
	for i, g := range groups {
		if err := P(&t.groups[g]).Add(c, columnArgs(rows.Row(i), column)); err != nil {
			return err
		}
	}
	return nil
}

// Result implements Accumulators.
func (t *together[S, P]) Result(c *Context, group int) (types.Value, error) {
	return P(&t.groups[group]).Result(c)
}

func (n *countRows) many() Accumulators    { return &together[countRows, *countRows]{first: *n} }
func (n *count) many() Accumulators        { return &together[count, *count]{first: *n} }
func (n *pairCount) many() Accumulators    { return &together[pairCount, *pairCount]{first: *n} }
func (e *extreme) many() Accumulators      { return &together[extreme, *extreme]{first: *e} }
func (d *decided) many() Accumulators      { return &together[decided, *decided]{first: *d} }
func (s *intSum) many() Accumulators       { return &together[intSum, *intSum]{first: *s} }
func (s *floatSum) many() Accumulators     { return &together[floatSum, *floatSum]{first: *s} }
func (m *floatMoments) many() Accumulators { return &together[floatMoments, *floatMoments]{first: *m} }
