package joinorder

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
)

// orderWhims are three orders of random costs, of which the first is asked for, and a few of its rows are enough.
type orderWhims struct {
	*whims
	seed uint64
}

// Ways implements Orders.
func (o orderWhims) Ways(relation int) (out []Way) {
	for order := 1; order <= 3; order++ {
		if cost := o.of("way", relation, order); cost < 0.7 {
			out = append(out, Way{order, cost / 4, cost})
		}
	}
	return out
}

// Kept implements Orders.
func (o orderWhims) Kept(l, r *Plan, _ Join, _ float64) Way {
	return Way{l.Order, l.Startup + r.Cost/2, l.Cost + r.Cost + o.of("kept", l.Set, r.Set)}
}

// Merged implements Orders.
func (o orderWhims) Merged(l, r *Plan, _ Join, _ float64) (w Way, ok bool) {
	of := o.of("merged", l.Set, r.Set, l.Order, r.Order)
	return Way{l.Order, l.Startup + r.Startup, l.Cost + r.Cost + of/2}, of < 0.4
}

// Useful implements Orders.
func (o orderWhims) Useful(int, Set) bool { return true }

// Whole implements Orders.
func (o orderWhims) Whole(w Way, _ float64) float64 {
	if w.Order == 1 {
		return w.Startup + 0.3*(w.Cost-w.Startup)
	}
	return w.Cost + 0.2
}

// of is a random number that is always the same for the same things.
func (o orderWhims) of(things ...any) float64 {
	h := fnv.New64()
	fmt.Fprint(h, o.seed, things)
	return rand.New(rand.NewPCG(h.Sum64(), 1)).Float64()
}

// checkOrders wants the sides of a plan to come in the order that it has of them.
func checkOrders(t *testing.T, p *Plan) {
	if p.Left == nil {
		return
	}
	if p.Order != 0 && p.Left.Order != p.Order || p.Merged && (p.Order == 0 || p.Right.Order == 0) {
		t.Fatalf("%v in order %d of %d and %d", p, p.Order, p.Left.Order, p.Right.Order)
	}
	checkOrders(t, p.Left)
	checkOrders(t, p.Right)
}

// TestOrdersPay wants orders to be taken where they make plans cheaper, and no plan to become dearer by them.
func TestOrdersPay(t *testing.T) {
	seed := testseed.Of(t)
	ordered, merged := 0, 0
	for round := range uint64(500) {
		_, tree := newTree(seed, round, 2, 5)
		model := newWhims(round)
		plain, _ := Search(tree, model)
		orders := orderWhims{model, seed + round}
		model.orders = orders
		best, _ := Search(tree, model)
		if plain.Cost = orders.Whole(plain.way(), 0); best.Cost > plain.Cost+1e-9 {
			t.Fatalf("-seed %d: %v costs %v, without orders %v", seed, best, best.Cost, plain.Cost)
		}
		checkOrders(t, best)
		if best.Order > 0 {
			ordered++
		}
		if merges(best) {
			merged++
		}
	}
	t.Logf("%d plans in an order, %d merge", ordered, merged)
	if ordered < 100 || merged < 100 {
		t.Error("too few")
	}
}

func merges(p *Plan) bool { return p.Left != nil && (p.Merged || merges(p.Left) || merges(p.Right)) }

// TestWithin wants all joins to be allowed, and the cheapest plan of those whose joins are, with orders and without.
func TestWithin(t *testing.T) {
	seed := testseed.Of(t)
	none, ordered := 0, 0
	for round := range uint64(500) {
		_, tree := newTree(seed, round, 2, 4)
		model := newWhims(round)
		orders := orderWhims{model, seed + round}
		allowed := func(left, right Set) bool { return orders.of("allowed", left, right) < 0.7 }
		plain := Within(tree, model, allowed)
		model.orders = orders
		best := Within(tree, model, allowed)
		switch {
		case best == nil || plain == nil:
			if none++; best != plain {
				t.Fatalf("-seed %d: %v with orders, %v without", seed, best, plain)
			}
			continue
		case best.Cost > orders.Whole(plain.way(), 0)+1e-9:
			t.Fatalf("-seed %d: %v costs more than %v, without orders", seed, best, plain)
		case best.Order > 0:
			ordered++
		}
		checkOrders(t, best)
		checkAllowed(t, best, allowed)
	}
	t.Logf("%d trees without a plan, %d plans in an order", none, ordered)
	if none < 20 || ordered < 100 {
		t.Error("too few")
	}
}

func checkAllowed(t *testing.T, p *Plan, allowed func(l, r Set) bool) {
	if p.Left == nil {
		return
	}
	if !allowed(p.Left.Set, p.Right.Set) {
		t.Fatalf("%v joins %v with %v", p, p.Left, p.Right)
	}
	checkAllowed(t, p.Left, allowed)
	checkAllowed(t, p.Right, allowed)
}
