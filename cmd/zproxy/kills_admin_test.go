package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// admin makes and takes away indexes of the tables that all share, and changes these.
type admin struct {
	number int
	conn   *pgx.Conn
	rng    *rand.Rand
	next   int             // the number of its next index
	known  map[string]bool // its indexes, with their tables: there, or not
	doubt  map[string]bool // those that a statement under way makes or drops
	log    []string        // its statements, and how they ended
	report func(format string, args ...any)
}

// shapes are the indexes that are made: what follows ON, behind the table.
var shapes = []string{
	"(a)", "(b DESC, a)", "(s) INCLUDE (a)", "(a) WHERE b < 30", "(m)", "(m) WHERE m > 0",
	"(b) WITH (INDEX_COVERED_TYPE = 'COVERED_ALL_COLUMNS_IN_SCHEMA')",
}

// drawn and single are the Z-order and the unique ones.
var (
	drawn  = []string{"USING zorder (a, b)", "USING zorder (b, u) INCLUDE (s)"}
	single = []string{"(u)", "(u) WHERE b > 10", "(u, a)"}
)

// perTable is how many indexes a table has at the most.
const perTable = 6

// act does one thing. It says false when the connection is broken.
func (a *admin) act() bool {
	table := []string{"small", "big"}[a.rng.IntN(2)]
	if a.rng.IntN(4) == 0 {
		rate := []int{0, 0, 3000, 20000}[a.rng.IntN(4)]
		if broken(a.run(fmt.Sprintf("SET zproxy.build_rate = %d", rate))) {
			return false
		}
	}
	indexes, err := a.indexes(table)
	if err != nil {
		return !broken(err)
	}
	if len(indexes) < 2 || len(indexes) < perTable && a.rng.IntN(3) == 0 {
		return a.create(table)
	}
	index := indexes[a.rng.IntN(len(indexes))]
	if len(indexes) >= perTable || a.rng.IntN(4) == 0 {
		return a.drop(table, index)
	}
	return !broken(a.run(a.other(table, index)))
}

// other is a statement that makes no index and drops none for good.
func (a *admin) other(table, index string) string {
	concurrently := []string{"", "CONCURRENTLY ", "CONCURRENTLY "}[a.rng.IntN(3)]
	switch a.rng.IntN(13) {
	case 0, 1:
		return fmt.Sprintf("REINDEX INDEX %s%s", concurrently, index)
	case 2:
		return fmt.Sprintf("REINDEX TABLE %s%s", concurrently, table)
	case 3, 4:
		return fmt.Sprintf("ALTER INDEX %s ON %s DISABLED", index, table)
	case 5:
		return fmt.Sprintf("ALTER INDEX %s ON %s ACTIVE", index, table)
	case 6, 7, 8:
		return fmt.Sprintf("BUILD INDEX %s ON %s %s", index, table, []string{"", "ASYNC", "SYNC"}[a.rng.IntN(3)])
	case 9:
		return fmt.Sprintf("ALTER TABLE %s ADD COLUMN IF NOT EXISTS x int DEFAULT 7", table)
	case 10:
		return fmt.Sprintf("ALTER TABLE %s DROP COLUMN IF EXISTS x", table)
	case 11:
		return fmt.Sprintf("ALTER TABLE %s ALTER m TYPE %s", table, []string{"int", "bigint"}[a.rng.IntN(2)])
	}
	return "ANALYZE " + table
}

// indexes are those of a table, but for those that will take the place of others, and those
// that have another name for a moment.
func (a *admin) indexes(table string) ([]string, error) {
	rows, err := a.conn.Query(context.Background(),
		"SELECT indexname FROM pg_indexes WHERE tablename = $1 AND indexname LIKE 'i%' AND indexname NOT LIKE '%ccnew%'", table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// create makes an index.
func (a *admin) create(table string) bool {
	a.next++
	name := fmt.Sprintf("i%d_%d", a.number, a.next)
	kinds, unique := shapes, ""
	switch a.rng.IntN(4) {
	case 0:
		kinds = drawn
	case 1:
		kinds, unique = single, "UNIQUE "
	}
	concurrently := []string{"", "CONCURRENTLY ", "CONCURRENTLY ", "CONCURRENTLY "}[a.rng.IntN(4)]
	sql := fmt.Sprintf("CREATE %sINDEX %s%s ON %s %s", unique, concurrently, name, table, kinds[a.rng.IntN(len(kinds))])
	return a.ifDone(sql, table+"."+name, true)
}

// drop drops an index. Only who made it knows whether it is there.
func (a *admin) drop(table, index string) bool {
	if !strings.HasPrefix(index, fmt.Sprintf("i%d_", a.number)) {
		return !broken(a.run(fmt.Sprintf("BUILD INDEX %s ON %s", index, table)))
	}
	if a.rng.IntN(3) == 0 {
		return a.ifDone(fmt.Sprintf("DROP INDEX %s ON %s", index, table), table+"."+index, false)
	}
	return a.ifDone("DROP INDEX CONCURRENTLY "+index, table+"."+index, false)
}

// ifDone runs a statement that makes an index or drops it, and notes that.
func (a *admin) ifDone(sql, index string, there bool) bool {
	a.doubt[index] = true
	err := a.run(sql)
	if broken(err) {
		return false
	}
	delete(a.doubt, index)
	if err == nil {
		a.known[index] = there
	}
	return true
}

// mayRefuse are the codes of errors that these statements may meet: they get in each other's way
// and in that of the writers, and there may be two rows for one key of a unique index.
var mayRefuse = []string{"40001", "23505", "55000", "42704", "42P01", "2BP01", "42P07", "0A000"}

// run runs a statement, and reports errors that it should not meet.
func (a *admin) run(sql string) error {
	_, err := a.conn.PgConn().Exec(context.Background(), sql).ReadAll()
	a.log = append(a.log, fmt.Sprintf("%s admin %d: %s: %v", time.Now().Format("05.000"), a.number, sql, err))
	if refused := new(pgconn.PgError); errors.As(err, &refused) && !slices.Contains(mayRefuse, refused.Code) {
		a.report("%s: %s: %v", sql, refused.Code, err)
	}
	return err
}

// compare compares the indexes that are there with those that should be. One that goes, because a
// statement said so of whose end nothing is known, is in doubt until it is gone.
func (a *admin) compare(there, goes map[string]bool) string {
	for index := range a.doubt {
		if a.known[index] = there[index]; !goes[index] {
			delete(a.doubt, index)
		}
	}
	for index, known := range a.known {
		if there[index] != known {
			return fmt.Sprintf("index %s: there is %v, acknowledged was %v", index, there[index], known)
		}
	}
	return ""
}
