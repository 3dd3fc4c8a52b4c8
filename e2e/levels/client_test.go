package levels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/anomaly"
)

const (
	window     = 6  // so many ids are in use at a time
	perID      = 10 // after so many transactions the window moves on
	statements = 5  // of a transaction at most
)

// lists are two tables of lists, a and b, each with the same ids. The lists of even ids are there from the beginning
// and may be deleted, but do not come back; those of odd ids are inserted at some time and stay. So a list that is
// not there says which of its versions that is.
type lists struct {
	keeps   keeps
	waits   bool
	atomic  bool
	asked   []anomaly.Level // that transactions draw their level from
	counter atomic.Int64    // of values and of moments
	begun   atomic.Int64    // transactions
	mu      sync.Mutex
	history []*anomaly.Transaction
	failed  map[string]int // transactions, by SQLSTATE
}

// layout is how the tables and their indexes are kept. Those with Z-order indexes are for zproxy alone.
type layout struct {
	name       string
	statements []string
}

var plain = layout{"plain", []string{
	"CREATE TABLE a (id int PRIMARY KEY, val int, n int, v text)",
	"CREATE INDEX a_val ON a (val)",
	"CREATE INDEX a_n ON a (n)",
	"CREATE TABLE b (id int PRIMARY KEY, val int, n int, v text)",
	"CREATE INDEX b_val ON b (val, id) INCLUDE (v)",
}}

// zorderLayouts are plain, or have keys of other kinds: spread over shards, hashed, Z-addresses, in partitions.
var zorderLayouts = []layout{
	{"plain", append(slices.Clone(plain.statements), "CREATE INDEX a_z ON a USING zorder (id, val)")},
	{"sharded", []string{
		"CREATE TABLE a (id int PRIMARY KEY, val int, n int, v text) WITH (shards = 3)",
		"CREATE INDEX a_val ON a (val) WITH (shards = 2)",
		"CREATE INDEX a_n ON a (n DESC) WITH (shards = 2)",
		"CREATE INDEX a_z ON a USING zorder (id, val) WITH (partition_bits = 2)",
		"CREATE TABLE b (id int PRIMARY KEY, val int, n int, v text) WITH (shards = 2, shard_by = 'random')",
		"CREATE INDEX b_val ON b (val, id) INCLUDE (v) WITH (shards = 2)",
	}},
	{"hashed", []string{
		"CREATE TABLE a (id int PRIMARY KEY, val int, n int, v text) PARTITION BY HASH (id)",
		"CREATE INDEX a_val ON a (val)",
		"CREATE INDEX a_n ON a (n) INCLUDE (v)",
		"CREATE INDEX a_z ON a USING zorder (id, val) WITH (shards = 2)",
		"CREATE TABLE b (id int, val int, n int, v text, PRIMARY KEY (val, id)) PARTITION BY HASH (val)",
		"CREATE UNIQUE INDEX b_id ON b (id)",
		"CREATE INDEX b_val ON b (val) WHERE n > 0",
	}},
	{"Z-addresses", []string{
		"CREATE TABLE a (id int, val int, n int, v text, PRIMARY KEY USING zorder (id, val))",
		"CREATE UNIQUE INDEX a_id ON a (id)",
		"CREATE INDEX a_val ON a (val)",
		"CREATE INDEX a_n ON a (n)",
		"CREATE TABLE b (id int PRIMARY KEY, val int, n int, v text)",
		"CREATE INDEX b_val ON b USING zorder (val, n)",
	}},
	{"partitions", []string{
		"CREATE TABLE a (id int PRIMARY KEY, val int, n int, v text) PARTITION BY RANGE (id)",
		"CREATE TABLE a0 PARTITION OF a FOR VALUES FROM (0) TO (10)",
		"CREATE TABLE a1 PARTITION OF a FOR VALUES FROM (10) TO (1000)",
		"CREATE INDEX a_val ON a (val)",
		"CREATE INDEX a_n ON a (n)",
		"CREATE TABLE b (id int PRIMARY KEY, val int, n int, v text) PARTITION BY RANGE (id)",
		"CREATE TABLE b0 PARTITION OF b FOR VALUES FROM (0) TO (15)",
		"CREATE TABLE b1 PARTITION OF b FOR VALUES FROM (15) TO (1000)",
		"CREATE UNIQUE INDEX b_val ON b (val, id)",
	}},
}

// makeLists creates the tables with all lists that so many transactions meet.
func makeLists(t *testing.T, c *pgx.Conn, l layout, transactions int) {
	t.Helper()
	must(t, c, l.statements...)
	for id := 0; id <= transactions/perID+window; id += 2 {
		for _, table := range tables {
			must(t, c, fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, 0, '')", table, id, valOf(id)))
		}
	}
}

var tables = []string{"a", "b"}

// valOf is the value of a column that an index has in another order than the ids.
func valOf(id int) int { return id * 7 % 20 }

// now is a moment later than all before.
func (l *lists) now() int64 { return l.counter.Add(1) }

// client runs transactions on lists.
type client struct {
	*lists
	*rand.Rand
	conn *pgx.Conn
	at   *anomaly.Transaction
	// Of the transaction:
	first    int // id of the window
	readOnly bool
	block    bool // it has a BEGIN
}

// transaction runs one, which may fail.
func (c *client) transaction() error {
	asked := c.asked[c.IntN(len(c.asked))]
	begun := c.begun.Add(1)
	c.first = int(begun / perID)
	c.at = &anomaly.Transaction{ID: int(begun), Level: c.keeps[asked], Outcome: anomaly.Aborted, Began: c.now()}
	err := c.statements(asked)
	c.at.Ended = c.now()
	var e *pgconn.PgError
	switch {
	case err == nil:
		c.at.Outcome = anomaly.Committed
	case errors.As(err, &e) && e.Code == "40003":
		c.at.Outcome = anomaly.Unknown
	}
	c.mu.Lock()
	c.history = append(c.history, c.at)
	if e != nil {
		c.failed[e.Code]++
	}
	c.mu.Unlock()
	switch {
	case errors.Is(err, errUndone):
		return nil
	case e != nil && e.Code == "40001" && asked == anomaly.ReadCommitted && (c.waits || !c.block):
		return fmt.Errorf("at read committed: %w", err)
	case e != nil && e.Code == "23505" && !c.atomic: // a row that another transaction has moved is found in both keys
	case e == nil || !expected[e.Code]:
		return err
	}
	return c.exec("ROLLBACK")
}

// expected are the errors that transactions may end with: a conflict, a deadlock, a row that NOWAIT finds locked, an
// outcome that is not known.
var expected = map[string]bool{"40001": true, "40P01": true, "55P03": true, "40003": true}

// statements are those of a transaction. Some of read committed are a single one without BEGIN.
func (c *client) statements(asked anomaly.Level) error {
	c.readOnly, c.block = c.IntN(8) == 0, asked > anomaly.ReadCommitted || c.IntN(3) > 0
	if !c.block {
		return c.statement()
	}
	mode := ""
	if c.readOnly {
		mode = ", READ ONLY"
		if !c.atomic {
			c.at.Level = anomaly.ReadCommitted // rows are kept only where they may be written
		}
	}
	if err := c.exec("BEGIN ISOLATION LEVEL " + asked.String() + mode); err != nil {
		return err
	}
	for range 1 + c.IntN(statements) {
		run := c.statement
		if c.IntN(10) == 0 {
			run = c.undone
		}
		if err := run(); err != nil {
			return err
		}
	}
	if c.IntN(10) == 0 {
		return cmp.Or(c.exec("ROLLBACK"), errUndone)
	}
	return c.exec("COMMIT")
}

// errUndone is that the client has ended the transaction by ROLLBACK.
var errUndone = errors.New("rolled back")

// statement reads or writes.
func (c *client) statement() error {
	if c.readOnly || c.IntN(2) == 0 {
		return c.read()
	}
	return c.write()
}

// undone runs a statement and takes it back. For others it is one of a transaction that does not commit.
func (c *client) undone() error {
	if err := c.exec("SAVEPOINT s"); err != nil {
		return err
	}
	before := len(c.at.Ops)
	if err := c.statement(); err != nil {
		return err
	}
	if err := c.exec("ROLLBACK TO s"); err != nil {
		return err
	}
	undone := *c.at
	undone.Outcome, undone.Ops = anomaly.Aborted, c.at.Ops[before:]
	c.at.Ops = c.at.Ops[:before:before]
	c.mu.Lock()
	c.history = append(c.history, &undone)
	c.mu.Unlock()
	return nil
}

// modes are how drivers send statements.
var modes = []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol,
	pgx.QueryExecModeExec}

func (c *client) exec(sql string) error {
	_, err := c.conn.Exec(context.Background(), sql, modes[c.IntN(len(modes))])
	return err
}

// query returns rows of texts; one that is NULL is nil.
func (c *client) query(sql string, args ...any) (out [][]*string, err error) {
	rows, err := c.conn.Query(context.Background(), sql, append([]any{modes[c.IntN(len(modes))]}, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		row := make([]*string, len(rows.FieldDescriptions()))
		cells := make([]any, len(row))
		for i := range row {
			cells[i] = &row[i]
		}
		if err := rows.Scan(cells...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// values are those of a list, which stand behind commas.
func valuesOf(text string) (out []int, err error) {
	for word := range strings.SplitSeq(strings.TrimPrefix(text, ","), ",") {
		if word == "" {
			continue
		}
		v, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("a list is %q", text)
		}
		out = append(out, v)
	}
	return out, nil
}

// key names a list.
func key(table string, id int) string { return table + strconv.Itoa(id) }

// ends says whether a list is one that may be deleted.
func ends(id int) bool { return id%2 == 0 }
