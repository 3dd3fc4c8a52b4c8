package main

import (
	"context"
	"fmt"
	"time"
)

const (
	stampRows    = 200_000
	stampWriters = 8
	stampTime    = 3 * time.Second
)

// measureTimestamps compares writes to cells with timestamps with those to cells without.
func measureTimestamps(ctx context.Context, b *bench) (*section, error) {
	at := b.sideOf(zproxy)
	if at < 0 {
		return nil, errNoZproxy
	}
	conns, err := connectAll(ctx, b.sides[at], stampWriters)
	if err != nil {
		return nil, err
	}
	defer closeAll(conns)
	rows := b.scaled(stampRows)
	classes := [2]string{"MUTABLE_UDT", "MUTABLE_LATEST"}
	tables := [2]string{"stamped", "latest"}
	for i, name := range tables {
		for _, sql := range []string{
			"DROP TABLE IF EXISTS " + name,
			fmt.Sprintf("CREATE TABLE %s (id int PRIMARY KEY, n int, payload text) WITH (MUTABILITY = '%s')", name, classes[i]),
			fmt.Sprintf("INSERT INTO %s SELECT i, i, repeat('x', %d) FROM generate_series(0, %d) AS i", name, payloadSize, rows-1),
			fmt.Sprintf("CREATE INDEX ON %s (n)", name),
		} {
			if _, err := conns[0].Exec(ctx, sql); err != nil {
				return nil, err
			}
		}
	}
	if err := rest(ctx); err != nil {
		return nil, err
	}
	out := &section{unit: operationsPerSecond, note: "statement", columns: [2]string{"with timestamps", "without"},
		about: []string{fmt.Sprintf("Writes of random rows to a table whose cells have timestamps (%s) and to one whose cells have none (%s), both on %s: "+
			"%s rows of id int4 primary key, n int4 with an index, payload text of %d bytes; %d clients, prepared; %v a round.",
			classes[0], classes[1], b.sides[at].name, thousands(float64(rows)), payloadSize, stampWriters, stampTime)}}
	for _, of := range []struct{ name, sql string }{
		{"UPDATE", "UPDATE %s SET n = $2 WHERE id = $1"}, {"UPSERT", "UPSERT INTO %s (id, n) VALUES ($1, $2)"},
	} {
		l := line{name: of.name, note: "`" + fmt.Sprintf(of.sql, "t") + "`"}
		for round := -1; round < b.rounds; round++ { // round -1 is not counted
			for i, name := range tables {
				of := writers{conns, b.seed + uint64(round+1), rows, fmt.Sprintf(of.sql, name)}
				w, err := of.during(ctx, stampTime)
				if err != nil {
					return nil, err
				}
				if round >= 0 {
					l.sides[i] = append(l.sides[i], w.perSecond())
				}
			}
		}
		out.lines = append(out.lines, l)
	}
	return out, nil
}
