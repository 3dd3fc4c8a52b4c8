package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	boxRows     = 2_000_000
	boxesOfSize = 40
)

// boxSizes are the rows that a box holds about.
var boxSizes = []int{20, 200, 2000}

// method is one way to ask a side for the rows in a box: a table with its index, and a query.
type method struct {
	name    string
	table   *boxTable
	query   string
	args    func(box) []any
	rewrite string // what the client must know to ask like this; empty if the box is all
}

// boxTable is a table of the box measurement with its index.
type boxTable struct {
	name    string
	before  []string // statements that come before the table
	columns string   // those after d
	index   string
}

const betweenQuery = "SELECT id FROM boxes WHERE a BETWEEN $1 AND $2 AND b BETWEEN $3 AND $4 AND c BETWEEN $5 AND $6"

func betweenArgs(x box) []any { return []any{x[0].lo, x[0].hi, x[1].lo, x[1].hi, x[2].lo, x[2].hi} }

// listArgs names the values of a between the bounds, which lets a B-tree descend to each and then bound b.
func listArgs(x box) []any {
	values := []int32{}
	for a := (x[0].lo + stepA - 1) / stepA * stepA; a <= x[0].hi; a += stepA {
		values = append(values, a)
	}
	return []any{values, x[1].lo, x[1].hi, x[2].lo, x[2].hi}
}

// cubeArgs are the lower and the upper corner.
func cubeArgs(x box) []any {
	return []any{
		[]float64{float64(x[0].lo), float64(x[1].lo), float64(x[2].lo)},
		[]float64{float64(x[0].hi), float64(x[1].hi), float64(x[2].hi)},
	}
}

// boxMethods returns what to try with a dialect. PostgreSQL's are all index-only scans. The stored column makes that
// so for the cube: with an index on the expression PostgreSQL would fetch each row for its id.
func boxMethods(dialect string) []method {
	if dialect == zproxy {
		table := &boxTable{name: "boxes", index: "CREATE INDEX z ON boxes USING zorder (a, b, c)"}
		return []method{{name: "zorder (a, b, c)", table: table, query: betweenQuery, args: betweenArgs}}
	}
	btree := &boxTable{name: "boxes", index: "CREATE INDEX ON boxes (a, b, c, d, id)"}
	cube := &boxTable{
		name:    "boxes_cube",
		before:  []string{"CREATE EXTENSION IF NOT EXISTS cube"},
		columns: ", p cube GENERATED ALWAYS AS (cube(ARRAY[a, b, c]::float8[])) STORED",
		index:   "CREATE INDEX ON boxes_cube USING gist (p) INCLUDE (id)",
	}
	return []method{
		{name: "btree (a, b, c, d, id)", table: btree, query: betweenQuery, args: betweenArgs},
		{
			name: "gist (cube) INCLUDE (id)", table: cube, args: cubeArgs,
			query: "SELECT id FROM boxes_cube WHERE p <@ cube($1::float8[], $2::float8[])",
		},
		{
			name: "btree (a, b, c, d, id)", table: btree, args: listArgs, rewrite: "a = ANY (its values in the box)",
			query: "SELECT id FROM boxes WHERE a = ANY ($1) AND b BETWEEN $2 AND $3 AND c BETWEEN $4 AND $5",
		},
	}
}

// boxSide is a side with its methods and a connection.
type boxSide struct {
	*side
	conn    *pgx.Conn
	methods []method
}

// measureBoxes times queries for the rows in a box of three attributes on one connection.
func measureBoxes(ctx context.Context, b *bench) (*section, error) {
	set := newBoxSet(b.seed, b.scaled(boxRows))
	var sides [2]*boxSide
	var loads [2]time.Duration
	for i, s := range b.sides {
		conns, err := connectAll(ctx, s, 1)
		if err != nil {
			return nil, err
		}
		defer closeAll(conns)
		sides[i] = &boxSide{s, conns[0], boxMethods(s.dialect)}
		if loads[i], err = sides[i].load(ctx, set); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := rest(ctx); err != nil {
		return nil, err
	}
	result := &section{unit: microseconds, note: "each index, median", about: []string{
		fmt.Sprintf("`%s` on one connection, prepared, over %s rows of id int8 primary key, a, b, c, d int4 (a has %d values, "+
			"the others are uniform); %d random cubic boxes of each size. A sample is the median of the boxes in a turn of one "+
			"method, after a first pass that is not counted; turns alternate between the sides; every answer was checked beforehand. A side with several indexes counts with the fastest. A line with `a = ANY` compares with the "+
			"same question from a client that knows all values of a and lists those in the box.",
			betweenQuery, thousands(float64(len(set.rows))), distinctA, boxesOfSize),
		loadNote(b.sides, loads),
	}}
	for _, size := range boxSizes {
		lines, err := compareBoxes(ctx, b, sides, set.cases(size, boxesOfSize))
		if err != nil {
			return nil, err
		}
		result.lines = append(result.lines, lines...)
	}
	return result, nil
}

// load makes the methods' tables and returns the time of the first.
func (s *boxSide) load(ctx context.Context, set *boxSet) (time.Duration, error) {
	var first time.Duration
	done := map[*boxTable]bool{}
	for i, m := range s.methods {
		if done[m.table] {
			continue
		}
		done[m.table] = true
		took, err := load(ctx, s.conn, loading{
			table:     m.table.name,
			before:    m.table.before,
			columns:   "(id int8 PRIMARY KEY, a int4, b int4, c int4, d int4" + m.table.columns + ")",
			rows:      len(set.rows),
			appendRow: set.appendRow,
			after:     append([]string{m.table.index}, s.atRest(m.table.name)...),
		})
		if err != nil {
			return 0, err
		}
		if i == 0 {
			first = took
		}
	}
	return first, nil
}

// compareBoxes runs every box by every method of both sides, once to check the answers and then in each round.
func compareBoxes(ctx context.Context, b *bench, sides [2]*boxSide, cases []boxCase) ([]line, error) {
	var all [2][]samples
	for i, s := range sides {
		all[i] = make([]samples, len(s.methods))
		if err := s.check(ctx, cases); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for range b.rounds {
		times, err := boxRound(ctx, sides, cases)
		if err != nil {
			return nil, err
		}
		for i := range times {
			for j, perBox := range times[i] {
				all[i][j] = append(all[i][j], median(perBox))
			}
		}
	}
	return boxLines(sides, all, cases), nil
}

// check compares the ids that each method finds with the right ones.
func (s *boxSide) check(ctx context.Context, cases []boxCase) error {
	for _, m := range s.methods {
		for _, c := range cases {
			ids, err := s.find(ctx, m, c.box)
			if err != nil {
				return err
			}
			if slices.Sort(ids); !slices.Equal(ids, c.ids) {
				return fmt.Errorf("%s: %d rows in box %v, want %d, or other ids", m.name, len(ids), c.box, len(c.ids))
			}
		}
	}
	return nil
}

// boxRound gives each method of each side its turn and returns microseconds by side, method and box. A turn is all
// boxes twice, of which the second time counts: so a sample is that of a server at work, not of one whose code and
// data the other server has just pushed out of the processor's caches.
func boxRound(ctx context.Context, sides [2]*boxSide, cases []boxCase) (times [2][][]float64, err error) {
	for i, s := range sides {
		times[i] = make([][]float64, len(s.methods))
	}
	for i, s := range sides {
		for j, m := range s.methods {
			if _, err := s.stretch(ctx, m, cases); err != nil {
				return times, err
			}
			if times[i][j], err = s.stretch(ctx, m, cases); err != nil {
				return times, err
			}
		}
	}
	return times, nil
}

// stretch asks for all boxes by one method and returns the time of each.
func (s *boxSide) stretch(ctx context.Context, m method, cases []boxCase) ([]float64, error) {
	times := make([]float64, 0, len(cases))
	for _, c := range cases {
		start := time.Now()
		if _, err := s.find(ctx, m, c.box); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		times = append(times, float64(time.Since(start).Nanoseconds())/1e3)
	}
	return times, nil
}

// find returns the ids of the rows in the box.
func (s *boxSide) find(ctx context.Context, m method, x box) ([]int64, error) {
	rows, err := s.conn.Query(ctx, m.query, m.args(x)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// boxLines sets each side's fastest method against the other's: first those that know the box alone, then for each
// rewrite the methods that use it.
func boxLines(sides [2]*boxSide, all [2][]samples, cases []boxCase) []line {
	counts := make(samples, len(cases))
	for i, c := range cases {
		counts[i] = float64(len(c.ids))
	}
	rewrites := []string{""}
	for _, s := range sides {
		for _, m := range s.methods {
			if !slices.Contains(rewrites, m.rewrite) {
				rewrites = append(rewrites, m.rewrite)
			}
		}
	}
	lines := make([]line, 0, len(rewrites))
	for _, rewrite := range rewrites {
		l := line{name: counts.String() + " rows"}
		if rewrite != "" {
			l.name += ", `" + rewrite + "`"
		}
		var notes []string
		for i, s := range sides {
			var medians []string
			l.sides[i], medians = s.fastest(all[i], rewrite)
			notes = append(notes, medians...)
		}
		l.note = strings.Join(notes, "; ")
		lines = append(lines, l)
	}
	return lines
}

// fastest returns the samples of the fastest method with that rewrite, or without one where the side has none with
// it, and the medians of all of these.
func (s *boxSide) fastest(all []samples, rewrite string) (best samples, medians []string) {
	if !slices.ContainsFunc(s.methods, func(m method) bool { return m.rewrite == rewrite }) {
		rewrite = ""
	}
	for i, m := range s.methods {
		if m.rewrite != rewrite {
			continue
		}
		medians = append(medians, fmt.Sprintf("%s %s", m.name, thousands(median(all[i]))))
		if best == nil || median(all[i]) < median(best) {
			best = all[i]
		}
	}
	return best, medians
}
