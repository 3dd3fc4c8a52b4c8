package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// sampleTarget is the statistics target with which PostgreSQL reads 300 times as many rows of a table, which are as
// many as zproxy reads.
const sampleTarget = 1667

// judged is how right the estimates of a side were.
type judged struct {
	name   string
	errors samples // q-errors of nodes
	worst  []named
}

type named struct {
	query string
	estimate
}

// add adds the nodes of a plan.
func (j *judged) add(query string, p *ranPlan) {
	for _, e := range p.Plan.estimates() {
		j.errors = append(j.errors, e.qError())
		j.worst = append(j.worst, named{query, e})
	}
	slices.SortStableFunc(j.worst, func(a, b named) int { return cmp.Compare(b.qError(), a.qError()) })
	j.worst = j.worst[:min(len(j.worst), 3)]
}

// againWithSample judges the queries on PostgreSQL once more, with statistics of as many rows as zproxy reads. They
// are finer too: PostgreSQL keeps more common values and more buckets of a larger sample.
func againWithSample(ctx context.Context, b *bench, conns [2]*pgx.Conn, queries []string) ([]judged, error) {
	at := b.sideOf(postgres)
	if at < 0 {
		return nil, nil
	}
	err := execAll(ctx, conns[at], fmt.Sprintf("SET default_statistics_target = %d", sampleTarget), "ANALYZE")
	if err != nil {
		return nil, err
	}
	j := judged{name: fmt.Sprintf("%s, default_statistics_target = %d", b.sides[at].name, sampleTarget)}
	for i, query := range queries {
		p, err := explainWithin(ctx, conns[at], query, tpchLimit)
		if canceled(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		j.add(fmt.Sprintf("Q%d", i+1), p)
	}
	return []judged{j}, execAll(ctx, conns[at], "RESET default_statistics_target")
}

// judgedTable sets the q-errors of all beside each other.
func judgedTable(all []judged) table {
	t := table{heads: []string{"estimates of", "nodes", "q-error: median", "90 %", "95 %", "most", "the worst ones"}}
	for _, j := range all {
		worst := ""
		for _, w := range j.worst {
			worst += fmt.Sprintf("%s: %s of %s expected, %s came; ", w.query, w.node, thousands(w.expected),
				thousands(w.rows))
		}
		t.add(j.name, whole(len(j.errors)), digits(median(j.errors)), digits(percentile(j.errors, 90)),
			digits(percentile(j.errors, 95)), digits(percentile(j.errors, 100)), worst)
	}
	return t
}

// judgedGoals are the figures that the estimates of the first one should reach.
func judgedGoals(all []judged) table {
	goals := []goal{{what: "median q-error of " + all[0].name, wanted: 1.5, reached: median(all[0].errors)}}
	for _, other := range all[1:] {
		goals = append(goals, goal{what: fmt.Sprintf("95th percentile of %s, beside %s", all[0].name, other.name),
			wanted: percentile(other.errors, 95), reached: percentile(all[0].errors, 95)})
	}
	return goalTable(goals)
}
