package main

import (
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
)

// TestSnowflake counts the rows of joins by comparing all rows, and the joins of all orders.
func TestSnowflake(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 0))
	world := snowflake{{name: "a"}, {name: "b", to: []string{"a"}}, {name: "c", to: []string{"b"}},
		{name: "d", to: []string{"a", "c"}}}
	sizes := map[string]int{"a": 3, "b": 7, "c": 9, "d": 11}
	for _, r := range world {
		r.fill(random, sizes)
	}
	for range 200 {
		q := world.query(random, 3)
		if got, want := q.rowsOf(7), q.compared(nil); got != want {
			t.Fatalf("%s: %g rows, want %g", q.sql(""), got, want)
		}
		orders := q.orders(10)
		if len(orders) != 2 {
			t.Fatalf("%s: %d orders, want 2", q.sql(""), len(orders))
		}
		if orders[0].flown > orders[1].flown {
			t.Errorf("%s: the best order is not the first", q.sql(""))
		}
	}
}

// compared is how many combinations of rows, one of each table, meet all equalities and filters.
func (q *snowQuery) compared(rows []int) (n float64) {
	if at := len(rows); at < len(q.of) {
		x := q.of[at].column("x")
		for i := range x {
			if x[i] >= q.filters[at].lo && x[i] < q.filters[at].hi {
				n += q.compared(append(rows[:at:at], i))
			}
		}
		return n
	}
	for _, e := range q.edges {
		if q.of[e.from].column(q.of[e.to].name)[rows[e.from]] != int32(rows[e.to]) {
			return 0
		}
	}
	return 1
}
