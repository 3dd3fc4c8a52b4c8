package joinorder

// Compared is what a search tells of a tree. Costs are those with what comes behind the joins.
type Compared struct {
	Best    *Plan // nil: none is found
	Written *Plan // the tree as it is; nil if there is no Best
	// Second is the cheapest plan that joins in another order than Best, the sides of its joins taken as they are best;
	// nil: no other was thought of.
	Second *Plan
}

// Compare is Search that finds the second order, too. It looks at more joins, since none is left out for being dearer
// than the best one.
func Compare(t *Tree, model Model) Compared {
	all := t.Relations()
	s := newSearch(t, model)
	as := s.written(t)
	if as == nil {
		return Compared{}
	}
	out := Compared{Written: s.ended(as)}
	s.seconds = map[Set]*Plan{}
	if all.Count() <= mostRelations && s.everything(all) {
		out.Best, out.Second = s.whole(all), s.plans[all]
		if out.Second == nil || out.Second.Same(out.Best) {
			out.Second = s.second(out.Second)
		}
		out.Second = s.ended(out.Second)
		return out
	}
	s.seconds = nil
	if out.Best = s.ended(s.greedily(all)); out.Best != nil && !out.Best.Same(as) {
		out.Second = out.Written
	}
	return out
}

// second is the cheapest plan that differs from another one in one join: there it has the second way to split the
// relations, and all else is as it is best.
func (s *search) second(p *Plan) *Plan {
	if p == nil || p.Left == nil {
		return nil
	}
	out := s.seconds[p.Set]
	for _, sides := range [][2]*Plan{{s.second(p.Left), p.Right}, {p.Left, s.second(p.Right)}} {
		if sides[0] == nil || sides[1] == nil {
			continue
		}
		q := *p
		q.Left, q.Right, q.Order, q.Merged = sides[0], sides[1], 0, false
		if q.Cost = s.model.Cost(q.Left, q.Right, q.Join, q.Rows); out == nil || q.Cost < out.Cost {
			out = &q
		}
	}
	return out
}

// keep keeps a plan if it is the cheapest for its set or, where that is asked for, the second.
func (s *search) keep(p *Plan) {
	before := s.plans[p.Set]
	if before == nil || p.Cost < before.Cost {
		s.plans[p.Set] = p
	}
	if s.seconds == nil || before == nil {
		return
	}
	dearer := p
	if s.plans[p.Set] == p {
		dearer = before
	}
	if second := s.seconds[p.Set]; !p.splits(before) && (second == nil || dearer.Cost <= second.Cost) {
		s.seconds[p.Set] = dearer
	}
}

// most is what a plan must cost less than to be kept.
func (s *search) most(set Set) (cost float64, ok bool) {
	kept := s.plans[set]
	if s.seconds != nil {
		kept = s.seconds[set]
	}
	if kept == nil {
		return 0, false
	}
	return kept.Cost, true
}

// splits says whether two plans of a set join the same two sets.
func (p *Plan) splits(q *Plan) bool { return p.Left.Set == q.Left.Set || p.Left.Set == q.Right.Set }

// Same says whether two plans of a set join in the same order, whichever side is the left one.
func (p *Plan) Same(q *Plan) bool {
	switch {
	case p.Left == nil:
		return true
	case p.Left.Set == q.Left.Set:
		return p.Left.Same(q.Left) && p.Right.Same(q.Right)
	case p.Left.Set == q.Right.Set:
		return p.Left.Same(q.Right) && p.Right.Same(q.Left)
	}
	return false
}
