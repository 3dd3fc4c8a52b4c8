package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// mode is what the queries of an analysis may use of the machine.
type mode struct {
	name    string
	pinned  bool // both servers run on one core
	workers int  // max_parallel_workers_per_gather
}

var modes = []mode{{"one core", true, 0}, {"all cores", false, 2}}

// modesNote says what a sample is and what the modes are.
func modesNote(limit time.Duration) string {
	return fmt.Sprintf("A sample is one run of a query, from sending it to the last row, after one that is not counted; "+
		"runs alternate between the sides. A side has %v for each query. On one core both servers are pinned to the same "+
		"one and have no parallel workers; else max_parallel_workers_per_gather is 2. work_mem is %s.", limit, modeMemory)
}

// modeMemory is the work_mem of the queries on both sides.
const modeMemory = "64MB"

// titled is a query under the name that its lines have.
type titled struct{ name, query string }

// timeQueries times queries on both sides in turn. A side on which one does not end in time is not asked again.
func (b *bench) timeQueries(ctx context.Context, m mode, queries []titled, limit time.Duration) ([]line, error) {
	connect := b.connectSides
	if m.pinned {
		connect = func(ctx context.Context) ([2]*pgx.Conn, func(), error) {
			conns, _, done, err := b.connectPinned(ctx)
			return conns, done, err
		}
	}
	conns, done, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	for _, conn := range conns {
		err := execAll(ctx, conn, "SET work_mem = '"+modeMemory+"'",
			fmt.Sprintf("SET max_parallel_workers_per_gather = %d", m.workers),
			fmt.Sprintf("SET statement_timeout = %d", limit.Milliseconds()))
		if err != nil {
			return nil, err
		}
	}
	var out []line
	for _, q := range queries {
		l := line{name: q.name, note: m.name}
		if err := b.timeQuery(ctx, conns, &l, q.query, limit); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// timeQuery adds the samples of a query to its line.
func (b *bench) timeQuery(ctx context.Context, conns [2]*pgx.Conn, l *line, query string, limit time.Duration) error {
	var late [2]bool
	for round := -1; round < b.rounds; round++ {
		for side, conn := range conns {
			if late[side] {
				continue
			}
			began := time.Now()
			_, err := readAll(ctx, conn, query, false)
			took := time.Since(began)
			if late[side] = canceled(err); late[side] {
				took = limit
			} else if err != nil {
				return fmt.Errorf("%s: %s: %w", b.sides[side].name, l.name, err)
			}
			if round >= 0 || late[side] {
				l.sides[side] = append(l.sides[side], milliseconds64(took))
			}
		}
	}
	return nil
}

// speeds are the geometric mean of the lines' ratios, and the line of the least one.
func speeds(lines []line, u unit) (mean float64, slowest *line) {
	logs := 0.0
	for i := range lines {
		logs += math.Log(lines[i].ratio(u))
		if slowest == nil || lines[i].ratio(u) < slowest.ratio(u) {
			slowest = &lines[i]
		}
	}
	return math.Exp(logs / float64(len(lines))), slowest
}

// compareAnswers wants both sides to answer a query with the same rows.
func (b *bench) compareAnswers(ctx context.Context, conns [2]*pgx.Conn, query string) error {
	var answers [2][]string
	for i, conn := range conns {
		var err error
		if answers[i], err = readAll(ctx, conn, query, true); err != nil {
			return fmt.Errorf("%s: %w", b.sides[i].name, err)
		}
	}
	return sameRows(answers)
}

// sameRows tells of the first rows that are not the same.
func sameRows(answers [2][]string) error {
	if slices.Equal(answers[0], answers[1]) {
		return nil
	}
	at := 0
	for at < min(len(answers[0]), len(answers[1])) && answers[0][at] == answers[1][at] {
		at++
	}
	first := [2]string{"none", "none"}
	for i, rows := range answers {
		if at < len(rows) {
			first[i] = rows[at]
		}
	}
	return fmt.Errorf("the sides answer %d and %d rows that are not the same: %s and %s",
		len(answers[0]), len(answers[1]), first[0], first[1])
}
