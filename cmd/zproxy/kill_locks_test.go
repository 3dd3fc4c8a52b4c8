package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testseed"
)

const (
	countersOfLocks = 3
	clientsOfLocks  = 6
)

// TestKillLocks kills a server several times while transactions count in the same few rows, wait for each other, and
// for one that has a row and stays open. After each restart nothing is locked, what was acknowledged is there, each
// transaction as a whole or not at all, and nothing of those that were open.
func TestKillLocks(t *testing.T) {
	seed := testseed.Of(t)
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-level", "error"}
	cmd, at := process(t, args...)
	conn := dial(t, at)
	exec(t, conn, "CREATE TABLE counters (id int PRIMARY KEY, n int)")
	exec(t, conn, fmt.Sprintf("INSERT INTO counters SELECT i, 0 FROM generate_series(0, %d) AS i", countersOfLocks))
	exec(t, conn, "CREATE TABLE done (client int, step int, PRIMARY KEY (client, step))")
	clients := make([]*counting, clientsOfLocks)
	for i := range clients {
		clients[i] = &counting{t: t, number: i, rng: rand.New(rand.NewPCG(seed, uint64(i)))}
	}
	for round := range 3 {
		holder := dial(t, at)
		exec(t, holder, "BEGIN")
		exec(t, holder, fmt.Sprintf("UPDATE counters SET n = n + 1000 WHERE id = %d", countersOfLocks))
		exec(t, holder, "INSERT INTO done VALUES (-1, 0)")
		exec(t, holder, "SELECT pg_advisory_lock(7)")
		var group sync.WaitGroup
		for _, c := range clients {
			c.conn = dial(t, at)
			exec(t, c.conn, "SET deadlock_timeout = 5")
			group.Go(func() {
				for c.count() {
				}
			})
		}
		awaitWaiters(t, dial(t, at), 100*(round+1))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		group.Wait()
		cmd, at = process(t, args...)
		checkCounts(t, dial(t, at), clients)
	}
}

// awaitWaiters waits until transactions have been done, and some wait: for the one that stays open, and for others.
func awaitWaiters(t *testing.T, conn *pgx.Conn, done int) {
	t.Helper()
	const query = `SELECT (SELECT count(*) FROM done) >= $1 AND count(*) > 1 AND count(*) < $2
		FROM pg_locks WHERE NOT granted`
	for ready := false; !ready; {
		if err := conn.QueryRow(context.Background(), query, done, clientsOfLocks).Scan(&ready); err != nil {
			t.Fatal(err)
		}
	}
}

// counting is a client that counts in one or two of the rows that all share, and notes that.
type counting struct {
	t       *testing.T
	number  int
	rng     *rand.Rand
	conn    *pgx.Conn
	step    int
	done    []int // steps that were acknowledged
	blocked bool  // the one that was under way waits for the open transaction
}

// count does a transaction, and says false when the connection is broken.
func (c *counting) count() bool {
	c.step++
	rows := c.rng.Perm(countersOfLocks)[:2]
	if c.blocked = c.number == 0 && c.step%10 == 0; c.blocked {
		rows[0] = countersOfLocks // so that it has no row that others want
	}
	statements := []string{"BEGIN", fmt.Sprintf("INSERT INTO done VALUES (%d, %d)", c.number, c.step)}
	for _, row := range rows {
		statements = append(statements, fmt.Sprintf("UPDATE counters SET n = n + 1 WHERE id = %d", row))
	}
	for _, sql := range append(statements, "COMMIT") {
		_, err := c.conn.Exec(context.Background(), sql)
		var refused *pgconn.PgError
		switch {
		case errors.As(err, &refused) && refused.Code == "40P01":
			_, err = c.conn.Exec(context.Background(), "ROLLBACK")
			return err == nil
		case errors.As(err, &refused) && refused.Code[:2] != "57":
			c.t.Errorf("%s: %v", sql, err)
			return false
		case err != nil:
			return false
		}
	}
	c.done = append(c.done, c.step)
	return true
}

// checkCounts compares what is there with what the clients know.
func checkCounts(t *testing.T, conn *pgx.Conn, clients []*counting) {
	t.Helper()
	ask := func(query string, args ...any) (got string) {
		t.Helper()
		if err := conn.QueryRow(context.Background(), "SELECT ("+query+")::text", args...).Scan(&got); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		return got
	}
	if got := ask("SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid()"); got != "0" {
		t.Errorf("there are %s locks", got)
	}
	if got := ask("SELECT pg_try_advisory_xact_lock(7)"); got != "true" {
		t.Error("an advisory lock is left")
	}
	exec(t, conn, "SELECT 1 FROM counters FOR UPDATE NOWAIT")
	if open := ask("SELECT count(*) FROM done WHERE client < 0"); open != "0" {
		t.Error("something of the open transaction is there")
	}
	if n := ask("SELECT n FROM counters WHERE id = $1", countersOfLocks); n != "0" {
		t.Errorf("the counter of the open transaction is %s", n)
	}
	if counted, done := ask("SELECT sum(n) FROM counters"), ask("SELECT 2 * count(*) FROM done"); counted != done {
		t.Errorf("the rows count %s, of %s that are noted", counted, done)
	}
	for _, c := range clients {
		more := 0 // whose acknowledgement did not come
		if got := ask("SELECT count(*) FROM done WHERE client = $1 AND step <> ALL ($2)", c.number, c.done); got == "1" {
			more = 1
		}
		last := func() string { return ask("SELECT max(step) FROM done WHERE client = $1", c.number) }
		if more == 1 && (c.blocked || last() != fmt.Sprint(c.step)) {
			t.Errorf("client %d has done step %d, and another one is there", c.number, c.step)
		}
		want := fmt.Sprint(len(c.done) + more)
		if got := ask("SELECT count(*) FROM done WHERE client = $1", c.number); got != want {
			t.Errorf("client %d has done %s steps, and %s are there", c.number, want, got)
		}
		if more == 1 {
			c.done = append(c.done, c.step)
		}
	}
}
