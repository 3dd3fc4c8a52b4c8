package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	fanRows   = 100_000
	fanShards = 16
	fanLimit  = 1000
	fanGoal   = 1.3 // how many times as long a merged scan may take

	fanRepeats  = 40
	sortRepeats = 4

	fanBoxRows   = 500_000
	fanBoxSize   = 200
	fanBoxShards = 4
)

// permuter is a prime beyond fanRows, so that its multiples modulo a number of rows are a permutation.
const permuter = 7_368_787

const fanColumns = "(id int8 PRIMARY KEY, k int4, v int4, payload text)"

// contender is one of those that take turns in a case. The first two are compared, the others are for information.
type contender struct {
	name    string
	measure func(context.Context) (float64, error) // microseconds
}

// measureFanOut compares keys with shards with the same keys without, both on zproxy. The other side is for
// information.
func measureFanOut(ctx context.Context, b *bench) (*section, error) {
	if b.sides[0].dialect != zproxy {
		return nil, errors.New("side A must be zproxy")
	}
	conns, note, done, err := b.connectPinned(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	f := &fanOut{bench: b, conns: conns, rows: b.scaled(fanRows), set: newBoxSet(b.seed, b.scaled(fanBoxRows))}
	if err := f.load(ctx); err != nil {
		return nil, err
	}
	if err := rest(ctx); err != nil {
		return nil, err
	}
	result := &section{
		unit: microseconds, note: "first as a multiple of second, round by round; others for information",
		columns: [2]string{"with", "without"},
		about: []string{
			fmt.Sprintf("Keys spread over partitions beside the same keys in one, both on %s, on one connection, prepared. Tables are %s rows of id int8 "+
				"primary key, k, v int4, payload text of %d bytes, k a permutation of the ids; with and without `WITH (shards = %d)` at the table, or at "+
				"an index on k of a table without. The goal is to take at most %.1f times as long. Sorted is the same rows by `ORDER BY` of an expression, which nothing is in the order of.",
				b.sides[0].name, thousands(float64(f.rows)), payloadSize, fanShards, fanGoal),
			fmt.Sprintf("%s A sample is the median of %d runs in a turn (%d where rows are sorted), after as many that are not counted; turns alternate; the answers were compared, "+
				"in their order where they have one. COPY is one statement of all rows in the order of the key into an empty table. Boxes are %d random "+
				"cubic boxes of about %d rows, over %s rows as in the section on boxes.",
				note, fanRepeats, sortRepeats, boxesOfSize, fanBoxSize, thousands(float64(b.scaled(fanBoxRows)))),
			"How evenly rows spread over shards is no matter of time: `go test ./e2e -run TestSortedRowsSpreadOverShards -v` tells.",
		},
	}
	for _, measure := range []func(context.Context) ([]line, error){f.orders, f.copies, f.boxes} {
		lines, err := measure(ctx)
		if err != nil {
			return nil, err
		}
		result.lines = append(result.lines, lines...)
	}
	return result, nil
}

// fanOut is one run of this measurement.
type fanOut struct {
	*bench
	conns [2]*pgx.Conn
	rows  int
	set   *boxSet
	boxed *boxSide
}

// load makes the tables of the ordered reads: fan_flat has no shards, fan_table has them in its key, and fan_index in
// its index. Those of the boxes come behind them, and are so large that zproxy keeps nothing of the first in memory
// only, where rows stand in another way.
func (f *fanOut) load(ctx context.Context) error {
	with := fmt.Sprintf(" WITH (shards = %d)", fanShards)
	for _, t := range []struct {
		side               int
		name, table, index string
	}{
		{0, "fan_flat", "", ""}, {0, "fan_table", with, with}, {0, "fan_index", "", with}, {1, "fan_flat", "", ""},
	} {
		after := []string{fmt.Sprintf("CREATE INDEX %s_k ON %s (k)%s", t.name, t.name, t.index), "ANALYZE " + t.name}
		_, err := load(ctx, f.conns[t.side], loading{
			table: t.name, columns: fanColumns + t.table, rows: f.rows, appendRow: f.appendRow,
			after: append(after, f.sides[t.side].atRest(t.name)...),
		})
		if err != nil {
			return fmt.Errorf("%s: %w", f.sides[t.side].name, err)
		}
	}
	return f.loadBoxes(ctx)
}

// appendRow appends a row in COPY's text format; row i has the id i+1.
func (f *fanOut) appendRow(text []byte, i int) []byte {
	id := int64(i + 1)
	_, payload := pointTable{seed: f.seed, rows: f.rows}.row(id)
	for _, n := range []int64{id, id * permuter % int64(f.rows), id % 1000} {
		text = append(strconv.AppendInt(text, n, 10), '\t')
	}
	return append(append(text, payload[:]...), '\n')
}

// orderedRead is a query with ORDER BY and LIMIT over a table with shards and over one without.
type orderedRead struct {
	name, table, list, order string
	goal                     float64 // 0: for information
}

func (r orderedRead) query(table, order string) string {
	return fmt.Sprintf("SELECT %s FROM %s %s LIMIT %d", r.list, table, order, fanLimit)
}

// orders measures reads in the order of the key.
func (f *fanOut) orders(ctx context.Context) ([]line, error) {
	var lines []line
	for _, r := range []orderedRead{
		{"primary key", "fan_table", "id, k, payload", "ORDER BY id", fanGoal},
		{"primary key, from the middle", "fan_table", "id, k, payload", fmt.Sprintf("WHERE id > %d ORDER BY id", f.rows/2), fanGoal},
		{"index that covers", "fan_index", "k, id", "ORDER BY k", fanGoal},
		{"index with lookups", "fan_index", "k, id, payload", "ORDER BY k", fanGoal},
		{"sharded table, index that covers", "fan_table", "k, id", "ORDER BY k", fanGoal},
	} {
		query := r.query("T", r.order)
		l, err := f.compareQueries(ctx, line{name: r.name + ": `" + query + "`"}, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// compareQueries checks that everybody answers alike, and has them take turns.
func (f *fanOut) compareQueries(ctx context.Context, l line, r orderedRead) (line, error) {
	asked := []struct {
		name, query string
		conn        *pgx.Conn
		repeats     int
	}{
		{"", r.query(r.table, r.order), f.conns[0], fanRepeats},
		{"", r.query("fan_flat", r.order), f.conns[0], fanRepeats},
		{f.sides[1].name, r.query("fan_flat", r.order), f.conns[1], fanRepeats},
		{"sorted", r.query(r.table, r.order+" + 0"), f.conns[0], sortRepeats},
	}
	var all []contender
	var first []string
	for i, a := range asked {
		answer, err := readOrdered(ctx, a.conn, a.query, true)
		if err != nil {
			return l, fmt.Errorf("%s: %w", a.query, err)
		}
		if i == 0 {
			first = answer
		}
		if !slices.Equal(answer, first) {
			return l, fmt.Errorf("%s answers %d rows, others %d or other ones", a.query, len(answer), len(first))
		}
		all = append(all, contender{a.name,
			func(ctx context.Context) (float64, error) { return repeatQuery(ctx, a.conn, a.query, a.repeats) }})
	}
	return compareRounds(ctx, f.rounds, l, r.goal, all)
}

// repeatQuery is a turn of a query.
func repeatQuery(ctx context.Context, conn *pgx.Conn, query string, repeats int) (float64, error) {
	times := make([]float64, 0, 2*repeats)
	for range 2 * repeats {
		start := time.Now()
		if _, err := readOrdered(ctx, conn, query, false); err != nil {
			return 0, err
		}
		times = append(times, inMicroseconds(start))
	}
	return median(times[repeats:]), nil
}

// readOrdered reads the answer of a prepared query, and returns its rows as they came if they are to be kept.
func readOrdered(ctx context.Context, conn *pgx.Conn, query string, keep bool) ([]string, error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var answer []string
	for rows.Next() {
		if keep {
			answer = append(answer, fmt.Sprintf("%q", rows.RawValues()))
		}
	}
	return answer, rows.Err()
}

func inMicroseconds(start time.Time) float64 { return float64(time.Since(start).Nanoseconds()) / 1e3 }

// copies measures COPY of rows in the order of the key.
func (f *fanOut) copies(ctx context.Context) ([]line, error) {
	var text []byte
	for i := range f.rows {
		text = f.appendRow(text, i)
	}
	into := func(side int, name, options string) contender {
		conn := f.conns[side]
		return contender{name, func(ctx context.Context) (float64, error) {
			if err := execAll(ctx, conn, "DROP TABLE IF EXISTS fan_copy",
				"CREATE TABLE fan_copy "+fanColumns+options); err != nil {
				return 0, err
			}
			start := time.Now()
			err := copyText(ctx, conn, "fan_copy", text, f.rows)
			return inMicroseconds(start), err
		}}
	}
	l, err := compareRounds(ctx, f.rounds, line{name: "*COPY in the order of the key*"}, 0, []contender{
		into(0, "", fmt.Sprintf(" WITH (shards = %d)", fanShards)), into(0, "", ""), into(1, f.sides[1].name, ""),
	})
	return []line{l}, err
}

// loadBoxes makes tables of the same rows, each with a Z-order index with other options; those of the first are none.
func (f *fanOut) loadBoxes(ctx context.Context) error {
	f.boxed = &boxSide{side: f.sides[0], conn: f.conns[0]}
	for i, option := range []string{"", fmt.Sprintf("shards = %d", fanBoxShards), "partition_bits = 4"} {
		table := &boxTable{name: fmt.Sprintf("fan_box_%d", i)}
		table.index = "CREATE INDEX ON " + table.name + " USING zorder (a, b, c)"
		if option != "" {
			table.index += " WITH (" + option + ")"
		}
		f.boxed.methods = append(f.boxed.methods, method{
			name: option, table: table, query: strings.Replace(betweenQuery, "boxes", table.name, 1), args: betweenArgs,
		})
	}
	_, err := f.boxed.load(ctx, f.set)
	return err
}

// boxes measures boxes of Z-order indexes in several partitions.
func (f *fanOut) boxes(ctx context.Context) ([]line, error) {
	s := f.boxed
	cases := f.set.cases(fanBoxSize, boxesOfSize)
	if err := s.check(ctx, cases); err != nil {
		return nil, err
	}
	measure := func(m method) contender {
		return contender{"", func(ctx context.Context) (float64, error) {
			if _, err := s.stretch(ctx, m, cases); err != nil {
				return 0, err
			}
			times, err := s.stretch(ctx, m, cases)
			return median(times), err
		}}
	}
	var lines []line
	for _, m := range s.methods[1:] {
		l, err := compareRounds(ctx, f.rounds, line{name: "*zorder box, `" + m.name + "`*"}, 0,
			[]contender{measure(m), measure(s.methods[0])})
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// compareRounds gives each contender its turn in every round, and says in the line's note what the first takes as a
// multiple of the second. Both have their turns one after the other, so what else the machine does weighs less on
// that than on their times.
func compareRounds(ctx context.Context, rounds int, l line, goal float64, all []contender) (line, error) {
	times := make([]samples, len(all))
	var multiples samples
	for round := range rounds {
		for position := range all {
			i := position
			if round%2 == 1 && position < 2 {
				i = 1 - position // neither is always the one behind the other
			}
			took, err := all[i].measure(ctx)
			if err != nil {
				return l, err
			}
			times[i] = append(times[i], took)
		}
		multiples = append(multiples, times[0][round]/times[1][round])
	}
	l.sides = [2]samples{times[0], times[1]}
	l.note = fmt.Sprintf("%.2f (%.2f-%.2f)", median(multiples), slices.Min(multiples), slices.Max(multiples))
	if goal > 0 {
		l.note += fmt.Sprintf(", goal %.1f", goal)
	}
	for i, c := range all[2:] {
		l.note += fmt.Sprintf("; %s %s", c.name, thousands(median(times[i+2])))
	}
	return l, nil
}
