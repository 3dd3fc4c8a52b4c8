package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/joinorder"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
	"zproxy/types"
)

// early is an Aggregate over joins of which one input forms groups before it is joined. Columns have their numbers in
// the set of joins; those of what came of groups follow behind them.
type early struct {
	*joinSet
	joinTree
	above  plan.Aggregate
	input  int
	groups plan.Aggregate
	keys   []int // the columns by which groups are formed
	parts  []int // of each call above the number of its first part; negative: it is computed above the joins alone
}

// prepare forms the groups of the input. It is not ok if the input cannot form groups.
func (e *early) prepare() bool {
	if found, ok := reachable(e.Tree, e.input); !found || !ok {
		return false
	}
	used := map[int]bool{}
	e.readByJoins(used)
	over := ofColumns(e.above, func(i int) int { return e.joinTree.columns[i] })
	columnsOf(used, over.Groups...)
	e.groups = plan.Aggregate{Input: e.inputs[e.input]}
	for _, c := range over.Calls {
		if e.splits(c) {
			e.addParts(c)
			continue
		}
		if !c.Distinct && !c.Fn.Idempotent {
			return false // it depends on how many rows are joined
		}
		e.parts = append(e.parts, -1)
		columnsOf(used, append(slices.Clone(c.Args), c.Filter)...)
		for _, k := range c.Order {
			columnsOf(used, k.Expr)
		}
	}
	return e.addKeys(used)
}

// reachable finds an input among joins whose rows have its columns. It is not ok if they do not.
func reachable(t *joinorder.Tree, input int) (found, ok bool) {
	if t.Left == nil {
		return t.Relation == input, true
	}
	if found, ok = reachable(t.Left, input); found {
		return found, ok
	}
	found, ok = reachable(t.Right, input)
	return found, ok && t.Kind != plan.SemiJoin && t.Kind != plan.AntiJoin
}

// mayLack says whether joins have rows without one of an input.
func mayLack(t *joinorder.Tree, input int) bool {
	if t.Left == nil {
		return false
	}
	if t.Left.Relations().Meets(joinorder.Of(input)) {
		return mayLack(t.Left, input)
	}
	return t.Kind == plan.LeftJoin || mayLack(t.Right, input)
}

// ofColumns is an Aggregate over other columns.
func ofColumns(a plan.Aggregate, to func(int) int) plan.Aggregate {
	return ofExprs(a, func(x expr.Expr) expr.Expr { return expr.Renumber(x, to) })
}

// splits says whether a call is over columns of the input, and may be computed of what comes of groups.
func (e *early) splits(c plan.AggregateCall) bool {
	return hasParts(c) && c.Filter == nil && !slices.ContainsFunc(c.Args, func(x expr.Expr) bool {
		column, ok := x.(expr.Column)
		return !ok || e.inputOf(column.Index) != e.input
	})
}

// addParts lets the groups compute the parts of a call.
func (e *early) addParts(c plan.AggregateCall) {
	e.parts = append(e.parts, len(e.groups.Calls))
	start := e.starts[e.input]
	for _, part := range partsOf(c) {
		for i, x := range part.Args {
			part.Args[i] = expr.Shift(x, -start)
		}
		e.groups.Calls = append(e.groups.Calls, part)
	}
}

// hasParts says whether a call may be computed of what comes of groups.
func hasParts(c plan.AggregateCall) bool { return c.Fn.Whole != nil && !c.Distinct && c.Order == nil }

// partsOf are the parts of a call, over its arguments.
func partsOf(c plan.AggregateCall) (out []plan.AggregateCall) {
	for _, fn := range c.Fn.Parts {
		part := plan.AggregateCall{Fn: fn, Type: types.Of(fn.Result), Args: slices.Clone(c.Args), Filter: c.Filter}
		if fn == c.Fn {
			part.Type = c.Type
		}
		out = append(out, part)
	}
	return out
}

// addKeys forms groups by those of some columns that are of the input. It is not ok if there are none: without keys
// there is a group also where there are no rows. Nor is it where values of one group differ.
func (e *early) addKeys(used map[int]bool) bool {
	columns := e.inputs[e.input].Columns()
	for i, number := range e.columnsOf(e.input) {
		if !used[number] {
			continue
		}
		if !columns[i].Type.OneForm() {
			return false
		}
		e.keys = append(e.keys, number)
		e.groups.Groups = append(e.groups.Groups, expr.Column{Index: i, Name: columns[i].Name, T: columns[i].Type})
		e.groups.Cols = append(e.groups.Cols, columns[i])
	}
	for _, c := range e.groups.Calls {
		e.groups.Cols = append(e.groups.Cols, plan.Column{Name: c.Fn.Name, Type: c.Type})
	}
	return len(e.keys) > 0
}

// aggregate is the Aggregate over the joins with the groups.
func (e *early) aggregate() plan.Aggregate {
	inputs := 0
	joins, before, after := e.joined(e.node, &inputs)
	at := positions(after)
	out := ofColumns(e.above, func(i int) int { return at[before[i]] })
	out.Input = joins
	for i, c := range out.Calls {
		if e.parts[i] < 0 {
			continue
		}
		whole := plan.AggregateCall{Fn: c.Fn.Whole, Type: c.Type}
		for k := range c.Fn.Parts {
			part := e.parts[i] + k
			whole.Args = append(whole.Args, e.part(part, at[e.width+part]))
		}
		out.Calls[i] = whole
	}
	return out
}

// listed is the rows of an Aggregate each of whose groups is one row of the joins. It is not ok if it has others, or if
// a call is not what came of its only part.
func (e *early) listed(a plan.Aggregate) (out plan.Project, ok bool) {
	if !rowkey.Unique(a.Input, agreed(a.Groups)) {
		return out, false
	}
	out = plan.Project{Input: a.Input, Exprs: slices.Clone(a.Groups), Cols: a.Cols}
	for i, c := range a.Calls {
		if e.parts[i] < 0 || len(c.Args) != 1 {
			return out, false
		}
		out.Exprs = append(out.Exprs, c.Args[0])
	}
	return out, true
}

// part is what came of a part of a call, in a column of the joins. A row that the joins keep without one of the input
// counts as one itself, and has no values.
func (e *early) part(part, column int) expr.Expr {
	c := e.groups.Calls[part]
	value := expr.Column{Index: column, Name: c.Fn.Name, T: c.Type}
	if c.Fn.Name != "count" || !mayLack(e.Tree, e.input) {
		return value
	}
	none := expr.Const{Value: types.NewInt(0), T: c.Type}
	if len(c.Args) == 0 {
		none.Value = types.NewInt(1)
	}
	return expr.Coalesce{Args: []expr.Expr{value, none}, T: c.Type}
}

// joined is the joins with groups instead of the input, and the columns that they had and have.
func (e *early) joined(n plan.Node, inputs *int) (out plan.Node, before, after []int) {
	j, ok := n.(plan.Join)
	if !ok || !orderable(j) {
		return e.next(n, inputs)
	}
	l, leftBefore, leftAfter := e.joined(j.Left, inputs)
	right := e.joined
	if len(j.Slots) > 0 {
		right = e.next
	}
	r, rightBefore, rightAfter := right(j.Right, inputs)
	before, after = slices.Concat(leftBefore, rightBefore), slices.Concat(leftAfter, rightAfter)
	at := positions(after)
	now := make([]int, len(before))
	for i, number := range before {
		now[i] = at[number]
	}
	j.Left, j.Right, j.Slots = l, r, slotsOver(j.Slots, now)
	if j.On != nil {
		j.On = expr.Renumber(j.On, func(i int) int { return now[i] })
	}
	if j.Kind == plan.SemiJoin || j.Kind == plan.AntiJoin {
		return j, leftBefore, leftAfter
	}
	return j, before, after
}

// positions is where each of some columns is among them.
func positions(columns []int) map[int]int {
	at := make(map[int]int, len(columns))
	for i, number := range columns {
		at[number] = i
	}
	return at
}

// next is the next input of the joins, or its groups.
func (e *early) next(n plan.Node, inputs *int) (out plan.Node, before, after []int) {
	number := *inputs
	*inputs++
	before = e.columnsOf(number)
	if number != e.input {
		return n, before, before
	}
	after = slices.Clone(e.keys)
	for part := range e.groups.Calls {
		after = append(after, e.width+part)
	}
	return e.groups, before, after
}
