package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/kintest"
)

// keyWriters is how many clients write at once, keyWrites how many transactions each of them makes, and keyChildren how
// many rows of a table they write.
const (
	keyWriters  = 4
	keyWrites   = 60
	keyChildren = 40
)

// TestForeignKeysHold lets clients write rows of a parent and of its children at once, at each level of isolation. At
// the end each child must have its parent, whatever was refused.
func TestForeignKeysHold(t *testing.T) {
	for i, level := range []string{"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"} {
		t.Run(level, func(t *testing.T) {
			for _, seed := range seeds(t, 1) {
				k := kintest.Draw(rand.New(rand.NewPCG(seed, uint64(i))), keyChildren)
				onEveryAndFake(t, func(t *testing.T, s *server) { holdKeys(t, s, k, seed, level) })
			}
		})
	}
}

// holdKeys lets clients write at once.
func holdKeys(t *testing.T, s *server, k *kintest.Kin, seed uint64, level string) {
	c := s.connect(t)
	must(t, c, k.Create()...)
	var all sync.WaitGroup
	for i := range keyWriters {
		conn := s.connect(t)
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() { writeKeys(conn, random, k, level) })
	}
	all.Wait()
	noOrphans(t, c, k)
}

// noOrphans wants each row of these tables to have the rows that it refers to.
func noOrphans(t *testing.T, c *pgx.Conn, k *kintest.Kin) {
	t.Helper()
	for _, orphans := range k.Orphans() {
		if n := countOf(t, c, orphans); n > 0 {
			t.Errorf("%s: %d\n%s", orphans, n, strings.Join(k.Create(), ";\n"))
		}
	}
}

// onEveryAndFake runs a test on every store, and on one that other processes could share.
func onEveryAndFake(t *testing.T, test func(t *testing.T, s *server)) {
	onEvery(t, test)
	t.Run(onFake.name, func(t *testing.T) { test(t, openDB(t, onFake)) })
}

// writeKeys makes random transactions, of which any may fail.
func writeKeys(c *pgx.Conn, random *rand.Rand, k *kintest.Kin, level string) {
	ctx := context.Background()
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
			_, err = c.Exec(ctx, k.Write(random))
		}
		_, _ = c.Exec(ctx, "COMMIT")
	}
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

// TestMovedChildren gives a child another primary key, while another client deletes its parent.
func TestMovedChildren(t *testing.T) {
	for _, action := range []string{"NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT"} {
		for _, partitions := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, partitions %v", action, partitions), func(t *testing.T) {
				onEveryAndFake(t, func(t *testing.T, s *server) { moveChild(t, s, action, partitions) })
			})
		}
	}
}

func moveChild(t *testing.T, s *server, action string, partitions bool) {
	c, other := s.connect(t), s.connect(t)
	must(t, c, "CREATE TABLE p (id int PRIMARY KEY)", "INSERT INTO p VALUES (1)")
	create := "CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p ON DELETE " + action + ")"
	if partitions {
		must(t, c, create+" PARTITION BY LIST (id)", "CREATE TABLE c1 PARTITION OF c FOR VALUES IN (1)",
			"CREATE TABLE c2 PARTITION OF c FOR VALUES IN (2)")
	} else {
		must(t, c, create)
	}
	must(t, c, "INSERT INTO c VALUES (1, 1)", "BEGIN", "UPDATE c SET id = 2")
	deleted := make(chan error, 1)
	go func() { deleted <- run(other, "DELETE FROM p WHERE id = 1") }()
	time.Sleep(20 * time.Millisecond)
	_ = run(c, "COMMIT")
	err := <-deleted
	if n := countOf(t, c, "SELECT count(*) FROM c WHERE pid IS NOT NULL AND NOT EXISTS "+
		"(SELECT FROM p WHERE p.id = pid)"); n > 0 {
		t.Errorf("%d rows without a parent; the deletion: %v", n, err)
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
		if err := copied("tree", "2000\t2000\n2001\t77777\n"); s.store.Capabilities().Snapshots && whereOf(err) != "" {
			t.Errorf("%v, %s: all lines were read", err, whereOf(err))
		}
		if n := countOf(t, c, "SELECT count(*) FROM c WHERE NOT EXISTS (SELECT FROM p WHERE p.id = pid)"); n > 0 {
			t.Errorf("%d rows refer to none", n)
		}
	})
}

// whereOf is the context of an error.
func whereOf(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Where
	}
	return ""
}
