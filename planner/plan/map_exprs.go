package plan

import (
	"slices"

	"zproxy/expr"
)

// MapExprs is a copy of a node with its own expressions, but not those of its inputs,
// replaced by what f makes of them. It says whether f changed any.
func MapExprs(n Node, f func(expr.Expr) (expr.Expr, bool)) (Node, bool) {
	m := &mapping{f: f}
	out := m.node(n)
	return out, m.changed
}

type mapping struct {
	f       func(expr.Expr) (expr.Expr, bool)
	changed bool
}

func (m *mapping) node(n Node) Node {
	switch n := n.(type) {
	case Values:
		rows := make([][]expr.Expr, len(n.Rows))
		for i, row := range n.Rows {
			rows[i] = m.list(row)
		}
		n.Rows = rows
		return n
	case Scan:
		n.Filter = m.list(n.Filter)
		n.Access = m.access(n.Access)
		return n
	case Filter:
		n.Cond = m.one(n.Cond)
		return n
	case Project:
		n.Exprs = m.list(n.Exprs)
		return n
	case Sort:
		n.Keys = m.keys(n.Keys)
		return n
	case Nearest:
		n.Keys, n.Center = m.keys(n.Keys), m.one(n.Center)
		return n
	case Append:
		n.By = m.keys(n.By)
		return n
	case Limit:
		n.Count, n.Offset, n.Ties = m.one(n.Count), m.one(n.Offset), m.keys(n.Ties)
		return n
	case Distinct:
		n.On = m.list(n.On)
		return n
	case Memoize:
		n.Keys = m.list(n.Keys)
		return n
	case Aggregate:
		n.Groups, n.Calls = m.list(n.Groups), m.aggregates(n.Calls)
		return n
	case GroupingSets:
		n.Groups, n.Calls = m.list(n.Groups), m.aggregates(n.Calls)
		return n
	case FunctionScan:
		n.Calls = m.calls(n.Calls)
		return n
	case Virtual:
		n.Only = m.terms(n.Only)
		return n
	case ProjectSet:
		n.Calls = m.calls(n.Calls)
		return n
	case Window:
		return m.window(n)
	case Join:
		return m.join(n)
	case LockRows:
		n.Targets, n.Recheck = m.targets(n.Targets), m.one(n.Recheck)
		return n
	default:
		return m.write(n)
	}
}

func (m *mapping) write(n Node) Node {
	switch n := n.(type) {
	case Insert:
		n.Set, n.SetWhere, n.Checks, n.Returning = m.set(n.Set), m.one(n.SetWhere), m.checks(n.Checks),
			m.list(n.Returning)
		n.Partitions = m.partitions(n.Partitions)
		return n
	case Update:
		n.Set, n.Checks, n.Returning = m.set(n.Set), m.checks(n.Checks), m.list(n.Returning)
		n.Recheck = m.one(n.Recheck)
		n.Partitions = m.partitions(n.Partitions)
		return n
	case Delete:
		n.Checks, n.Key, n.Returning = m.checks(n.Checks), m.list(n.Key), m.list(n.Returning)
		n.Recheck = m.one(n.Recheck)
		n.Partitions = m.partitions(n.Partitions)
		return n
	case MergeInto:
		return m.mergeInto(n)
	case Instead:
		n.Set, n.Returning = m.set(n.Set), m.list(n.Returning)
		return n
	}
	return n
}

func (m *mapping) partitions(p *Partitions) *Partitions {
	if p == nil {
		return nil
	}
	out := *p
	out.Of = slices.Clone(p.Of)
	for i := range out.Of {
		out.Of[i].Checks = m.checks(out.Of[i].Checks)
	}
	return &out
}

func (m *mapping) one(e expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	out, changed := m.f(e)
	m.changed = m.changed || changed
	return out
}

func (m *mapping) list(list []expr.Expr) []expr.Expr {
	if list == nil {
		return nil
	}
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = m.one(e)
	}
	return out
}

func (m *mapping) keys(list []SortKey) []SortKey {
	if list == nil {
		return nil
	}
	out := make([]SortKey, len(list))
	for i, k := range list {
		k.Expr = m.one(k.Expr)
		out[i] = k
	}
	return out
}

// calls keeps calls: f may change their arguments.
func (m *mapping) calls(list []expr.Call) []expr.Call {
	out := make([]expr.Call, len(list))
	for i, c := range list {
		c.Args = m.list(c.Args)
		out[i] = c
	}
	return out
}

func (m *mapping) aggregates(list []AggregateCall) []AggregateCall {
	out := make([]AggregateCall, len(list))
	for i, c := range list {
		c.Args, c.Order, c.Filter = m.list(c.Args), m.keys(c.Order), m.one(c.Filter)
		out[i] = c
	}
	return out
}

func (m *mapping) window(n Window) Window {
	n.Partition, n.Order = m.list(n.Partition), m.keys(n.Order)
	calls := make([]WindowCall, len(n.Calls))
	for i, c := range n.Calls {
		c.Args, c.Filter = m.list(c.Args), m.one(c.Filter)
		for _, b := range []*FrameBound{&c.Frame.Start, &c.Frame.End} {
			b.Offset, b.Value = m.one(b.Offset), m.one(b.Value)
		}
		calls[i] = c
	}
	n.Calls = calls
	n.Run = slices.Clone(n.Run)
	for i := range n.Run { // what is compared is a call
		n.Run[i].Right = m.one(n.Run[i].Right)
	}
	return n
}

func (m *mapping) join(n Join) Join {
	n.On, n.Slots = m.one(n.On), m.slots(n.Slots)
	if n.Method == nil {
		return n
	}
	method := *n.Method
	method.Keys = make([]JoinKey, len(n.Method.Keys))
	for i, k := range n.Method.Keys {
		k.Left, k.Right = m.one(k.Left), m.one(k.Right)
		method.Keys[i] = k
	}
	method.Residual, method.Slots = m.one(method.Residual), m.slots(method.Slots)
	n.Method = &method
	return n
}

func (m *mapping) slots(list []Slot) []Slot {
	if list == nil {
		return nil
	}
	out := make([]Slot, len(list))
	for i, s := range list {
		s.Value = m.one(s.Value)
		out[i] = s
	}
	return out
}

func (m *mapping) targets(list []LockTarget) []LockTarget {
	out := make([]LockTarget, len(list))
	for i, t := range list {
		t.Row = m.list(t.Row)
		out[i] = t
	}
	return out
}

func (m *mapping) set(list []Assignment) []Assignment {
	if list == nil {
		return nil
	}
	out := make([]Assignment, len(list))
	for i, a := range list {
		a.Value = m.one(a.Value)
		out[i] = a
	}
	return out
}

func (m *mapping) checks(list []Check) []Check {
	if list == nil {
		return nil
	}
	out := make([]Check, len(list))
	for i, c := range list {
		c.Cond = m.one(c.Cond)
		out[i] = c
	}
	return out
}

func (m *mapping) terms(list []Term) []Term {
	out := make([]Term, len(list))
	for i, t := range list {
		t.Args = m.list(t.Args)
		out[i] = t
	}
	return out
}

func (m *mapping) bounds(list []Bound) []Bound {
	out := make([]Bound, len(list))
	for i, b := range list {
		b.Terms = m.terms(b.Terms)
		out[i] = b
	}
	return out
}

func (m *mapping) tuple(t *Tuple) *Tuple {
	if t == nil {
		return nil
	}
	out := *t
	out.Values = m.list(t.Values)
	return &out
}

func (m *mapping) access(a *Access) *Access {
	if a == nil {
		return nil
	}
	out := *a
	out.Rechosen = false // it would be for the expressions as they were
	out.Path = m.path(a.Path)
	out.Cond = m.list(a.Cond)
	if e := out.Entries(); e.Filter != nil {
		e.Filter = m.list(e.Filter)
		out = out.WithEntries(e)
	}
	if a.Lookup != nil {
		looked := *a.Lookup
		looked.Filter = m.list(looked.Filter)
		out.Lookup = &looked
	}
	return &out
}

// path keeps the filter of entries, which comes behind the conditions of the access.
func (m *mapping) path(p Path) Path {
	switch p := p.(type) {
	case Point:
		p.Bounds = m.bounds(p.Bounds)
		return p
	case Spans:
		sides := make([]Side, len(p.Sides))
		for i, side := range p.Sides {
			side.Bounds, side.Tuple = m.bounds(side.Bounds), m.tuple(side.Tuple)
			sides[i] = side
		}
		p.Sides = sides
		return p
	case Box:
		sides := make([][]Bound, len(p.Sides))
		for i, bounds := range p.Sides {
			sides[i] = m.bounds(bounds)
		}
		p.Sides, p.Edges = sides, m.list(p.Edges)
		return p
	case Elements:
		p.Asks = slices.Clone(p.Asks)
		for i := range p.Asks {
			p.Asks[i].Value = m.one(p.Asks[i].Value)
		}
		return p
	}
	return p
}
