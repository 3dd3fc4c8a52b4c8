package joinorder

import "slices"

// Orders are the orders of rows that are of use, numbered from 1: those in which two relations can be merged, and the
// one that a statement asks for. Selinger et al., "Access path selection in a relational database management system"
// (1979), call them interesting.
type Orders interface {
	// Ways are those in which a relation can be read in such orders. Of one that runs for each row of others there are
	// none.
	Ways(relation int) []Way
	// Useful says whether rows in an order may be merged with those of one of some relations, or are asked for in it.
	Useful(order int, others Set) bool
	// Kept is what a join costs whose rows come in the order of l.
	Kept(l, r *Plan, j Join, rows float64) Way
	// Merged is what it costs to merge sides that come in orders; it is not ok if these do not begin with what the join
	// asks to be equal.
	Merged(l, r *Plan, j Join, rows float64) (w Way, ok bool)
	// Whole is what a plan costs with the sort behind it that it takes to have its rows as they are asked for, and as
	// far as it runs.
	Whole(w Way, rows float64) float64
}

// Way is an order in which rows come, and what they cost. An order of 0 is any.
type Way struct {
	Order         int
	Startup, Cost float64
}

// way is that of a plan.
func (p *Plan) way() Way { return Way{p.Order, p.Startup, p.Cost} }

// orderedPlan is a plan whose rows come in an order, and what it costs with what comes behind it.
type orderedPlan struct {
	*Plan
	whole float64
}

// relationInOrder notes the ways in which a relation is read in an order.
func (s *search) relationInOrder(p *Plan) {
	for _, w := range s.orders.Ways(p.Set.Number()) {
		s.keepOrdered(Plan{Set: p.Set, Rows: p.Rows, Startup: w.Startup, Cost: w.Cost, Order: w.Order})
	}
}

// inOrder is the cheapest plan of a set whose rows come in the order of another plan, with room for it.
func (s *search) inOrder(p *Plan) *orderedPlan {
	plans := s.ordered[p.Set]
	for i := range plans {
		if plans[i].Order == p.Order {
			return &plans[i]
		}
	}
	return nil
}

// keepOrdered keeps a plan if it is the cheapest for its set whose rows come in its order.
func (s *search) keepOrdered(p Plan) {
	whole := s.orders.Whole(p.way(), p.Rows)
	of := s.inOrder(&p)
	if of != nil && whole >= of.whole {
		return
	}
	kept := p
	kept.Conditions = slices.Clone(p.Conditions)
	if of == nil {
		s.ordered[p.Set] = append(s.ordered[p.Set], orderedPlan{&kept, whole})
		return
	}
	*of = orderedPlan{&kept, whole}
}

// tryOrders joins two sets so that rows come in an order.
func (s *search) tryOrders(a, b Set) {
	of, other := s.ordered[a], s.ordered[b]
	rows, known := s.rows[a|b]
	if len(of) == 0 && len(other) == 0 || !known {
		return
	}
	j, ok := s.join(a, b)
	if !ok {
		return
	}
	if j.swapped {
		a, b, of, other = b, a, other, of
	}
	if s.permits(a, b) {
		s.tryLeft(of, other, s.plans[b], j.Join, rows)
	}
	if !j.directed() && s.permits(b, a) {
		s.tryLeft(other, of, s.plans[a], j.Join, rows)
	}
}

// tryLeft joins two sets, of which there are plans in some orders, so that rows come in the order of the left one.
func (s *search) tryLeft(left, right []orderedPlan, r *Plan, j Join, rows float64) {
	for _, l := range left {
		if s.orders.Useful(l.Order, s.all&^(l.Set|r.Set)) {
			s.keepOrder(l.Plan, r, j, rows)
		}
		for _, r := range right {
			s.merge(l.Plan, r.Plan, j, rows)
		}
	}
}

// merge joins two plans whose rows come in orders that begin alike.
func (s *search) merge(l, r *Plan, j Join, rows float64) {
	w, ok := s.orders.Merged(l, r, j, rows)
	if !ok {
		return
	}
	p := Plan{Set: l.Set | r.Set, Left: l, Right: r, Join: j, Rows: rows, Startup: w.Startup, Cost: w.Cost,
		Order: l.Order, Merged: true}
	if s.orders.Useful(p.Order, s.all&^p.Set) {
		s.keepOrdered(p)
	}
	if most, known := s.most(p.Set); !known || p.Cost < most {
		kept := p
		kept.Conditions = slices.Clone(p.Conditions)
		s.keep(&kept)
	}
}

// keepOrder joins two plans so that the order of the left one stays, unless that costs more than what is known.
func (s *search) keepOrder(l, r *Plan, j Join, rows float64) {
	p := Plan{Set: l.Set | r.Set, Left: l, Right: r, Join: j, Rows: rows, Startup: l.Startup, Cost: l.Cost,
		Order: l.Order}
	if r.Left != nil {
		p.Cost += r.Cost
	}
	if known := s.inOrder(&p); known != nil && s.orders.Whole(p.way(), rows) >= known.whole {
		return
	}
	w := s.orders.Kept(l, r, j, rows)
	p.Startup, p.Cost = w.Startup, w.Cost
	s.keepOrdered(p)
}

// whole is the plan of a set that is best with what comes behind it, which its cost has then.
func (s *search) whole(set Set) *Plan {
	best := s.plans[set]
	if s.orders == nil || best == nil {
		return best
	}
	for _, p := range s.ordered[set] {
		if p.whole < s.orders.Whole(best.way(), best.Rows) {
			best = p.Plan
		}
	}
	return s.ended(best)
}

// ended is a plan with the cost of what comes behind it.
func (s *search) ended(p *Plan) *Plan {
	if s.orders == nil || p == nil {
		return p
	}
	out := *p
	out.Cost = s.orders.Whole(p.way(), p.Rows)
	return &out
}
