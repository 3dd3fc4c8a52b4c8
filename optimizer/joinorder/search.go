// Package joinorder finds the order in which relations are best joined: it knows which orders give the rows of the one
// that is written, and tries all of them, or, of many relations, what is nearest. What a join costs is said by a Model.
// Read Tree first, then Search.
package joinorder

import (
	"slices"

	"zproxy/planner/plan"
)

// Plan is a way to join a set of relations. Without a Left it is one relation.
type Plan struct {
	Set         Set
	Rows, Cost  float64
	Left, Right *Plan
	Join
	// Order is the number of the order in which its rows come, if that is of use: the order of the left side. Where
	// both sides are Merged, the right one has an order that begins with the same. 0: they come in any order.
	Order   int
	Merged  bool
	Startup float64 // of an ordered plan: what of its cost comes before the first row
}

// Join is how two plans are joined.
type Join struct {
	Kind       plan.JoinKind
	Lateral    bool  // the right side is one relation that runs for each row of the left one
	Conditions []int // the numbers of those that are asked
}

// directed says whether its sides cannot be swapped.
func (j *Join) directed() bool { return j.Kind != plan.InnerJoin || j.Lateral }

// Model estimates plans.
type Model interface {
	// Relation is what one relation has and costs.
	Relation(number int) (rows, cost float64)
	// Rows is how many rows a join has. It is asked once for each set of relations, with the first join that gives it.
	Rows(l, r *Plan, j Join) float64
	// Cost is what a join costs with its sides, which has so many rows: at least what the sides cost that are joins.
	Cost(l, r *Plan, j Join, rows float64) float64
	// Orders are those that are of use; nil: there are none.
	Orders() Orders
}

// Limits of what is tried.
const (
	// mostRelations is how many are joined in all orders.
	mostRelations = 12
	// mostPairs is how many pairs of sets are looked at, of which a clique of 10 relations has 28,501.
	mostPairs = 30_000
)

// Search finds the cheapest plan for a tree of at most MaxRelations, and says what the tree as it is costs, both with
// what comes behind them. There is no plan if none is found.
func Search(t *Tree, model Model) (best *Plan, written float64) {
	all := t.Relations()
	s := newSearch(t, model)
	as := s.written(t)
	if as == nil {
		return nil, 0
	}
	written = s.ended(as).Cost
	if all.Count() > mostRelations || !s.everything(all) {
		return s.ended(s.greedily(all)), written
	}
	return s.whole(all), written
}

// Within finds the cheapest plan of those whose joins are all allowed, with what comes behind them. There is none if
// none is found.
func Within(t *Tree, model Model, allowed func(l, r Set) bool) *Plan {
	all := t.Relations()
	s := newSearch(t, model)
	s.allowed = allowed
	if all.Count() > mostRelations || !s.everything(all) {
		return s.ended(s.greedily(all))
	}
	return s.whole(all)
}

// search is the plans that are known for sets of relations.
type search struct {
	edges []edge
	all   Set
	model Model
	plans map[Set]*Plan
	// orders are those that are of use, and ordered the cheapest plans that have them; nil: none is of use.
	orders  Orders
	ordered map[Set][]orderedPlan
	// seconds are the cheapest that split their set otherwise than those; nil: they are not asked for.
	seconds map[Set]*Plan
	rows    map[Set]float64 // of joins
	pairs   int
	asked   []int // the conditions of the pair that is looked at
	// allowed, if it is set, says whether two sets may be the left and the right side of a join.
	allowed func(l, r Set) bool
}

func newSearch(t *Tree, model Model) *search {
	s := &search{edges: t.edges(), all: t.Relations(), model: model, plans: map[Set]*Plan{}, rows: map[Set]float64{}}
	if s.orders = model.Orders(); s.orders != nil {
		s.ordered = map[Set][]orderedPlan{}
	}
	var runs Set // for each row of others
	for _, r := range needed(s.edges) {
		runs |= r.when
	}
	for rest := s.all; rest != 0; rest &^= rest.least() {
		p := &Plan{Set: rest.least()}
		p.Rows, p.Cost = model.Relation(p.Set.Number())
		s.plans[p.Set] = p
		if s.orders != nil && !runs.Meets(p.Set) {
			s.relationInOrder(p)
		}
	}
	return s
}

// written is the plan of a tree as it is; nil: the edges do not say how to join it.
func (s *search) written(t *Tree) *Plan {
	if t.Left == nil {
		return s.plans[Of(t.Relation)]
	}
	l, r := s.written(t.Left), s.written(t.Right)
	if l == nil || r == nil {
		return nil
	}
	return s.try(l, r)
}

// try joins two plans, and keeps what comes out if it is the cheapest for its set, or for one of its orders. It is nil
// where joined is.
func (s *search) try(l, r *Plan) *Plan {
	p := s.joined(l, r)
	if p != nil {
		s.keep(p)
	}
	if s.orders != nil {
		s.tryOrders(l.Set, r.Set)
	}
	return p
}

// joined is the cheaper way to join two plans of which either may be the left side. It is nil if that does not give the
// rows that are wanted, or is no cheaper than what is known.
func (s *search) joined(a, b *Plan) *Plan {
	set := a.Set | b.Set
	most, known := s.most(set)
	if known && least(a, b) >= most {
		return nil
	}
	j, ok := s.join(a.Set, b.Set)
	if !ok {
		return nil
	}
	if j.swapped {
		a, b = b, a
	}
	if !s.permits(a.Set, b.Set) {
		if j.directed() || !s.permits(b.Set, a.Set) {
			return nil
		}
		a, b = b, a
	}
	rows, ok := s.rows[set]
	if !ok {
		rows = s.model.Rows(a, b, j.Join)
		s.rows[set] = rows
	}
	cost := s.model.Cost(a, b, j.Join, rows)
	if !j.directed() && s.permits(b.Set, a.Set) {
		if other := s.model.Cost(b, a, j.Join, rows); other < cost {
			a, b, cost = b, a, other
		}
	}
	if known && cost >= most {
		return nil
	}
	j.Conditions = slices.Clone(j.Conditions)
	return &Plan{Set: set, Left: a, Right: b, Join: j.Join, Rows: rows, Cost: cost}
}

// permits says whether two sets may be the left and the right side of a join.
func (s *search) permits(l, r Set) bool { return s.allowed == nil || s.allowed(l, r) }

// least is the least that a join of two plans may cost.
func least(a, b *Plan) (cost float64) {
	if a.Left != nil {
		cost += a.Cost
	}
	if b.Left != nil {
		cost += b.Cost
	}
	return cost
}

// connection is what joins two sets.
type connection struct {
	Join
	swapped bool // the second set is the left side; one that is not directed may have either
}

// join is what joins two sets: the edges that can be taken once both are together, and before could not. These are all
// of inner joins, of which one may be lateral, or there is one of another kind.
func (s *search) join(a, b Set) (j connection, ok bool) {
	var classes Set
	j.Conditions = s.asked[:0]
	defer func() { s.asked = j.Conditions }()
	both, found := a|b, 0
	for i := range s.edges {
		e := &s.edges[i]
		all := e.all()
		if !all.Within(both) || all.Within(a) || all.Within(b) {
			continue
		}
		if !e.allowed(both) || j.Kind != plan.InnerJoin {
			return j, false
		}
		if e.directed {
			j.swapped = e.left.Within(b) && e.right.Within(a)
			if !j.swapped && !(e.left.Within(a) && e.right.Within(b)) {
				return j, false
			}
			if found > 0 && e.kind != plan.InnerJoin {
				return j, false
			}
			j.Kind, j.Lateral = e.kind, e.lateral
		}
		found++
		if e.class > 0 {
			if classes.Meets(Of(e.class)) {
				continue
			}
			classes |= Of(e.class)
		}
		j.Conditions = append(j.Conditions, e.conditions...)
	}
	return j, found > 0
}
