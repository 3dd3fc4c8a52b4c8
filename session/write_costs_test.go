package session

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store/dynamostore/dynamofake"
)

// writeCosts are the statements of which docs/dynamodb.md has the costs. Each writes one row, of well below 1 KB.
var writeCosts = []struct {
	name, sql string
	row       int
}{
	{"`INSERT`", "INSERT INTO %s VALUES (%d, 1, 1, 1, 1, 'x')", 1},
	{"`INSERT .. ON CONFLICT DO NOTHING`", "INSERT INTO %s VALUES (%d, 1, 1, 1, 1, 'x') ON CONFLICT DO NOTHING", 2},
	{"`INSERT .. ON CONFLICT DO NOTHING` of a taken key", "INSERT INTO %s VALUES (%d, 1, 1, 1, 1, 'x') ON CONFLICT DO NOTHING", 2},
	{"`UPSERT` of a new row", "UPSERT INTO %s VALUES (%d, 1, 1, 1, 1, 'x')", 3},
	{"`UPSERT` of an equal row", "UPSERT INTO %s VALUES (%d, 1, 1, 1, 1, 'x')", 3},
	{"`UPDATE` of a column without an index", "UPDATE %s SET e = 'y' WHERE id = %d", 1},
	{"`UPDATE` of a column with an index", "UPDATE %s SET a = 2 WHERE id = %d", 1},
	{"`DELETE`", "DELETE FROM %s WHERE id = %d", 1},
	{"`DELETE` of a row that is not there", "DELETE FROM %s WHERE id = %d", 1},
}

// costly are tables of which docs/dynamodb.md has the costs: of a class, with indexes made so.
var costly = []struct{ name, class, indexes string }{
	{"`MUTABLE_LATEST`", "MUTABLE_LATEST", ""},
	{"`MUTABLE_LATEST`, `storage = 'gsi'`", "MUTABLE_LATEST", " WITH (storage = 'gsi')"},
	{"`MUTABLE_ALL`", "MUTABLE_ALL", ""},
	{"`IMMUTABLE_ROWS`", "IMMUTABLE_ROWS", ""},
	{"`IMMUTABLE`", "IMMUTABLE", ""},
}

// TestWriteCosts wants docs/dynamodb.md to have what the fake charges for writes of one row, by class and number of
// indexes.
func TestWriteCosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPricedWrites(t)
		var page strings.Builder
		for n, of := range costly {
			w.with = of.indexes
			fmt.Fprintf(&page, "| %s | no index | 1 index | 2 | 3 | 4 |\n|---|---|---|---|---|---|\n", of.name)
			rows := make([]string, len(writeCosts))
			for indexes := range 5 {
				table := fmt.Sprintf("c%d_%d", n, indexes)
				w.create(table, of.class, indexes)
				for i, what := range writeCosts {
					rows[i] += " | " + w.cost(table, fmt.Sprintf(what.sql, table, what.row))
				}
			}
			for i, what := range writeCosts {
				if strings.Trim(rows[i], " |") != "" {
					fmt.Fprintf(&page, "| %s%s |\n", what.name, rows[i])
				}
			}
			page.WriteString("\n")
		}
		have, err := os.ReadFile("../docs/dynamodb.md")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(have), page.String()) {
			t.Errorf("docs/dynamodb.md has not these tables:\n%s", page.String())
		}
	})
}

// create makes a table of a class with so many indexes.
func (w *pricedWrites) create(table, class string, indexes int) {
	accepted(w.t, w.Session, fmt.Sprintf(
		"CREATE TABLE %s (id int PRIMARY KEY, a int, b int, c int, d int, e text) WITH (MUTABILITY = '%s')",
		table, class))
	for _, column := range []string{"a", "b", "c", "d"}[:indexes] {
		accepted(w.t, w.Session, fmt.Sprintf("CREATE INDEX ON %s (%s)", table, column)+w.with)
	}
}

// cost is what a statement is charged, also for what it has begun; empty where the class forbids it.
func (w *pricedWrites) cost(table, sql string) string {
	var err error
	cost := w.charged(table, func() error {
		err = ask(w.t, w.Session, sql)
		return err
	})
	if err != nil {
		return ""
	}
	return cost
}

// charged is what is charged about a table for what something does and begins.
func (w *pricedWrites) charged(table string, do func() error) string {
	before := w.tally(table)
	if do() == nil {
		time.Sleep(25 * time.Minute)
	}
	now := w.tally(table)
	write, read := now.WriteUnits-before.WriteUnits, now.ReadUnits-before.ReadUnits
	if read == 0 {
		return fmt.Sprintf("%g", write)
	}
	return fmt.Sprintf("%g + %g read", write, read)
}

// tally is what requests about a table, and for large transactions, have cost so far.
func (w *pricedWrites) tally(table string) (sum dynamofake.Tally) {
	for kind, tally := range w.fake.Requests() {
		if strings.Contains(kind.Table, table) || strings.HasSuffix(kind.Table, ".transactions") {
			sum.ReadUnits += tally.ReadUnits
			sum.WriteUnits += tally.WriteUnits
		}
	}
	return sum
}
