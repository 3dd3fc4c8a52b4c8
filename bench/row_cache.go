package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// cachedTables are what is compared: a table of which the row is in memory, and one without the option cache.
var cachedTables = [2]struct{ name, options string }{{"cached", " WITH (cache = '1h')"}, {"uncached", ""}}

// measureRowCache compares reads of a row from DynamoDB with those from the memory of the process.
func measureRowCache(ctx context.Context, b *bench) (*section, error) {
	out := &section{
		unit: microseconds, columns: [2]string{"from the cache", "from DynamoDB"}, note: "requests for a read, from the cache",
		about: []string{fmt.Sprintf("Reads of one row by its key, of %d bytes of text, by a prepared statement on one connection: of a table with the option "+
			"`cache`, which has the row in memory, and of one without; a round is %d reads of the one after as many of the other, and counts as the median of each.",
			payloadSize, pointReads)},
	}
	return out, out.onEachDynamo(func(name, endpoint string) ([]line, error) {
		l := line{name: name}
		err := b.connected(ctx, dynamoFlags(endpoint), func(c *pgx.Conn) error { return l.rowCache(ctx, b, c) })
		return []line{l}, err
	})
}

// rowCache measures reads of a row on a connection.
func (l *line) rowCache(ctx context.Context, b *bench, conn *pgx.Conn) error {
	for _, t := range cachedTables {
		if err := execAll(ctx, conn, "CREATE TABLE "+t.name+" (id int PRIMARY KEY, payload text)"+t.options,
			fmt.Sprintf("INSERT INTO %s VALUES (7, repeat('x', %d))", t.name, payloadSize)); err != nil {
			return err
		}
	}
	for round := -1; round < b.rounds; round++ { // round -1 fills the cache
		for i, t := range cachedTables {
			took, err := medianOf(ctx, pointReads, func(ctx context.Context) error {
				var payload string
				return conn.QueryRow(ctx, "SELECT payload FROM "+t.name+" WHERE id = $1", 7).Scan(&payload)
			})
			if err != nil {
				return err
			}
			if round >= 0 {
				l.sides[i] = append(l.sides[i], took)
			}
		}
	}
	var hits, misses float64
	err := conn.QueryRow(ctx, "SELECT hits, misses FROM zproxy.row_cache WHERE tablename = 'cached'").Scan(&hits, &misses)
	if err != nil {
		return err
	}
	l.note = fmt.Sprintf("%.4f", misses/(hits+misses))
	return nil
}
