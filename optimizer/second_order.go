package optimizer

import (
	"cmp"
	"fmt"
	"strconv"

	"zproxy/optimizer/joinorder"
	"zproxy/planner/plan"
)

// compared is a search that says, too, which order is the second beside the one that is taken.
func (s *joinSet) compared(t *joinorder.Tree, m joinorder.Model) (
	best *joinorder.Plan, second string, written float64) {
	found := joinorder.Compare(t, m)
	if found.Best == nil {
		return nil, "", 0
	}
	best, written = found.Best, found.Written.Cost
	taken, other := best, found.Second
	if stays := !s.pays(best.Cost, written); stays && !best.Same(found.Written) {
		taken, other = found.Written, best
	}
	if other == nil {
		return best, "no other order was considered", written
	}
	ratio := strconv.FormatFloat(other.Cost/taken.Cost, 'g', 3, 64)
	return best, fmt.Sprintf("%s, %s times the cost", s.orderText(other), ratio), written
}

// orderText shows an order of joins as the hint Leading has it.
func (s *joinSet) orderText(p *joinorder.Plan) string {
	if p.Left == nil {
		return nameOf(s.inputs[p.Set.Number()])
	}
	return "(" + s.orderText(p.Left) + " " + s.orderText(p.Right) + ")"
}

// nameOf is what a statement calls an input of joins.
func nameOf(n plan.Node) string {
	name := ""
	switch n := bare(n).(type) {
	case plan.Scan:
		name = n.Alias
	case plan.Ref:
		name = cmp.Or(n.Alias, n.Name)
	case plan.FunctionScan:
		name = n.Alias
	case plan.Virtual:
		name = n.Alias
	case plan.Aggregate:
		return nameOf(n.Input)
	case plan.Append: // of partitions, if all are called the same
		for i, in := range n.In {
			if of := nameOf(in); i == 0 || of == name {
				name = of
			} else {
				return "?"
			}
		}
	}
	return cmp.Or(name, "?")
}
