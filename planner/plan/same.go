package plan

import (
	"reflect"

	"zproxy/expr"
)

// Same implements expr.Subplan: it compares plans as the planner made them, but for the numbers
// that it gave to slots and common tables.
func (s Sub) Same(other expr.Subplan, p *expr.Pairs) bool {
	o, ok := other.(Sub)
	return ok && same(s.Node, o.Node, p)
}

func same(a, b Node, p *expr.Pairs) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) || !pairNumbers(a, b, p) {
		return false
	}
	in, other := a.Inputs(), b.Inputs()
	if len(in) != len(other) || !p.Lists(Exprs(a), Exprs(b)) || !reflect.DeepEqual(bare(a), bare(b)) {
		return false
	}
	for i := range in {
		if !same(in[i], other[i], p) {
			return false
		}
	}
	return true
}

// pairNumbers pairs the numbers of what two nodes make for those below them, and says whether
// what they read is the same.
func pairNumbers(a, b Node, p *expr.Pairs) bool {
	switch a := a.(type) {
	case Scan: // the optimizer's work is not compared
		return a.Access == nil && b.(Scan).Access == nil
	case Join:
		b := b.(Join)
		if len(a.Slots) != len(b.Slots) {
			return false
		}
		for i := range a.Slots {
			p.Slot(a.Slots[i].Number, b.Slots[i].Number)
		}
	case With:
		p.Table(a.Number, b.(With).Number)
	case Recursion:
		p.Table(a.Number, b.(Recursion).Number)
	case Ref:
		return p.SameTable(a.Number, b.(Ref).Number)
	}
	return true
}

// bare is a node without its expressions, its inputs, and what follows from its table.
func bare(n Node) Node {
	n, _ = MapExprs(n, func(expr.Expr) (expr.Expr, bool) { return expr.Const{}, true })
	n = n.WithInputs(make([]Node, len(n.Inputs())))
	switch n := n.(type) {
	case Scan:
		n.Holds, n.Declared, n.Computed = nil, nil, nil
		return n
	case Join:
		n.Slots = nil
		return n
	case With:
		n.Number = 0
		return n
	case Recursion:
		n.Number = 0
		return n
	case Ref:
		n.Number = 0
		return n
	}
	return n
}
