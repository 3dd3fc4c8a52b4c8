package levels

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/anomaly"
	"zproxy/internal/testseed"
)

// sessions opens so many connections, by turns to each process of a server.
func (s *server) sessions(t *testing.T, n int) []*pgx.Conn {
	t.Helper()
	urls := s.start(t)
	out := make([]*pgx.Conn, n)
	for i := range out {
		out[i] = connect(t, urls[i%len(urls)])
	}
	return out
}

// tried runs statements that may meet a conflict, which ends their transaction.
func tried(c *pgx.Conn, statements ...string) error {
	for _, sql := range statements {
		if _, err := c.PgConn().Exec(context.Background(), sql).ReadAll(); err != nil {
			_, _ = c.Exec(context.Background(), "ROLLBACK")
			return err
		}
	}
	return nil
}

func codeOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

// TestHotRow lets clients of several processes count in one row by single statements: none fails, and none is lost.
func TestHotRow(t *testing.T) {
	for _, s := range append(zproxies[:len(zproxies):len(zproxies)], processes) {
		t.Run(s.name, func(t *testing.T) {
			const clients, each = 6, 20
			conns := s.sessions(t, clients)
			must(t, conns[0], "CREATE TABLE counters (id int PRIMARY KEY, n int)", "INSERT INTO counters VALUES (1, 0)",
				"CREATE INDEX counters_n ON counters (n)")
			var running sync.WaitGroup
			for _, c := range conns {
				running.Go(func() {
					for range each {
						if err := tried(c, "UPDATE counters SET n = n + 1 WHERE id = 1"); err != nil {
							t.Error(err)
						}
					}
				})
			}
			running.Wait()
			wants(t, conns[0], "SELECT n FROM counters", clients*each)
		})
	}
}

// wants asks for a number.
func wants(t *testing.T, c *pgx.Conn, sql string, want int) {
	t.Helper()
	var got int
	if err := c.QueryRow(context.Background(), sql).Scan(&got); err != nil || got != want {
		t.Errorf("%s: %d, want %d (%v)", sql, got, want, err)
	}
}

// balances are queries for the balance of an account: by its key, and by an index that has all that is asked for.
var balances = []string{"SELECT balance FROM accounts WHERE id = $1",
	"SELECT /*+ USE_INDEX(accounts, accounts_owner) */ balance FROM accounts WHERE owner = $1"}

// TestTransfers moves amounts that the clients compute from what they have read. Above read committed nothing is lost,
// and queries beside find the total where a statement reads the rows of one moment.
func TestTransfers(t *testing.T) {
	for _, s := range append(zproxies[:len(zproxies):len(zproxies)], processes, consistent) {
		t.Run(s.name, func(t *testing.T) {
			const clients, each, accounts, total = 6, 25, 6, 1200
			conns := s.sessions(t, clients+1)
			auditor := conns[clients]
			conns = conns[:clients]
			must(t, conns[0], "CREATE TABLE accounts (id int PRIMARY KEY, owner int, balance int) WITH (shards = 4)",
				fmt.Sprintf("INSERT INTO accounts SELECT i, i, %d FROM generate_series(1, %d) AS i", total/accounts, accounts),
				"CREATE INDEX accounts_owner ON accounts (owner) INCLUDE (balance)")
			var running sync.WaitGroup
			var committed atomic.Int64
			seed := testseed.Of(t)
			for i, c := range conns {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				running.Go(func() {
					for range each {
						level, between := levels[1+r.IntN(2)], [2]int{1 + r.IntN(accounts), 1 + r.IntN(accounts)}
						switch err := transfer(c, level, balances[r.IntN(2)], between); {
						case err == nil:
							committed.Add(1)
						case !expected[codeOf(err)]:
							t.Error(err)
						}
					}
				})
			}
			torn, audits := audit(t, auditor, total, &running)
			t.Logf("%d of %d transfers were committed, %d of %d totals were wrong meanwhile", committed.Load(),
				clients*each, torn, audits)
			if s.atomic && torn > 0 {
				t.Errorf("%d of %d totals were wrong", torn, audits)
			}
			wants(t, conns[0], "SELECT sum(balance)::int FROM accounts", total)
			if committed.Load() == 0 {
				t.Error("no transfer was committed")
			}
		})
	}
}

// audit asks for the total while transfers run, by both ways to read the balances, and says how often it was wrong.
func audit(t *testing.T, c *pgx.Conn, total int, running *sync.WaitGroup) (torn, audits int) {
	t.Helper()
	ended := make(chan struct{})
	go func() { running.Wait(); close(ended) }()
	for {
		select {
		case <-ended:
			return torn, audits
		default:
		}
		var sum int
		query := "SELECT sum(balance)::int FROM accounts"
		if audits%2 == 1 {
			query = "SELECT /*+ USE_INDEX(accounts, accounts_owner) */ sum(balance)::int FROM accounts WHERE owner > 0"
		}
		if err := c.QueryRow(context.Background(), query, pgx.QueryExecModeSimpleProtocol).Scan(&sum); err != nil {
			t.Error(err)
		}
		if audits++; sum != total {
			torn++
		}
	}
}

// transfer moves 1 from one account to another.
func transfer(c *pgx.Conn, l anomaly.Level, query string, between [2]int) error {
	if between[0] == between[1] {
		return nil
	}
	statements := []string{"BEGIN ISOLATION LEVEL " + l.String()}
	if err := tried(c, statements[0]); err != nil {
		return err
	}
	statements = statements[:0]
	for i, id := range between {
		var n int
		if err := c.QueryRow(context.Background(), query, pgx.QueryExecModeSimpleProtocol, id).Scan(&n); err != nil {
			_ = tried(c, "ROLLBACK")
			return err
		}
		statements = append(statements, fmt.Sprintf("UPDATE accounts SET balance = %d WHERE id = %d", n+2*i-1, id))
	}
	return tried(c, append(statements, "COMMIT")...)
}

// TestJobAmongProcesses gives a job to workers of two processes, of which one commits. In one process SKIP LOCKED gives
// each another job.
func TestJobAmongProcesses(t *testing.T) {
	conns := processes.sessions(t, 4) // the last one is of the same process as the first
	must(t, conns[0], "CREATE TABLE jobs (id int PRIMARY KEY, state text)",
		"INSERT INTO jobs SELECT i, 'new' FROM generate_series(1, 9) AS i", "CREATE INDEX jobs_state ON jobs (state)")
	take := "SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
	for i, want := range []int{1, 1, 1, 2} {
		must(t, conns[i], "BEGIN")
		wants(t, conns[i], take, want)
	}
	for i, want := range []string{"", "40001", "40001", ""} {
		id := map[bool]int{true: 2, false: 1}[i == 3]
		err := tried(conns[i], fmt.Sprintf("UPDATE jobs SET state = 'done' WHERE id = %d", id), "COMMIT")
		if got := strings.TrimPrefix(codeOf(err), "<nil>"); got != want {
			t.Errorf("worker %d: %q, want %q", i, got, want)
		}
	}
	wants(t, conns[0], "SELECT count(*)::int FROM jobs WHERE state = 'done'", 2)
}
