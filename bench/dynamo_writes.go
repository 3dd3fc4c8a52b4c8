package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// writtenRows is how many rows a large statement writes: more than one request takes.
const writtenRows = 2000

// keepers are what is compared: indexes that DynamoDB keeps, and entries that are written with the rows.
var keepers = [2]struct{ table, options string }{{"native", " WITH (storage = 'gsi')"}, {"entries", ""}}

// dynamoWrites are statements over the rows of a table with two indexes, in the order in which they run.
var dynamoWrites = []struct{ name, sql string }{
	{"`INSERT` of a row", "INSERT INTO %s VALUES (0, 0, 0, repeat('x', 80))"},
	{"`UPDATE` of an indexed column of it", "UPDATE %s SET a = a + 1 WHERE id = 0"},
	{"`UPDATE` of another column of it", "UPDATE %s SET note = note || 'y' WHERE id = 0"},
	{"`DELETE` of it", "DELETE FROM %s WHERE id = 0"},
	{fmt.Sprintf("`INSERT` of %d rows", writtenRows),
		fmt.Sprintf("INSERT INTO %%s SELECT n, n, n, repeat('x', 80) FROM generate_series(1, %d) AS n", writtenRows)},
	{"`UPDATE` of an indexed column of these", "UPDATE %s SET a = a + 1 WHERE id > 0"},
	{"`UPDATE` of another column of these", "UPDATE %s SET note = note || 'y' WHERE id > 0"},
	{"`DELETE` of these", "DELETE FROM %s WHERE id > 0"},
}

// measureDynamoWrites times writes of rows with two indexes and says what they are charged.
func measureDynamoWrites(ctx context.Context, b *bench) (*section, error) {
	out := &section{
		unit: milliseconds, columns: [2]string{"native indexes", "indexes with entries"}, note: "write units charged (estimated): native; entries",
		about: []string{fmt.Sprintf("Writes of rows of 80 bytes of text with two indexes, each statement a transaction of its own, of one row or %d. "+
			"Indexes with entries are the default; native ones have `storage = 'gsi'`. The statements of one row run while intents of the large ones "+
			"before are still made real. What entries of native indexes cost that a large `UPDATE` changes is charged later, and not counted here.", writtenRows)},
	}
	return out, out.onEachDynamo(func(name, endpoint string) (lines []line, err error) {
		err = b.connected(ctx, dynamoFlags(endpoint), func(c *pgx.Conn) error {
			lines, err = dynamoWriteLines(ctx, b, c, name)
			return err
		})
		return lines, err
	})
}

func dynamoWriteLines(ctx context.Context, b *bench, c *pgx.Conn, name string) ([]line, error) {
	if err := execAll(ctx, c, "SET zproxy.full_scan = allow"); err != nil {
		return nil, err
	}
	for _, k := range keepers {
		if err := execAll(ctx, c, "CREATE TABLE "+k.table+" (id int PRIMARY KEY, a int, b int, note text)",
			"CREATE INDEX ON "+k.table+" (a)"+k.options, "CREATE INDEX ON "+k.table+" (b)"+k.options); err != nil {
			return nil, err
		}
	}
	lines := make([]line, len(dynamoWrites))
	for round := -1; round < b.rounds; round++ { // round -1 warms up
		for i, w := range dynamoWrites {
			notes := [2]string{}
			for side, k := range keepers {
				took, units, err := chargedRun(ctx, c, fmt.Sprintf(w.sql, k.table))
				if err != nil {
					return nil, err
				}
				if notes[side] = units; round >= 0 {
					lines[i].sides[side] = append(lines[i].sides[side], took)
				}
				if strings.HasPrefix(w.sql, "INSERT") {
					if err := execAll(ctx, c, "ANALYZE "+k.table); err != nil {
						return nil, err
					}
				}
			}
			lines[i].name, lines[i].note = name+": "+w.name, strings.Join(notes[:], "; ")
		}
	}
	return lines, nil
}

var (
	unitsCharged   = regexp.MustCompile(`Charged: .*?([0-9.]+) write unit`)
	unitsEstimated = regexp.MustCompile(`Estimate: .*~([0-9.]+) write unit`)
)

// chargedRun runs a statement once. It gives the milliseconds that it took, and what it was charged and thought to be.
func chargedRun(ctx context.Context, c *pgx.Conn, sql string) (took float64, units string, err error) {
	began := time.Now()
	rows, err := c.Query(ctx, "EXPLAIN (ANALYZE) "+sql)
	if err != nil {
		return 0, "", err
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	took = float64(time.Since(began).Microseconds()) / 1000
	if err != nil {
		return 0, "", fmt.Errorf("%s: %w", sql, err)
	}
	text := strings.Join(plan, "\n")
	charged, estimated := unitsCharged.FindStringSubmatch(text), unitsEstimated.FindStringSubmatch(text)
	if charged == nil || estimated == nil {
		return 0, "", fmt.Errorf("%s is charged nothing:\n%s", sql, text)
	}
	n, err := strconv.ParseFloat(charged[1], 64)
	return took, fmt.Sprintf("%s (%s)", thousands(n), estimated[1]), err
}
