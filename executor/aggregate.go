package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/vector"
	"zproxy/planner/plan"
	"zproxy/types"
)

// aggregate delivers one row for each group of rows of its input, in the order in which
// groups first come. Without group expressions all rows, also none, are one group.
func aggregate(f frame, n plan.Aggregate) Rows {
	if n.Sorted {
		return sortedGroups(f, n)
	}
	return produce(f, len(n.Groups)+len(n.Calls), func(out *output) error {
		held := f.hold()
		defer f.keptAtMost(&held)
		g := newGrouper(f, n, &held)
		g.spills = true
		defer func() { g.off.close() }()
		for batch, err := range f.input(n.Input) {
			if err == nil {
				err = f.canceled()
			}
			if err == nil {
				err = g.add(batch)
			}
			if err != nil {
				return err
			}
		}
		return g.finish(out)
	})
}

// grouper gathers rows in groups.
type grouper struct {
	frame
	plan    plan.Aggregate
	by      keyColumns
	numbers rowSet // of the groups by the values of by
	groups  []types.Row
	kept    slab // of groups
	held    *hold
	key     types.Row // the values of by in a row
	args    []types.Value
	calls   []*groupedCall // all
	byRow   []*groupedCall // those that take rows one by one
	vectors []*groupedCall // and those that take vectors
	rowsOfBatch
	waiting
	resultForm
}

// waiting is what a grouper puts off.
type waiting struct {
	spills bool    // it puts rows off when there are too many groups
	late   bool    // it has put rows off: no more groups begin
	shared bool    // who gave it the rows writes those that it puts off
	level  int     // of the part that the rows are of; 0: they are all
	off    *putOff // nil: there are none, or they are shared
}

// resultForm says where the values of groups stand in the rows that come out, and what stands at their end.
type resultForm struct {
	at   []int // nil: in their order
	last types.Row
}

// rowsOfBatch are the rows of a batch that are added to groups.
type rowsOfBatch struct {
	all   []int32 // their numbers
	of    []int32 // the groups of all rows; negative: the row is put off
	own   []int32 // the numbers of those that are not put off
	ofOwn []int32 // and their groups
	sel   []int32 // the numbers of those that a filter leaves
	ofSel []int32 // and their groups
}

// groupedCall is one aggregate of all groups.
type groupedCall struct {
	plan.AggregateCall
	sums   expr.Accumulators
	lists  []*argumentList // of each group what is added at the end, in an order; nil: nothing is
	arg    *vector.Program // the only argument of a call that takes vectors; nil: there is none
	filter *vector.Program // of such a call; nil: all rows count
	once   *onceOfGroup    // of such a call that is DISTINCT; nil: each row counts
}

func newGrouper(f frame, n plan.Aggregate, held *hold) *grouper {
	keys := n.Keys()
	g := &grouper{frame: f, plan: n, held: held}
	g.by = keyColumns{keys: keys, by: f.env.Expr, set: vector.NewSet(f.env.Expr)}
	g.key = make(types.Row, len(keys))
	g.numbers = newRowSet(held, typesOf(keys)...)
	g.kept.width = len(n.Groups)
	for _, call := range n.Calls {
		c := &groupedCall{AggregateCall: call}
		c.sums = call.Fn.NewMany(typesOf(call.Args), func(a, b types.Row) int { return compareKeys(c.Order, a, b) })
		g.calls = append(g.calls, c)
		if c.takesVectors() {
			c.compile(g.by.set)
			if call.Distinct {
				c.once = newOnceOfGroup(held, call.Args[0], len(keys) > 0)
			}
			g.vectors = append(g.vectors, c)
		} else {
			g.byRow = append(g.byRow, c)
		}
	}
	if len(n.Groups) == 0 {
		g.open(nil)
	}
	return g
}

// takesVectors says whether rows can be added many at a time: it is not known whether another
// aggregate had a row before or after.
func (c *groupedCall) takesVectors() bool {
	return !c.listed() && c.isSimple()
}

// isSimple says whether a call keeps nothing of its rows, and has at most one argument.
func (c *groupedCall) isSimple() bool { return !c.Fn.Keeps && c.Fn.Routine == nil && len(c.Args) <= 1 }

// compile prepares a call that takes vectors.
func (c *groupedCall) compile(set *vector.Set) {
	if len(c.Args) > 0 {
		c.arg = set.Compile(c.Args[0])
	}
	if c.Filter != nil {
		c.filter = set.Compile(c.Filter)
	}
}

// listed says whether arguments are added only when all are known: in an order that the result depends on.
func (c *groupedCall) listed() bool {
	return c.Order != nil || c.Distinct && (c.Fn.Parts == nil || !c.isSimple())
}

// open begins a group whose groups have some values.
func (g *grouper) open(values types.Row) {
	g.groups = append(g.groups, values)
	for _, c := range g.calls {
		c.sums.Open()
		if c.listed() {
			c.lists = append(c.lists, newArgumentList(&c.AggregateCall, g.held))
		}
	}
}

// groupBytes estimates what a group takes besides its key in the set of keys.
func (g *grouper) groupBytes(values types.Row) int64 {
	return rowBytes(values) + int64(len(g.calls))*stateBytes
}

// stateBytes is what an aggregate of one group takes while it keeps no rows.
const stateBytes = 96

// add adds rows to their groups.
func (g *grouper) add(batch *types.Batch) error {
	g.by.set.Begin(batch)
	if err := g.number(batch); err != nil {
		return err
	}
	if len(g.byRow) > 0 {
		for i, group := range g.of {
			if group < 0 {
				continue
			}
			for _, c := range g.byRow {
				if err := g.call(c, int(group), batch.Row(i)); err != nil {
					return err
				}
			}
		}
	}
	if len(g.vectors) == 0 {
		return nil
	}
	sel, groups := g.grouped(batch.Len())
	for _, c := range g.vectors {
		if err := g.addVector(c, sel, groups); err != nil {
			return err
		}
	}
	return nil
}

// grouped are the rows that are not put off, and their groups.
func (g *grouper) grouped(rows int) (sel, groups []int32) {
	g.all = rowNumbers(g.all, rows)
	if !g.late {
		return g.all, g.of
	}
	g.own, g.ofOwn = g.own[:0], g.ofOwn[:0]
	for i, group := range g.of {
		if group >= 0 {
			g.own, g.ofOwn = append(g.own, int32(i)), append(g.ofOwn, group)
		}
	}
	return g.own, g.ofOwn
}

// full says whether no more groups begin.
func (g *grouper) full() bool {
	return g.late || g.spills && len(g.groups) > 1 && g.held.bytes > g.workMemory()
}

// putOff puts off a row by its key.
func (g *grouper) putOff(row types.Row) error {
	if g.late = true; g.shared {
		return nil
	}
	if g.off == nil {
		g.off = &putOff{frame: g.frame, level: g.level + 1, width: plan.Width(g.plan.Input)}
	}
	return g.off.addBy(g.key, row)
}

// finish delivers the groups, and then those of the rows that were put off.
func (g *grouper) finish(out *output) error {
	if err := g.deliver(out); err != nil || g.off == nil {
		return err
	}
	g.forget()
	return g.off.each(func(rows rowsOf) error { return g.again(rows, g.level+1, out) })
}

// forget gives back what the groups take.
func (g *grouper) forget() {
	g.held.note(g.profile())
	g.groups, g.calls, g.byRow, g.vectors, g.numbers, g.kept = nil, nil, nil, nil, rowSet{}, slab{}
	g.held.release()
}

// again delivers the groups of rows that were put off, which are of a level.
func (g *grouper) again(rows rowsOf, level int, out *output) error {
	part := newGrouper(g.frame, g.plan, g.held)
	part.resultForm, part.level, part.spills = g.resultForm, level, spills(level)
	defer func() { part.off.close() }()
	batch := types.NewBatch(plan.Width(g.plan.Input))
	err := rows(func(row types.Row) error {
		if batch.Full() {
			if err := part.add(batch); err != nil {
				return err
			}
			batch.Reset(batch.Width())
		}
		batch.Append(row)
		return nil
	})
	if err == nil {
		err = part.add(batch)
	}
	if err == nil {
		err = part.finish(out)
	}
	part.forget()
	return err
}

// number finds the groups of rows.
func (g *grouper) number(batch *types.Batch) error {
	if g.of = slices.Grow(g.of[:0], batch.Len())[:batch.Len()]; len(g.by.keys) == 0 {
		clear(g.of)
		return nil
	}
	if batch.Len() <= fewRows {
		return g.numberEach(batch)
	}
	if err := g.by.load(batch); err != nil {
		return err
	}
	g.numbers.load(&g.by, batch.Len())
	for i := range g.of {
		at, there := g.numbers.atColumns(&g.by, i, !g.full())
		g.of[i] = int32(at)
		if there {
			continue
		}
		g.by.row(g.key, i)
		if err := g.begin(batch, i, at); err != nil {
			return err
		}
	}
	return nil
}

// numberEach is number row by row.
func (g *grouper) numberEach(batch *types.Batch) error {
	for i := range g.of {
		if err := evaluate(g.key, g.by.keys, g.env.Expr, batch.Row(i)); err != nil {
			return err
		}
		at, there := g.numbers.at(g.key, !g.full())
		g.of[i] = int32(at)
		if there {
			continue
		}
		if err := g.begin(batch, i, at); err != nil {
			return err
		}
	}
	return nil
}

// begin begins the group of a row, whose key is at hand, or puts it off if the group has no number.
func (g *grouper) begin(batch *types.Batch, i, number int) error {
	if number < 0 {
		return g.putOff(batch.Row(i))
	}
	if err := g.numbers.hold(); err != nil {
		return err
	}
	values := g.kept.add()
	if g.plan.By == nil {
		copy(values, g.key)
	} else if err := evaluate(values, g.plan.Groups, g.env.Expr, batch.Row(i)); err != nil {
		return err
	}
	g.open(values)
	return g.held.add(g.groupBytes(values))
}

// rowNumbers is the list 0, 1, ... of n numbers, made of one that begins so.
func rowNumbers(list []int32, n int) []int32 {
	for i := len(list); i < n; i++ {
		list = append(list, int32(i))
	}
	return list[:n]
}

// addVector adds rows to one aggregate of their groups.
func (g *grouper) addVector(c *groupedCall, sel, groups []int32) error {
	if c.filter != nil {
		var err error
		if g.sel, err = c.filter.Keep(append(g.sel[:0], sel...)); err != nil {
			return err
		}
		g.ofSel = g.ofSel[:0]
		for _, i := range g.sel {
			g.ofSel = append(g.ofSel, g.of[i])
		}
		sel, groups = g.sel, g.ofSel
	}
	if c.arg == nil {
		return c.sums.AddVector(g.env.Expr, groups, sel, nil)
	}
	v, err := c.arg.Values(sel)
	if err == nil && c.once != nil {
		sel, groups, err = c.once.keep(v, sel, groups)
	}
	if err != nil {
		return err
	}
	return c.sums.AddVector(g.env.Expr, groups, sel, v)
}

// call adds a row to one aggregate of a group.
func (g *grouper) call(c *groupedCall, group int, row types.Row) error {
	if c.Filter != nil {
		v, err := c.Filter.Eval(g.env.Expr, row)
		if err != nil || !v.IsTrue() {
			return err
		}
	}
	g.args = g.args[:0]
	for _, a := range c.Args {
		v, err := a.Eval(g.env.Expr, row)
		if err != nil {
			return err
		}
		g.args = append(g.args, v)
	}
	if c.lists != nil {
		return c.lists[group].add(g.args, row, g.env.Expr, g.held)
	}
	return g.sum(c, group, g.args)
}

// sum adds arguments to one aggregate of a group.
func (g *grouper) sum(c *groupedCall, group int, args types.Row) error {
	add := func() error { return c.sums.Add(g.env.Expr, group, args) }
	if of, ok := c.sums.(stateful); ok && c.Fn.Routine != nil {
		return g.held.replace(func() types.Value { return of.Present(group) }, add)
	}
	return g.accumulate(c.Fn, g.held, args, add)
}

// accumulate adds arguments to an aggregate, and charges them and what is made of them if it keeps them.
func (f frame) accumulate(fn *expr.Aggregate, held *hold, args types.Row, add func() error) error {
	if !fn.Keeps {
		return add()
	}
	if err := held.add(rowBytes(args)); err != nil {
		return err
	}
	made := f.env.made.bytes
	if err := add(); err != nil {
		return err
	}
	return held.add(f.env.made.bytes - made)
}

// deliver hands on the groups with their aggregates.
func (g *grouper) deliver(out *output) error {
	for i, values := range g.groups {
		row, err := out.add()
		if err != nil {
			return err
		}
		if g.at == nil {
			copy(row, values)
		}
		for j, at := range g.at {
			row[at] = values[j]
		}
		last := row[len(row)-len(g.last):]
		results := row[len(row)-len(last)-len(g.calls):]
		for j, c := range g.calls {
			if results[j], err = c.result(g, i); err != nil {
				return err
			}
		}
		copy(last, g.last)
	}
	return nil
}

// result is an aggregate of all that was added to a group.
func (c *groupedCall) result(g *grouper, group int) (types.Value, error) {
	ctx := g.env.Expr
	if c.lists != nil {
		err := c.lists[group].each(g.frame, func(args types.Row) error { return g.sum(c, group, args) })
		if err != nil {
			return types.Null, err
		}
	}
	return c.sums.Result(ctx, group)
}

// columnTypes are the types of columns.
func columnTypes(list []plan.Column) []types.T {
	out := make([]types.T, len(list))
	for i, c := range list {
		out[i] = c.Type
	}
	return out
}
