package main

import (
	"context"
	"fmt"

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
	measure := func(name string, flags []string) ([]line, error) {
		l := line{name: name}
		err := b.connected(ctx, flags, func(c *pgx.Conn) error { return l.interleaved(ctx, b, c) })
		return []line{l}, err
	}
	var err error
	if out.lines, err = measure("embedded", nil); err != nil {
		return nil, err
	}
	return out, out.onEachDynamo(func(name, endpoint string) ([]line, error) {
		return measure(name, dynamoFlags(endpoint))
	})
}

// interleaved measures reads of a row with its children on a connection.
func (l *line) interleaved(ctx context.Context, b *bench, conn *pgx.Conn) error {
	for _, d := range familyDesigns {
		if err := execAll(ctx, conn, "CREATE SCHEMA "+d.schema,
			"CREATE TABLE "+d.schema+".users (id int PRIMARY KEY, name text)",
			"CREATE TABLE "+d.schema+".notes (id int, n int, note text, PRIMARY KEY (id, n))"+d.options,
			fmt.Sprintf("INSERT INTO %s.users SELECT n, 'user ' || n FROM generate_series(1, %d) AS n", d.schema, parents)); err != nil {
			return err
		}
		for parent := 1; parent <= parents; parent++ {
			if err := execAll(ctx, conn, fmt.Sprintf("INSERT INTO %s.notes SELECT %d, n, repeat('x', %d) FROM generate_series(1, %d) AS n",
				d.schema, parent, payloadSize, childrenPerParent)); err != nil {
				return err
			}
		}
		if err := execAll(ctx, conn, "ANALYZE "+d.schema+".users, "+d.schema+".notes"); err != nil {
			return err
		}
	}
	for round := -1; round < b.rounds; round++ { // round -1 warms up
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
				return err
			}
			if round >= 0 {
				l.sides[i] = append(l.sides[i], took)
			}
		}
	}
	return conn.QueryRow(ctx, "EXPLAIN SELECT name, note FROM beside.users JOIN beside.notes USING (id) WHERE id = 1").Scan(&l.note)
}
