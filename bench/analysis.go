package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	factRows  = 2_000_000
	eventRows = 1_000_000
	dimRows   = 10_000
	probeRows = 1_000
	fewGroups = 100
	manyGroup = 100_000
)

// analysis is a query of this measurement. PostgreSQL and zproxy answer it alike.
type analysis struct {
	name, query string
	workMemory  string
	information bool // its ratio is no goal
}

// analyses are the queries. The last row of a sort costs as much as all of them but for their way to the client.
func analyses(events int) []analysis {
	const memory, little = "64MB", "4MB"
	all := fmt.Sprintf("SELECT id, v FROM events ORDER BY v OFFSET %d", events-1)
	return []analysis{
		{"aggregate", "SELECT count(*), sum(v), avg(k) FROM facts", memory, false},
		{"100 groups", "SELECT g, count(*), sum(v) FROM facts GROUP BY g", memory, false},
		{"100,000 groups", "SELECT h, count(*), sum(v) FROM facts GROUP BY h", memory, false},
		{"hash join", "SELECT count(*), sum(f.v), sum(d.n) FROM facts f JOIN dims d ON f.k = d.k", memory, false},
		{"lookup join by primary key", "SELECT count(*), sum(f.v) FROM probes p JOIN facts f ON f.id = p.id", memory, false},
		{"lookup join by an index", "SELECT count(*), sum(f.v) FROM probes p JOIN facts f ON f.r = p.r", memory, false},
		{"sort, LIMIT", "SELECT id, v FROM events ORDER BY v LIMIT 100", memory, false},
		{"sort in files", all, little, true},
		{"LIKE, prefix", "SELECT count(*) FROM facts WHERE s LIKE 's99%'", memory, true},
		{"LIKE, infix", "SELECT count(*) FROM facts WHERE s LIKE '%99%'", memory, true},
	}
}

const factColumns = "(id int4 PRIMARY KEY, g int4, h int4, k int4, r int4, v float8, s text)"

// factLoading fills a table of facts. r is a permutation of the ids where there are as many rows as the constant says.
func factLoading(b *bench, s *side, table string, rows int, indexes ...string) loading {
	random := rand.New(rand.NewPCG(b.seed, uint64(rows)))
	return loading{
		table: table, columns: factColumns, rows: rows, after: append(indexes, s.atRest(table)...),
		appendRow: func(text []byte, i int) []byte {
			x := random.Uint64()
			for _, n := range []int{i, int(x % fewGroups), int(x >> 8 % manyGroup), int(x >> 28 % dimRows),
				i * 7_654_321 % factRows} {
				text = append(strconv.AppendInt(text, int64(n), 10), '\t')
			}
			text = strconv.AppendFloat(text, float64(x>>44)/1000, 'f', 3, 64)
			return append(strconv.AppendUint(append(text, "\ts"...), x>>20%1_000_000, 10), '\n')
		},
	}
}

// smallLoading fills a table of n rows whose values are a multiple of their number each.
func smallLoading(s *side, table, columns string, n int, factors ...int) loading {
	return loading{
		table: table, columns: columns, rows: n, after: s.atRest(table),
		appendRow: func(text []byte, i int) []byte {
			for _, factor := range factors {
				text = append(strconv.AppendInt(text, int64(i*factor), 10), '\t')
			}
			return append(text[:len(text)-1], '\n')
		},
	}
}

// loadAnalysis makes the tables and returns the time of the largest.
func loadAnalysis(ctx context.Context, b *bench, s *side, conn *pgx.Conn) (time.Duration, error) {
	facts := b.scaled(factRows)
	step := max(facts/probeRows-1, 1)
	took, err := load(ctx, conn, factLoading(b, s, "facts", facts, "CREATE INDEX facts_r ON facts (r)"))
	for _, l := range []loading{
		factLoading(b, s, "events", b.scaled(eventRows)),
		smallLoading(s, "dims", "(k int4 PRIMARY KEY, n int4)", dimRows, 1, 3),
		smallLoading(s, "probes", "(id int4 PRIMARY KEY, r int4)", probeRows, step, step),
	} {
		if err == nil {
			_, err = load(ctx, conn, l)
		}
	}
	return took, err
}

// measureAnalysis times queries that read much, one connection and one core for each side.
func measureAnalysis(ctx context.Context, b *bench) (*section, error) {
	conns, note, done, err := b.connectPinned(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var loads [2]time.Duration
	for i, s := range b.sides {
		if loads[i], err = loadAnalysis(ctx, b, s, conns[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := rest(ctx); err != nil {
		return nil, err
	}
	result := &section{unit: milliseconds, note: "query", about: []string{
		fmt.Sprintf("Facts are %s rows of id int4 primary key, g, h, k, r int4, v float8, s text, with %d values of g, %s of h and %s of k, "+
			"and an index on r; events %s rows of the same columns; dims %s rows of k int4 primary key, n int4; probes %s rows of id int4 primary key, r int4.",
			thousands(float64(b.scaled(factRows))), fewGroups, thousands(manyGroup), thousands(dimRows),
			thousands(float64(b.scaled(eventRows))), thousands(dimRows), thousands(probeRows)),
		note + " A sample is one run of the query, from sending it to the last row, after one that is not counted; runs alternate " +
			"between the sides; the answers were compared. work_mem is 64MB on both sides, and 4MB for the sort in files. Lines in italics are for information.",
		loadNote(b.sides, loads),
	}}
	for _, a := range analyses(b.scaled(eventRows)) {
		l, err := compareAnalysis(ctx, b, conns, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		result.lines = append(result.lines, l)
	}
	return result, nil
}

// compareAnalysis runs one query on both sides in turn. The first answers are compared.
func compareAnalysis(ctx context.Context, b *bench, conns [2]*pgx.Conn, a analysis) (line, error) {
	l := line{name: a.name, note: "`" + a.query + "`"}
	if a.information {
		l.name = "*" + a.name + "*"
	}
	var answers [2][]string
	for round := -1; round < b.rounds; round++ {
		for i, conn := range conns {
			if err := execAll(ctx, conn, "SET work_mem = '"+a.workMemory+"'"); err != nil {
				return l, err
			}
			start := time.Now()
			rows, err := readAll(ctx, conn, a.query, round < 0)
			if err != nil {
				return l, fmt.Errorf("%s: %w", b.sides[i].name, err)
			}
			if round < 0 {
				answers[i] = rows
			} else {
				l.sides[i] = append(l.sides[i], float64(time.Since(start).Microseconds())/1e3)
			}
		}
	}
	return l, sameRows(answers)
}

// readAll reads the answer of a query, and returns its rows in an order of their own if they are to be kept.
func readAll(ctx context.Context, conn *pgx.Conn, query string, keep bool) ([]string, error) {
	reader := conn.PgConn().ExecParams(ctx, query, nil, nil, nil, nil)
	var rows []string
	for reader.NextRow() {
		if !keep {
			continue
		}
		var row strings.Builder
		for _, value := range reader.Values() {
			row.Write(append(value, '|'))
		}
		rows = append(rows, row.String())
	}
	_, err := reader.Close()
	slices.Sort(rows)
	return rows, err
}
