package joinorder

import (
	"cmp"
	"maps"
	"slices"
)

// greedily joins the two plans whose join has the fewest rows, until one is left: Fegaras, "A new heuristic for
// optimizing large queries" (1998). It is nil if nothing joins what is left.
func (s *search) greedily(all Set) *Plan {
	maps.DeleteFunc(s.plans, func(_ Set, p *Plan) bool { return p.Left != nil })
	var left []*Plan
	for rest := all; rest != 0; rest &^= rest.least() {
		left = append(left, s.plans[rest.least()])
	}
	var joins []*Plan
	for i, r := range left {
		joins = s.with(joins, left[:i], r)
	}
	for len(left) > 1 {
		if len(joins) == 0 {
			return nil
		}
		best := slices.MinFunc(joins, func(a, b *Plan) int {
			return cmp.Or(cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Set, b.Set))
		})
		used := func(p *Plan) bool { return p.Set.Meets(best.Set) }
		left = slices.DeleteFunc(left, used)
		joins = s.with(slices.DeleteFunc(joins, used), left, best)
		left = append(left, best)
	}
	return left[0]
}

// with adds the joins of one more plan with others.
func (s *search) with(joins, others []*Plan, p *Plan) []*Plan {
	for _, other := range others {
		if j := s.joined(other, p); j != nil {
			joins = append(joins, j)
		}
	}
	return joins
}
