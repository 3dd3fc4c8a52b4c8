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

// zorderMethod is one way to ask a side for the ids of the rows in a region.
type zorderMethod struct {
	name     string
	conn     *pgx.Conn
	hidden   []string // indexes that are away while it asks
	settings []string
	query    func(region) string
	prepared func(region) (string, []any)
}

// postgresIndexes are those that PostgreSQL may choose from, besides those on boxes.
var postgresIndexes = map[string]string{"btree": "(a, b, c, d, id)", "a": "(a)", "b": "(b)", "c": "(c)", "d": "(d)"}

// prepareTimes makes the indexes that the methods use.
func (t *zorderTable) prepareTimes(ctx context.Context, s *side) error {
	if s.dialect == zproxy {
		return t.withIndexes(ctx, zorderIndexes())
	}
	if err := t.withIndexes(ctx, postgresIndexes); err != nil {
		return err
	}
	return t.loadGist(ctx, s)
}

// zorderMethods returns what to try in d dimensions: zproxy's choice, or each of PostgreSQL's indexes as if it were
// the only one.
func (t *zorderTable) zorderMethods(s *side, d int) []*zorderMethod {
	plain := zorderMethod{
		name: "zorder", conn: t.conn,
		query: func(r region) string { return t.query(r, "") },
		prepared: func(r region) (string, []any) {
			where, args := t.parameters(r)
			return "SELECT id FROM " + t.table() + " WHERE " + where, args
		},
	}
	if s.dialect == zproxy {
		return []*zorderMethod{&plain}
	}
	composite, bitmap := plain, plain
	composite.name = "btree (a, b, c, d, id)"
	composite.settings = []string{"enable_seqscan = off", "enable_bitmapscan = off",
		"plan_cache_mode = force_generic_plan"}
	for _, name := range attributeNames {
		composite.hidden = append(composite.hidden, t.index(name))
	}
	bitmap.name, bitmap.hidden = "bitmap", []string{t.index("btree")}
	bitmap.settings = []string{"enable_seqscan = off", "enable_indexscan = off", "enable_indexonlyscan = off",
		"plan_cache_mode = force_custom_plan"}
	methods := []*zorderMethod{&composite, &bitmap}
	if gist := t.gist(d); gist != nil {
		gist.settings = composite.settings
		methods = append(methods, gist)
	}
	return methods
}

// gist returns the method with PostgreSQL's own index for so many dimensions, if it has one.
func (t *zorderTable) gist(d int) *zorderMethod {
	switch d {
	case 2:
		corner := func(n []string) string { return "point(" + strings.Join(n, ", ") + ")" }
		return t.gistMethod("gist (point)", d, "q <@ box(%s, %s)", corner)
	case 3:
		corner := func(n []string) string { return "ARRAY[" + strings.Join(n, ", ") + "]::float8[]" }
		return t.gistMethod("gist (cube)", d, "p <@ cube(%s, %s)", corner)
	}
	return nil
}

// gistMethod asks with two corners in a condition.
func (t *zorderTable) gistMethod(name string, d int, condition string,
	corner func(numbers []string) string) *zorderMethod {
	query := func(r region, number func(n int32) string) string {
		var low, high []string
		for _, side := range r[:d] {
			low = append(low, number(side.lo))
		}
		for _, side := range r[:d] {
			high = append(high, number(side.hi))
		}
		return fmt.Sprintf("SELECT id FROM "+t.table()+"_gist WHERE "+condition, corner(low), corner(high))
	}
	return &zorderMethod{
		name: name, conn: t.conn,
		query: func(r region) string {
			return query(r, func(n int32) string { return strconv.Itoa(int(n)) })
		},
		prepared: func(r region) (text string, args []any) {
			text = query(r, func(n int32) string {
				args = append(args, float64(n))
				return "$" + strconv.Itoa(len(args)) + "::float8"
			})
			return text, args
		},
	}
}

// loadGist makes the table with PostgreSQL's own indexes for boxes. The columns are stored, and the id is in the
// index: so both are read without the rows of the table.
func (t *zorderTable) loadGist(ctx context.Context, s *side) error {
	table := t.table() + "_gist"
	took, err := load(ctx, t.conn, loading{
		table:   table,
		before:  []string{"CREATE EXTENSION IF NOT EXISTS cube"},
		columns: "(id int8 PRIMARY KEY, p cube, q point)",
		rows:    len(t.rows),
		appendRow: func(text []byte, i int) []byte {
			p := t.rows[i]
			return fmt.Appendf(text, "%d\t(%d,%d,%d)\t(%d,%d)\n", i+1, p[0], p[1], p[2], p[0], p[1])
		},
		after: append([]string{
			"CREATE INDEX ON " + table + " USING gist (p) INCLUDE (id)", "CREATE INDEX ON " + table + " USING gist (q) INCLUDE (id)",
		}, s.atRest(table)...),
	})
	logTook(s.name+": load "+table, took)
	return err
}

// within has the method's indexes be the only ones while f runs.
func (m *zorderMethod) within(ctx context.Context, f func() error) (err error) {
	if len(m.settings) == 0 {
		return f()
	}
	statements := []string{"BEGIN"}
	for _, name := range m.hidden {
		statements = append(statements, "DROP INDEX "+name)
	}
	for _, setting := range m.settings {
		statements = append(statements, "SET LOCAL "+setting)
	}
	defer func() {
		_, rollback := m.conn.Exec(ctx, "ROLLBACK")
		err = errors.Join(err, rollback)
	}()
	if err := execAll(ctx, m.conn, statements...); err != nil {
		return err
	}
	return f()
}

// inside asks some times in a row and returns the least time in the server, and the path.
func (m *zorderMethod) inside(ctx context.Context, r region, rows, times int) (least float64, path string, err error) {
	for i := range times {
		e, err := explain(ctx, m.conn, m.query(r))
		if err != nil {
			return 0, "", err
		}
		if e.rows != rows {
			return 0, "", fmt.Errorf("%s: %s: %d rows, want %d", m.name, m.query(r), e.rows, rows)
		}
		if i == 0 || e.time < least {
			least = e.time
		}
		path = e.path
	}
	return least, path, nil
}

// overWire asks some times in a row by a prepared statement and returns the least time until all ids were read. The
// last ids are compared where the right ones are given.
func (m *zorderMethod) overWire(ctx context.Context, r region, want []int64, times int) (least float64, err error) {
	query, args := m.prepared(r)
	var ids []int64
	for i := range times {
		start := time.Now()
		rows, err := m.conn.Query(ctx, query, args...)
		if err != nil {
			return 0, fmt.Errorf("%s: %s: %w", m.name, query, err)
		}
		if ids, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return 0, fmt.Errorf("%s: %s: %w", m.name, query, err)
		}
		if took := float64(time.Since(start).Nanoseconds()) / 1e3; i == 0 || took < least {
			least = took
		}
	}
	if want == nil {
		return least, nil
	}
	if slices.Sort(ids); !slices.Equal(ids, want) {
		return 0, fmt.Errorf("%s: %s: %d rows, want %d, or other ids", m.name, query, len(ids), len(want))
	}
	return least, nil
}
