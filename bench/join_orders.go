package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	orderedJoins  = 200
	triedOrders   = 12        // of each query, those whose joins have the fewest rows
	flownAtMost   = 2_000_000 // rows out of the joins of the best order: other queries are left out
	lateAfter     = 6         // times as long as the order that was chosen
	orderedRounds = 3
)

// measureJoinOrders compares the join orders that zproxy chooses with the best ones. Of all orders of a query,
// those are found whose joins really have the fewest rows; they are asked for by a hint, and the fastest of them is
// the best.
func measureJoinOrders(ctx context.Context, b *bench) (*section, error) {
	at := b.sideOf(zproxy)
	if at < 0 {
		return nil, errNoZproxy
	}
	opened, err := connectAll(ctx, b.sides[at], 1)
	if err != nil {
		return nil, err
	}
	defer closeAll(opened)
	random := rand.New(rand.NewPCG(b.seed, orderedJoins))
	world := newSnowflake(random)
	for _, r := range world {
		if _, err := load(ctx, opened[0], r.loading()); err != nil {
			return nil, err
		}
	}
	var all []orderedJoin
	for len(all) < orderedJoins {
		q := world.query(random, 4+random.IntN(5))
		best := q.orders(triedOrders)
		if best[0].flown > flownAtMost || best[0].rows == 0 {
			continue
		}
		j, err := q.compare(ctx, opened[0], best)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.sql(""), err)
		}
		all = append(all, j)
	}
	return orderedSection(all), nil
}

// orderedJoin is how long a query took in the order that was chosen, and in the best one.
type orderedJoin struct {
	relations    int
	chosen, best float64 // ms
	sql          string
}

func (j *orderedJoin) ratio() float64 { return j.chosen / j.best }

func orderedSection(all []orderedJoin) *section {
	slices.SortFunc(all, func(a, b orderedJoin) int { return int(math.Copysign(1, b.ratio()-a.ratio())) })
	var logs float64
	of := map[int]samples{}
	for _, j := range all {
		logs += math.Log(j.ratio())
		of[j.relations] = append(of[j.relations], j.ratio())
	}
	goals := []goal{
		{what: "times as long as the best order, geometric mean", wanted: 1.2, reached: math.Exp(logs / float64(len(all)))},
		{what: "times as long as the best order, the worst query", wanted: 5, reached: all[0].ratio()},
	}
	by := table{heads: []string{"relations", "queries", "median", "90 %", "most"}}
	for n := 4; n <= 8; n++ {
		by.add(fmt.Sprint(n), whole(len(of[n])), digits(median(of[n])), digits(percentile(of[n], 90)),
			digits(percentile(of[n], 100)))
	}
	worst := table{heads: []string{"times", "chosen, ms", "best, ms", "the best order"}}
	for _, j := range all[:min(5, len(all))] {
		worst.add(digits(j.ratio()), digits(j.chosen), digits(j.best), "`"+j.sql+"`")
	}
	return &section{about: []string{fmt.Sprintf("%d random joins of 4 to 8 tables of a skewed and correlated snowflake. "+
		"All orders of a query are compared by the rows that really come out of their joins; the %d best ones run, as "+
		"hints ask for them, each with the single table or the smaller side as the inner one. The fastest of them and "+
		"the order that zproxy chooses then run %d times in turn, and the medians are compared.", len(all), triedOrders, orderedRounds)},
		tables: []table{goalTable(goals), by, worst}}
}

// compare runs a query in the order that is chosen and in the others.
func (q *snowQuery) compare(ctx context.Context, conn *pgx.Conn, orders []*snowOrder) (orderedJoin, error) {
	j := orderedJoin{relations: len(q.of)}
	first, err := timed(ctx, conn, q.sql(""), 0)
	if err != nil {
		return j, err
	}
	fastest, limit := math.Inf(1), time.Duration(lateAfter*first*float64(time.Millisecond))+time.Second
	var hints []string
	for _, o := range orders {
		for _, single := range []bool{true, false} {
			hint := fmt.Sprintf("/*+ Leading(%s) */ ", o.text(q, single))
			if slices.Contains(hints, hint) {
				continue
			}
			hints = append(hints, hint)
			took, err := timed(ctx, conn, q.sql(hint), limit)
			if err != nil && !canceled(err) {
				return j, err
			}
			if err == nil && took < fastest {
				fastest, j.sql = took, q.sql(hint)
			}
		}
	}
	if j.sql == "" {
		return j, errors.New("no order ended in time")
	}
	var chosen, best samples
	for range orderedRounds {
		for _, run := range []struct {
			sql string
			to  *samples
		}{{q.sql(""), &chosen}, {j.sql, &best}} {
			took, err := timed(ctx, conn, run.sql, 0)
			if err != nil {
				return j, err
			}
			*run.to = append(*run.to, took)
		}
	}
	j.chosen, j.best = median(chosen), math.Min(median(best), median(chosen))
	return j, nil
}

// timed is how many milliseconds a query takes inside the server; a limit of 0 is none.
func timed(ctx context.Context, conn *pgx.Conn, sql string, limit time.Duration) (float64, error) {
	p, err := explainWithin(ctx, conn, sql, limit)
	if err != nil {
		return 0, err
	}
	return p.Execution, nil
}
