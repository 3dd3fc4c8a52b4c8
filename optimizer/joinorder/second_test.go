package joinorder

import (
	"math"
	"slices"
	"testing"

	"zproxy/internal/testseed"
)

// every is all plans of a set, in every order, each with the cheaper sides.
func (s *search) every(set Set, known map[Set][]*Plan) []*Plan {
	if set.Count() == 1 {
		return []*Plan{s.plans[set]}
	}
	if out, ok := known[set]; ok {
		return out
	}
	out := []*Plan{}
	set.subsets(func(l Set) {
		if r := set &^ l; l < r && s.connects(l, r) {
			for _, a := range s.every(l, known) {
				for _, b := range s.every(r, known) {
					if p := s.joined(a, b); p != nil {
						out = append(out, p)
					}
				}
			}
		}
	})
	known[set] = out
	return out
}

// connects says whether an edge leads from one of two sets to the other, as a search asks.
func (s *search) connects(a, b Set) bool {
	return slices.ContainsFunc(s.edges, func(e edge) bool {
		if !e.directed && len(e.rules) == 0 {
			return e.all().Meets(a) && e.all().Meets(b) && e.all().Within(a|b)
		}
		return e.left.Within(a) && e.right.Within(b) || e.left.Within(b) && e.right.Within(a)
	})
}

// TestCompare wants the best order to be that of Search, and the second to be the cheapest of all others.
func TestCompare(t *testing.T) {
	seed := testseed.Of(t)
	alone := 0
	for round := range uint64(500) {
		_, tree := newTree(seed, round, 2, 5)
		model := newWhims(round)
		found := Compare(tree, model)
		s := newSearch(tree, model)
		best, second := math.Inf(1), math.Inf(1)
		for _, p := range s.every(tree.Relations(), map[Set][]*Plan{}) {
			if best = math.Min(best, p.Cost); !p.Same(found.Best) {
				second = math.Min(second, p.Cost)
			}
		}
		got := math.Inf(1)
		if found.Second == nil {
			alone++
		} else if got = found.Second.Cost; found.Second.Same(found.Best) {
			t.Fatalf("-seed %d, %d: %v is %v", seed, round, found.Second, found.Best)
		}
		if math.Abs(found.Best.Cost-best) > 1e-9 || got != second && !(math.Abs(got-second) <= 1e-9) {
			t.Fatalf("-seed %d, %d: %v costs %v, not %v; the second %v costs %v, not %v", seed, round, found.Best,
				found.Best.Cost, best, found.Second, got, second)
		}
		if searched, _ := Search(tree, model); searched.String() != found.Best.String() {
			t.Fatalf("-seed %d, %d: Search finds %v, Compare %v", seed, round, searched, found.Best)
		}
	}
	if alone == 0 || alone > 400 {
		t.Errorf("%d of 500 have no second order", alone)
	}
}
