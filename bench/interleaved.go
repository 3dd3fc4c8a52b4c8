package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/jackc/pgx/v5"
)

// How many rows the parent has, and how many of the child each of them.
const (
	parents           = 50
	childrenPerParent = 20
)

// familyDesigns are what is compared: a child that is interleaved with its parent, and one in a space of its own.
var familyDesigns = [2]struct{ schema, options string }{{"behind", " WITH (interleave_in = 'behind.users')"}, {"beside", ""}}

// measureInterleaved compares reads of a row with its children in one scan with reads of both tables.
func measureInterleaved(ctx context.Context, b *bench) (*section, error) {
	out := &section{
		unit: microseconds, columns: [2]string{"interleaved", "two tables"}, note: "plan of the two tables",
		about: []string{fmt.Sprintf("`SELECT name, note FROM users JOIN notes USING (id) WHERE id = $1`, prepared, on one connection: a row with its %d notes, "+
			"which lie behind it, and the same rows in two tables. A round is %d reads of the one after as many of the other, and counts as the median of each.",
			childrenPerParent, pointReads)},
	}
	stores := append([]standIn{{name: "embedded"}}, dynamos...)
	for _, s := range stores {
		var flags []string
		stop := func() {}
		if s.start != nil {
			endpoint, end, err := s.start()
			if errors.Is(err, exec.ErrNotFound) {
				out.about = append(out.about, fmt.Sprintf("%s was not measured: %v.", s.name, err))
				continue
			}
			if err != nil {
				return nil, err
			}
			flags, stop = []string{"--store", "dynamodb", "--endpoint", endpoint, "--region", "us-east-1"}, end
		}
		l, err := interleavedOn(ctx, b, flags)
		stop()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		l.name = s.name
		out.lines = append(out.lines, *l)
	}
	return out, nil
}

func interleavedOn(ctx context.Context, b *bench, flags []string) (l *line, err error) {
	p, dsn, err := startZproxy(ctx, b.launch, flags...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, d := range familyDesigns {
		if err := execAll(ctx, conn, "CREATE SCHEMA "+d.schema,
			"CREATE TABLE "+d.schema+".users (id int PRIMARY KEY, name text)",
			"CREATE TABLE "+d.schema+".notes (id int, n int, note text, PRIMARY KEY (id, n))"+d.options,
			fmt.Sprintf("INSERT INTO %s.users SELECT n, 'user ' || n FROM generate_series(1, %d) AS n", d.schema, parents)); err != nil {
			return nil, err
		}
		for parent := 1; parent <= parents; parent++ {
			if err := execAll(ctx, conn, fmt.Sprintf("INSERT INTO %s.notes SELECT %d, n, repeat('x', %d) FROM generate_series(1, %d) AS n",
				d.schema, parent, payloadSize, childrenPerParent)); err != nil {
				return nil, err
			}
		}
		if err := execAll(ctx, conn, "ANALYZE "+d.schema+".users, "+d.schema+".notes"); err != nil {
			return nil, err
		}
	}
	l = &line{}
	for range b.rounds {
		for i, d := range familyDesigns {
			sql := fmt.Sprintf("SELECT name, note FROM %[1]s.users JOIN %[1]s.notes USING (id) WHERE id = $1", d.schema)
			n := 0
			took, err := medianOf(ctx, pointReads, func(ctx context.Context) error {
				n++
				tag, err := conn.Exec(ctx, sql, 1+n%parents)
				if err == nil && tag.RowsAffected() != childrenPerParent {
					err = fmt.Errorf("%d rows", tag.RowsAffected())
				}
				return err
			})
			if err != nil {
				return nil, err
			}
			l.sides[i] = append(l.sides[i], took)
		}
	}
	err = conn.QueryRow(ctx, "EXPLAIN SELECT name, note FROM beside.users JOIN beside.notes USING (id) WHERE id = 1").Scan(&l.note)
	return l, err
}
