package expr

import (
	"reflect"

	"zproxy/types"
)

// Equal says whether two expressions are written alike and so always have the same
// value for the same row, unless they are volatile.
func Equal(a, b Expr) bool { return (&Pairs{}).Equal(a, b) }

// Pairs are the numbers that two plans of one query gave to the same thing: each time that a
// query is planned, its slots and common tables get new ones.
type Pairs struct{ slots, tables map[int]int }

// Slot takes a slot of the left plan and one of the right plan to be the same.
func (p *Pairs) Slot(a, b int) { pair(&p.slots, a, b) }

// Table takes a common table of the left plan and one of the right plan to be the same.
func (p *Pairs) Table(a, b int) { pair(&p.tables, a, b) }

// SameTable says whether two numbers mean the same common table.
func (p *Pairs) SameTable(a, b int) bool { return paired(p.tables, a, b) }

func pair(m *map[int]int, a, b int) {
	if *m == nil {
		*m = map[int]int{}
	}
	(*m)[a] = b
}

// paired says whether two numbers are a pair. What comes from outside of both plans has one.
func paired(m map[int]int, a, b int) bool {
	if other, ok := m[a]; ok {
		return other == b
	}
	return a == b
}

// Equal is Equal within two plans.
func (p *Pairs) Equal(a, b Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	switch x := a.(type) {
	case Column:
		y, ok := b.(Column)
		return ok && x.Index == y.Index
	case Const:
		y, ok := b.(Const)
		return ok && x.T.Same(y.T) && x.Value.IsNull() == y.Value.IsNull() &&
			(x.Value.IsNull() || types.Identical(x.Value, y.Value) || x.String() == y.String())
	case Outer:
		y, ok := b.(Outer)
		return ok && x.T.Same(y.T) && paired(p.slots, x.Slot, y.Slot)
	case Subquery:
		y, ok := b.(Subquery)
		return ok && p.subqueries(x, y)
	}
	if reflect.TypeOf(a) != reflect.TypeOf(b) || !a.Type().Same(b.Type()) || !p.Lists(a.Inputs(), b.Inputs()) {
		return false
	}
	blank := make([]Expr, len(a.Inputs()))
	for i := range blank {
		blank[i] = Const{}
	}
	return a.WithInputs(blank).String() == b.WithInputs(blank).String()
}

// Lists says whether the expressions of two lists are equal, one by one.
func (p *Pairs) Lists(a, b []Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !p.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// subqueries says whether two subqueries are the same query over the same values.
func (p *Pairs) subqueries(a, b Subquery) bool {
	if a.Kind != b.Kind || a.NullIsFalse != b.NullIsFalse || !a.T.Same(b.T) || len(a.Slots) != len(b.Slots) ||
		!p.Lists(a.Args, b.Args) || !p.Lists(a.Left, b.Left) {
		return false
	}
	if a.Number == b.Number {
		return true
	}
	for i := range a.Slots {
		p.Slot(a.Slots[i], b.Slots[i])
	}
	return p.Equal(a.Test, b.Test) && a.Plan.Same(b.Plan, p)
}
