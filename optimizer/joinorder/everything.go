package joinorder

// everything finds the best plans of all connected sets of relations: DPhyp of Moerkotte and Neumann, "Dynamic
// programming strikes back" (2008). It is false if there are too many pairs.
func (s *search) everything(all Set) bool {
	all.downwards(func(v Set) {
		s.from(v)
		s.grow(v, v.upTo())
	})
	return s.pairs <= mostPairs
}

// grow finds partners for all connected sets that hold a connected set and nothing that is left out.
func (s *search) grow(set, without Set) {
	if s.pairs > mostPairs {
		return
	}
	next := s.neighbours(set, without)
	next.subsets(func(more Set) {
		if s.plans[set|more] != nil {
			s.from(set | more)
		}
	})
	next.subsets(func(more Set) { s.grow(set|more, without|next) })
}

// from finds partners for a connected set.
func (s *search) from(set Set) {
	without := set | set.least().upTo()
	next := s.neighbours(set, without)
	next.downwards(func(v Set) {
		s.pair(set, v)
		s.growPartner(set, v, without|v.upTo()&next)
	})
}

// growPartner pairs a set with all connected sets that hold a partner and nothing that is left out.
func (s *search) growPartner(set, partner, without Set) {
	if s.pairs > mostPairs {
		return
	}
	next := s.neighbours(partner, without)
	next.subsets(func(more Set) { s.pair(set, partner|more) })
	next.subsets(func(more Set) { s.growPartner(set, partner|more, without|next) })
}

// pair joins two sets for which there are plans.
func (s *search) pair(a, b Set) {
	l, r := s.plans[a], s.plans[b]
	if l == nil || r == nil || s.pairs > mostPairs {
		return
	}
	s.pairs++
	s.try(l, r)
}

// neighbours are relations that edges lead to from a set: of an edge to several of them the first. A condition of inner
// joins may have those that it reads on either side.
func (s *search) neighbours(set, without Set) (out Set) {
	without |= set
	for i := range s.edges {
		e := &s.edges[i]
		if e.either {
			all := e.all()
			if rest := all &^ set; all.Meets(set) && !rest.Meets(without) {
				out |= rest.least()
			}
			continue
		}
		if e.left.Within(set) && !e.right.Meets(without) {
			out |= e.right.least()
		}
		if e.right.Within(set) && !e.left.Meets(without) {
			out |= e.left.least()
		}
	}
	return out
}
