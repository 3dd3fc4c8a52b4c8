package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

const manyClients = 8

// together runs f on several connections at once.
func together(t *testing.T, s *server, f func(c *pgx.Conn, client int)) {
	t.Helper()
	var running sync.WaitGroup
	for i := range manyClients {
		c := s.connect(t)
		running.Go(func() { f(c, i) })
	}
	running.Wait()
}

func run(c *pgx.Conn, sql string) error {
	_, err := c.PgConn().Exec(context.Background(), sql).ReadAll()
	return err
}

// TestNoLostUpdate increments one counter from many connections, in single statements.
func TestNoLostUpdate(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		must(t, c, "CREATE TABLE c (id int PRIMARY KEY, n int, m int)", "CREATE INDEX c_n ON c (n)",
			"INSERT INTO c VALUES (1, 0, 0)")
		const times = 25
		together(t, s, func(c *pgx.Conn, _ int) {
			for range times {
				if err := run(c, "UPDATE c SET n = n + 1, m = m - 1"); err != nil {
					t.Error(err)
				}
			}
		})
		var n, m int
		if err := c.QueryRow(context.Background(), "SELECT n, m FROM c").Scan(&n, &m); err != nil ||
			n != manyClients*times || m != -n {
			t.Errorf("%d, %d after %d increments; %v", n, m, manyClients*times, err)
		}
	})
}

// TestReturnedOnce increments one counter from many connections, as drivers do it: each
// increment returns another number, and none is refused.
func TestReturnedOnce(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		must(t, s.connect(t), "CREATE TABLE c (id int PRIMARY KEY, n int)", "INSERT INTO c VALUES (1, 0)")
		const times = 50
		var mu sync.Mutex
		seen := map[int]bool{}
		together(t, s, func(c *pgx.Conn, client int) {
			mode := execModes[client%len(execModes)]
			for range times {
				var n int
				if err := c.QueryRow(context.Background(), "UPDATE c SET n = n + 1 WHERE id = 1 RETURNING n",
					mode).Scan(&n); err != nil {
					t.Error(err)
				}
				mu.Lock()
				if seen[n] {
					t.Errorf("%d was returned twice", n)
				}
				seen[n] = true
				mu.Unlock()
			}
		})
		if len(seen) != manyClients*times || !seen[manyClients*times] {
			t.Errorf("%d numbers were returned", len(seen))
		}
	})
}

// TestForUpdate lets two transactions read the same row to write different ones on what it
// said: of the two that locked it only one may commit.
func TestForUpdate(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		must(t, s.connect(t), "CREATE TABLE f (id int PRIMARY KEY, n int)",
			"INSERT INTO f VALUES (1, 1), (2, 0), (3, 0)")
		a, b := s.connect(t), s.connect(t)
		for _, c := range []struct{ lock, want string }{{"FOR UPDATE", "<nil>"}, {"FOR NO KEY UPDATE NOWAIT", "55P03"},
			{"FOR UPDATE SKIP LOCKED", "<nil>"}, {"", "<nil>"}} {
			must(t, a, "BEGIN; SELECT n FROM f WHERE id = 1 FOR UPDATE; UPDATE f SET n = n + 1 WHERE id = 2")
			waited := make(chan error, 1)
			go func() { waited <- run(b, "SELECT n FROM f WHERE id = 1 "+c.lock) }()
			if c.lock != "FOR UPDATE" {
				if code := codeOf(<-waited); code != c.want {
					t.Errorf("%q: %s", c.lock, code)
				}
				must(t, a, "COMMIT")
				continue
			}
			untilOneWaits(t, s.connect(t))
			must(t, a, "COMMIT")
			if code := codeOf(<-waited); code != c.want {
				t.Errorf("%q: %s", c.lock, code)
			}
		}
		if code := codeOf(run(s.connect(t), "BEGIN READ ONLY; SELECT * FROM f FOR UPDATE")); code != "25006" {
			t.Error(code)
		}
		together(t, s, func(c *pgx.Conn, _ int) {
			for range 10 {
				if err := run(c, "SELECT * FROM f FOR UPDATE"); err != nil {
					t.Errorf("a statement of its own: %v", err)
				}
			}
		})
	})
}

// TestOneInsertWins inserts the same keys, and the same values of a unique index, from
// many connections. In a table whose rows are written once it is the commit that finds the others.
func TestOneInsertWins(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		for _, class := range []string{"MUTABLE_LATEST", "IMMUTABLE"} {
			must(t, s.connect(t), "DROP TABLE IF EXISTS k",
				"CREATE TABLE k (id int PRIMARY KEY, u int) WITH (mutability = '"+class+"')",
				"CREATE UNIQUE INDEX k_u ON k (u)")
			for _, values := range []string{"(%[1]d, %[1]d)", "(-%[2]d - %[1]d * 100, 1000 + %[1]d)"} {
				oneWins(t, s, "INSERT INTO k VALUES "+values)
			}
		}
	})
}

// oneWins runs an INSERT of the same key by each client for each of ten keys.
func oneWins(t *testing.T, s *server, insert string) {
	var won [10]atomic.Int64
	together(t, s, func(c *pgx.Conn, client int) {
		for key := range won {
			err := run(c, fmt.Sprintf(insert, key+1, client+1))
			switch {
			case err == nil:
				won[key].Add(1)
			case codeOf(err) != "23505":
				t.Error(err)
			}
		}
	})
	for key := range won {
		if n := won[key].Load(); n != 1 {
			t.Errorf("%s: %d connections inserted %d", insert, n, key)
		}
	}
}

// TestTransfers moves amounts between rows in transactions, which may be refused and run
// again, and always finds the same sum.
func TestTransfers(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		must(t, s.connect(t), "CREATE TABLE a (id int PRIMARY KEY, n int)",
			"INSERT INTO a VALUES (0, 100), (1, 100), (2, 100), (3, 100)")
		together(t, s, func(c *pgx.Conn, client int) {
			must(t, c, "SET deadlock_timeout = '10ms'")
			for i := range 20 {
				from, to := (client+i)%4, (client+i*3+1)%4
				transfer := fmt.Sprintf("BEGIN; UPDATE a SET n = n - 1 WHERE id = %d; UPDATE a SET n = n + 1 WHERE id = %d; COMMIT", from, to)
				for err := run(c, transfer); err != nil; err = run(c, transfer) {
					if code := codeOf(err); code != "40001" && code != "40P01" {
						t.Error(err)
						return
					}
					_ = run(c, "ROLLBACK")
				}
				var sum int
				if err := c.QueryRow(context.Background(), "SELECT sum(n)::int FROM a").Scan(&sum); err != nil ||
					sum != 400 {
					t.Errorf("the sum is %d; %v", sum, err)
				}
			}
		})
	})
}

// TestIndexWhileWritten makes and drops indexes while others write, and read rows that
// stay. When they are done, openDB compares the indexes with the rows.
func TestIndexWhileWritten(t *testing.T) {
	changes := []string{
		"CREATE INDEX w_0 ON w (a, b DESC)", "CREATE INDEX w_1 ON w (a) INCLUDE (b)", "CREATE INDEX w_z ON w USING zorder (a, id)",
		"DROP INDEX w_0", "DROP INDEX w_1", "DROP INDEX w_z",
	}
	onEvery(t, func(t *testing.T, s *server) {
		must(t, s.connect(t), "CREATE TABLE w (id int PRIMARY KEY, a int, b text)",
			"INSERT INTO w VALUES (-1, -1, 'stays'), (-2, -1, 'stays')")
		together(t, s, func(c *pgx.Conn, client int) {
			for i := range 30 {
				id := client*1000 + i
				statements := []string{
					fmt.Sprintf("INSERT INTO w VALUES (%d, %d, 'x'), (%d, %d, 'y')", id, i, id+500, i),
					fmt.Sprintf("UPDATE w SET a = a + 1 WHERE id = %d", id),
					fmt.Sprintf("DELETE FROM w WHERE id = %d", id+500),
				}
				if client == 0 {
					statements = changes[i%len(changes):][:1]
				}
				for _, sql := range statements {
					if err := run(c, sql); err != nil {
						t.Errorf("%s: %v", sql, err)
					}
				}
				var n int
				if err := c.QueryRow(context.Background(),
					"SELECT count(b) FROM w WHERE a = -1 AND id < 0").Scan(&n); err != nil || n != 2 {
					t.Errorf("%d rows were read of 2; %v", n, err)
				}
			}
		})
		if n := count(t, s.connect(t), "w"); n != (manyClients-1)*30+2 {
			t.Errorf("%d rows", n)
		}
	})
}

// TestBlockKeepsItsSchema makes and drops indexes of a table before a transaction that has begun reads it. Under
// repeatable read it sees the rows as they were before, and must not look for them in an index that came later. Under
// read committed it sees all rows.
func TestBlockKeepsItsSchema(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c, other := s.connect(t), s.connect(t)
		must(t, other, "CREATE TABLE other (id int PRIMARY KEY)")
		for level, keeps := range map[string]bool{"REPEATABLE READ": true, "READ COMMITTED": false} {
			must(t, other, "DROP TABLE IF EXISTS b; CREATE TABLE b (id int PRIMARY KEY, a int)",
				"INSERT INTO b VALUES (1, 1), (2, 1)", "CREATE INDEX b_0 ON b (a)")
			for _, sql := range []string{"DROP INDEX b_0", "INSERT INTO b VALUES (3, 1)", "CREATE INDEX b_1 ON b (a)"} {
				want := countOf(t, other, "SELECT count(*) FROM b")
				must(t, c, "BEGIN ISOLATION LEVEL "+level+"; SELECT 1 FROM other")
				must(t, other, sql)
				if !keeps {
					want = countOf(t, other, "SELECT count(*) FROM b")
				}
				for _, mode := range execModes {
					var n int
					if err := c.QueryRow(context.Background(), "SELECT count(*) FROM b WHERE a = 1",
						mode).Scan(&n); err != nil || n != want {
						t.Errorf("%s, after %s: %d rows of %d; %v", level, sql, n, want, err)
					}
				}
				code, old := codeOf(run(c, "UPDATE b SET a = 1 WHERE a = 1; COMMIT")), strings.Contains(sql, "INDEX")
				if (code == "40001") != (keeps && old) || code != "40001" && code != "<nil>" {
					t.Errorf("%s, after %s: the update says %s", level, sql, code)
				}
				must(t, c, "ROLLBACK; UPDATE b SET a = 1 WHERE a = 1")
			}
		}
	})
}

// TestDropWhileRead drops tables that others read and write. They are told that it is
// gone, and nothing else.
func TestDropWhileRead(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		create := "CREATE TABLE IF NOT EXISTS d (id int PRIMARY KEY, a int)"
		must(t, s.connect(t), create)
		together(t, s, func(c *pgx.Conn, client int) {
			for i := range 25 {
				sql := "SELECT count(*), sum(a) FROM d WHERE a >= 0"
				switch client {
				case 0:
					sql = []string{"DROP TABLE d", create, "CREATE INDEX d_a ON d (a)"}[i%3]
				case 1, 2:
					sql = fmt.Sprintf("INSERT INTO d VALUES (%d, %d)", client*1000+i, i)
				}
				switch code := codeOf(run(c, sql)); code {
				case "<nil>", "42P01", "40001":
				default:
					t.Errorf("%s: %s", sql, code)
				}
			}
		})
	})
}
