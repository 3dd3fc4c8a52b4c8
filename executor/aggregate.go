package executor

import (
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// aggregate delivers one row for each group of rows of its input, in the order in which
// groups first come. Without group expressions all rows, also none, are one group.
func aggregate(f frame, n plan.Aggregate) Rows {
	input := f.input(n.Input)
	return func(yield func(*types.Batch, error) bool) {
		held := f.hold()
		defer held.release()
		g := newGrouper(n, &held)
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			for i := 0; err == nil && i < batch.Len(); i++ {
				err = g.add(batch.Row(i), f.env.Expr)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		if err := g.finish(f); err != nil {
			yield(nil, err)
			return
		}
		emit(f, len(g.groups), g.kept.width, func(i int) types.Row { return g.groups[i].row }, yield)
	}
}

// grouper gathers rows in groups.
type grouper struct {
	plan.Aggregate
	types  [][]types.T // of the arguments of each call
	places rowSet
	groups []group
	kept   slab // of whole result rows
	held   *hold
	key    types.Row
	args   []types.Value
}

// group is one group: its row, of which the values of the group expressions are known,
// and for each call what was added.
type group struct {
	row    types.Row
	states []state
}

type state struct {
	sum  expr.Accumulator
	list *argumentList // what is added at the end, in an order; nil: nothing
}

func newGrouper(n plan.Aggregate, held *hold) *grouper {
	g := &grouper{Aggregate: n, held: held, places: rowSet{held: held}, key: make(types.Row, len(n.Groups))}
	g.kept.width = len(n.Groups) + len(n.Calls)
	for _, call := range n.Calls {
		ts := make([]types.T, len(call.Args))
		for i, a := range call.Args {
			ts[i] = a.Type()
		}
		g.types = append(g.types, ts)
	}
	if len(n.Groups) == 0 {
		g.open()
	}
	return g
}

// open begins a group with the present key.
func (g *grouper) open() {
	next := group{row: g.kept.add(), states: make([]state, len(g.Calls))}
	copy(next.row, g.key)
	for i, call := range g.Calls {
		next.states[i].sum = call.Fn.New(g.types[i])
		if ranker, ok := next.states[i].sum.(expr.Ranker); ok {
			ranker.OrderBy(func(a, b types.Row) int { return compareKeys(call.Order, a, b) })
		}
		if call.Distinct || call.Order != nil {
			next.states[i].list = newArgumentList(&call, g.held)
		}
	}
	g.groups = append(g.groups, next)
}

// groupBytes estimates what a group takes besides its key in the set of keys.
func (g *grouper) groupBytes() int64 {
	return rowBytes(g.key) + int64(len(g.Calls))*(valueBytes+stateBytes)
}

// stateBytes is what an aggregate of one group takes while it keeps no rows.
const stateBytes = 96

// add adds a row to its group.
func (g *grouper) add(row types.Row, c *expr.Context) error {
	at := 0
	if len(g.Groups) > 0 {
		if err := evaluate(g.key, g.Groups, c, row); err != nil {
			return err
		}
		var opened bool
		var err error
		if at, opened, err = g.places.number(g.key); err != nil {
			return err
		}
		if opened {
			g.open()
			if err := g.held.add(g.groupBytes()); err != nil {
				return err
			}
		}
	}
	for i := range g.Calls {
		if err := g.call(&g.Calls[i], &g.groups[at].states[i], c, row); err != nil {
			return err
		}
	}
	return nil
}

// call adds a row to one aggregate.
func (g *grouper) call(call *plan.AggregateCall, s *state, c *expr.Context, row types.Row) error {
	if call.Filter != nil {
		v, err := call.Filter.Eval(c, row)
		if err != nil || !v.IsTrue() {
			return err
		}
	}
	g.args = g.args[:0]
	for _, a := range call.Args {
		v, err := a.Eval(c, row)
		if err != nil {
			return err
		}
		g.args = append(g.args, v)
	}
	if s.list != nil {
		return s.list.add(g.args, row, c, g.held)
	}
	if call.Fn.Keeps {
		if err := g.held.add(rowBytes(g.args)); err != nil {
			return err
		}
	}
	return s.sum.Add(c, g.args)
}

// result is an aggregate of all that was added.
func (s *state) result(c *expr.Context) (types.Value, error) {
	if s.list != nil {
		if err := s.list.each(func(args types.Row) error { return s.sum.Add(c, args) }); err != nil {
			return types.Null, err
		}
	}
	return s.sum.Result(c)
}

// finish fills in the aggregates.
func (g *grouper) finish(f frame) error {
	for i := range g.groups {
		if i%types.BatchRows == 0 {
			if err := f.canceled(); err != nil {
				return err
			}
		}
		for j := range g.Calls {
			v, err := g.groups[i].states[j].result(f.env.Expr)
			if err != nil {
				return err
			}
			g.groups[i].row[len(g.Groups)+j] = v
		}
	}
	return nil
}
