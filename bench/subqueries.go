package main

import (
	"context"
	"fmt"
	"strings"
)

const subqueryRows = 600

// subqueries are those that are slow where they run for each row: nested ones, ones below OR, and lateral ones.
var subqueries = []analysis{
	{name: "lateral rows or NOT EXISTS", query: `SELECT count(*) FROM q a JOIN q b ON a.a = b.a
		LEFT JOIN LATERAL (SELECT l.id FROM q l WHERE l.b > a.b ORDER BY l.id LIMIT 3) l ON true
		WHERE a.c = 3 OR NOT EXISTS (SELECT FROM q s WHERE s.id = a.id AND s.c = 2)`},
	{name: "EXISTS in EXISTS", query: `SELECT count(*) FROM q a WHERE EXISTS (SELECT FROM q s
		WHERE s.a = a.a AND (s.c = 7) OR EXISTS (SELECT FROM q r WHERE r.c = s.c AND r.id < s.id))`},
	{name: "EXISTS below OR", query: `SELECT count(*) FROM q a WHERE EXISTS (SELECT FROM q s WHERE s.c = a.id) OR a.a < 0`},
	{name: "lateral VALUES", query: `SELECT count(*) FROM q a, q b JOIN LATERAL (VALUES (a.id)) ss (x) ON b.c = ss.x`},
}

// measureSubqueries times queries with subqueries over one small table, whose statistics are known.
func measureSubqueries(ctx context.Context, b *bench) (*section, error) {
	conns, closeBoth, err := b.connectSides(ctx)
	if err != nil {
		return nil, err
	}
	defer closeBoth()
	for i, conn := range conns {
		err := execAll(ctx, conn, "DROP TABLE IF EXISTS q", "CREATE TABLE q (id int4 PRIMARY KEY, a int4, b int4, c int4)",
			fmt.Sprintf("INSERT INTO q SELECT i, i %% 10, i %% 7, i %% 50 FROM generate_series(1, %d) i", subqueryRows),
			"ANALYZE q")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.sides[i].name, err)
		}
	}
	about := fmt.Sprintf("q has %d rows of id int4 primary key, a, b, c int4 with 10, 7 and 50 values. A sample is one "+
		"run of the query, after one that is not counted; runs alternate between the sides; the answers were compared.",
		subqueryRows)
	out := &section{unit: milliseconds, note: "query", about: []string{about}}
	worst := 0.0
	for _, a := range subqueries {
		a.query, a.workMemory = strings.Join(strings.Fields(a.query), " "), "64MB"
		l, err := compareAnalysis(ctx, b, conns, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		out.lines = append(out.lines, l)
		worst = max(worst, median(l.sides[0])/median(l.sides[1]))
	}
	out.tables = []table{goalTable([]goal{
		{what: "times as long as the other side, the worst query", wanted: 3, reached: worst},
	})}
	return out, nil
}
