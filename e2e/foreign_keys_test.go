package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// keyWriters is how many clients write at once, and keyWrites how many transactions each of them makes.
const (
	keyWriters = 4
	keyWrites  = 60
)

// TestForeignKeysHold lets clients write rows of a parent and of its children at once, at each level of isolation. At
// the end each child must have its parent, whatever was refused.
func TestForeignKeysHold(t *testing.T) {
	for _, level := range []string{"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"} {
		t.Run(level, func(t *testing.T) {
			seed := seeds(t, 1)[0]
			onEveryAndFake(t, func(t *testing.T, s *server) {
				c := s.connect(t)
				must(t, c, keyTables...)
				for i := range 8 {
					must(t, c, fmt.Sprintf("INSERT INTO p VALUES (%d, %d)", i, i))
				}
				var all sync.WaitGroup
				for i := range keyWriters {
					conn := s.connect(t)
					random := rand.New(rand.NewPCG(seed, uint64(i)))
					all.Go(func() { writeKeys(conn, random, level) })
				}
				all.Wait()
				noOrphans(t, c)
			})
		})
	}
}

// keyTables are tables with foreign keys of all actions.
var keyTables = []string{
	"CREATE TABLE p (id int PRIMARY KEY, n int UNIQUE)",
	"CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE)",
	"CREATE TABLE d (id int PRIMARY KEY, n int REFERENCES p (n))",
	"CREATE TABLE e (id int PRIMARY KEY, cid int REFERENCES c ON DELETE SET NULL, n int REFERENCES p (n) " +
		"ON UPDATE SET NULL ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED)",
	"CREATE INDEX ON c (pid)", "CREATE INDEX ON d (n)",
}

// noOrphans wants each row of these tables to have the rows that it refers to.
func noOrphans(t *testing.T, c *pgx.Conn) {
	t.Helper()
	for _, orphans := range []string{
		"SELECT count(*) FROM c WHERE NOT EXISTS (SELECT FROM p WHERE p.id = pid)",
		"SELECT count(*) FROM d WHERE n IS NOT NULL AND NOT EXISTS (SELECT FROM p WHERE p.n = d.n)",
		"SELECT count(*) FROM e WHERE cid IS NOT NULL AND NOT EXISTS (SELECT FROM c WHERE c.id = cid)",
		"SELECT count(*) FROM e WHERE n IS NOT NULL AND NOT EXISTS (SELECT FROM p WHERE p.n = e.n)",
	} {
		if n := countOf(t, c, orphans); n > 0 {
			t.Errorf("%s: %d", orphans, n)
		}
	}
}

// onEveryAndFake runs a test on every store, and on one that other processes could share.
func onEveryAndFake(t *testing.T, test func(t *testing.T, s *server)) {
	onEvery(t, test)
	t.Run(onFake.name, func(t *testing.T) { test(t, openDB(t, onFake)) })
}

// writeKeys makes random transactions, of which any may fail.
func writeKeys(c *pgx.Conn, random *rand.Rand, level string) {
	ctx := context.Background()
	number := func() int { return random.IntN(8) }
	for range keyWrites {
		if _, err := c.Exec(ctx, "BEGIN ISOLATION LEVEL "+level); err != nil {
			return
		}
		if random.IntN(2) == 0 {
			_, _ = c.Exec(ctx, "SELECT count(*) FROM p")
		}
		var err error
		for range 1 + random.IntN(3) {
			if err != nil {
				break
			}
			_, err = c.Exec(ctx, keyWrite(random, number))
		}
		_, _ = c.Exec(ctx, "COMMIT")
	}
}

// keyWrite is a random statement that writes a parent or a child.
func keyWrite(random *rand.Rand, number func() int) string {
	id := random.IntN(1000)
	switch random.IntN(12) {
	case 0, 1:
		return fmt.Sprintf("DELETE FROM p WHERE id = %d", number())
	case 2:
		return fmt.Sprintf("UPDATE p SET id = %d WHERE id = %d", number(), number())
	case 3:
		return fmt.Sprintf("UPDATE p SET n = %d WHERE id = %d", number(), number())
	case 4, 5:
		return fmt.Sprintf("INSERT INTO p VALUES (%d, %d) ON CONFLICT DO NOTHING", number(), number())
	case 6, 7:
		return fmt.Sprintf("INSERT INTO c VALUES (%d, %d) ON CONFLICT (id) DO UPDATE SET pid = excluded.pid", id, number())
	case 8:
		return fmt.Sprintf("INSERT INTO d VALUES (%d, %d) ON CONFLICT DO NOTHING", id, number())
	case 9:
		return fmt.Sprintf("DELETE FROM d WHERE n = %d", number())
	case 10:
		return fmt.Sprintf("INSERT INTO e SELECT %d, id, %d FROM c LIMIT 1 ON CONFLICT DO NOTHING", id, number())
	}
	return fmt.Sprintf("DELETE FROM c WHERE pid = %d", number())
}

// TestLaterChildren deletes a parent, in a transaction that keeps to one state, when others have committed a child
// since then.
func TestLaterChildren(t *testing.T) {
	for _, action := range []string{"NO ACTION", "RESTRICT", "CASCADE", "SET NULL"} {
		for _, level := range []string{"REPEATABLE READ", "SERIALIZABLE"} {
			t.Run(action+" "+level, func(t *testing.T) {
				onEveryAndFake(t, func(t *testing.T, s *server) {
					c, other := s.connect(t), s.connect(t)
					must(t, c, "CREATE TABLE p (id int PRIMARY KEY)",
						"CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p ON DELETE "+action+")",
						"INSERT INTO p VALUES (1)", "INSERT INTO c VALUES (0, NULL)",
						"BEGIN ISOLATION LEVEL "+level, "SELECT * FROM p, c")
					must(t, other, "INSERT INTO c VALUES (1, 1)")
					_ = run(c, "DELETE FROM p WHERE id = 1")
					_ = run(c, "COMMIT")
					if n := countOf(t, other, "SELECT count(*) FROM c WHERE pid IS NOT NULL AND NOT EXISTS "+
						"(SELECT FROM p WHERE p.id = pid)"); n > 0 {
						t.Errorf("%d rows without a parent", n)
					}
				})
			})
		}
	}
}

// TestCopiedKeys copies rows that refer to others: in one transaction, or in parts where the store has small ones.
func TestCopiedKeys(t *testing.T) {
	onEveryAndFake(t, func(t *testing.T, s *server) {
		c := s.connect(t)
		must(t, c, "CREATE TABLE p (id int PRIMARY KEY)", "CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p)",
			"CREATE TABLE tree (id int PRIMARY KEY, parent int REFERENCES tree)", "INSERT INTO p SELECT generate_series(0, 9)")
		var good, tree strings.Builder
		for i := range 1200 {
			fmt.Fprintf(&good, "%d\t%d\n", i, i%10)
			fmt.Fprintf(&tree, "%d\t%d\n", i, (i+700)%1200)
		}
		copied := func(table, data string) error {
			_, err := c.PgConn().CopyFrom(t.Context(), strings.NewReader(data), "COPY "+table+" FROM STDIN")
			return err
		}
		if err := copied("c", good.String()); err != nil {
			t.Error(err)
		}
		if err := copied("tree", tree.String()); err != nil {
			t.Error(err)
		}
		if err := copied("c", "2000\t1\n2001\t77\n"); codeOf(err) != "23503" {
			t.Errorf("a row that refers to none: %v", err)
		}
		if n := countOf(t, c, "SELECT count(*) FROM c WHERE NOT EXISTS (SELECT FROM p WHERE p.id = pid)"); n > 0 {
			t.Errorf("%d rows refer to none", n)
		}
	})
}
