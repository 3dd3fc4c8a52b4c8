package session

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/store/dynamostore/dynamofake"
)

var (
	killedRows  = flag.Int("killed.rows", 40, "how many rows the statements of TestKilledCommits write")
	killedEvery = flag.Int("killed.every", 97, "at each how-manieth request TestKilledCommits kills")
)

// TestKilledCommits kills a process at requests of statements that write many rows with the entries of two indexes, one
// of them unique, or that delete rows to which these refer. Others find all of it or nothing, at once and for good,
// also when the process wakes up again much later and goes on.
func TestKilledCommits(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 1))
	n := *killedRows
	insert := fmt.Sprintf("INSERT INTO t SELECT g, g %% 7, 'name ' || g FROM generate_series(1, %d) g", n)
	for _, c := range []manyWrites{
		{"insert", insert, "0 0 0", fmt.Sprint(n, " ", sumOf(n, 0), " ", n)},
		{"update", "UPDATE t SET a = a + 10, b = 'other ' || id",
			fmt.Sprint(n, " ", sumOf(n, 0), " ", n), fmt.Sprint(n, " ", sumOf(n, 10), " 0")},
		{"delete", "DELETE FROM t", fmt.Sprint(n, " ", sumOf(n, 0), " ", n), "0 0 0"},
		{cascade, "DELETE FROM p", fmt.Sprint(n, " ", sumOf(n, 0), " ", n), "0 0 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kills := 0
			for at := 1 + random.IntN(*killedEvery); ; at += *killedEvery {
				killed := false
				synctest.Test(t, func(t *testing.T) {
					f := dynamofake.New(dynamofake.Options{})
					victim, other := joined(t, f, "a"), joined(t, f, "c")
					s, o := connect(t, victim.DB, "joe"), connect(t, other.DB, "joe")
					accepted(t, o, "CREATE TABLE t (id int PRIMARY KEY, a int, b text)", "CREATE INDEX ON t (a)",
						"CREATE UNIQUE INDEX ON t (b)")
					if c.before != "0 0 0" {
						accepted(t, o, insert)
					}
					if c.name == cascade {
						accepted(t, o, "CREATE TABLE p (id int PRIMARY KEY)",
							"INSERT INTO p SELECT generate_series(0, 6)",
							"ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES p ON DELETE CASCADE")
					}
					time.Sleep(time.Minute) // until nothing of that goes on
					killed = c.killedAt(t, victim, s, o, at)
					victim.thaw()
					synctest.Wait()
					time.Sleep(2 * time.Minute)
					c.whole(t, o)
					other.agreesWithRows(t)
				})
				if !killed {
					break
				}
				kills++
			}
			t.Logf("%d kills", kills)
		})
	}
}

// sumOf is the sum of the column a, to each of which something was added.
func sumOf(rows, added int) (sum int) {
	for g := 1; g <= rows; g++ {
		sum += g%7 + added
	}
	return sum
}

// cascade is the statement that deletes rows to which others refer.
const cascade = "cascade"

// manyWrites is a statement, and what there is before and after it.
type manyWrites struct{ name, statement, before, after string }

// whole wants the table as it was before the statement or after it.
func (c manyWrites) whole(t *testing.T, s *Session) string {
	t.Helper()
	const ask = "SELECT count(*), coalesce(sum(a), 0), count(*) FILTER (WHERE b LIKE 'name %') FROM t"
	got := strings.Join(answer(t, s, ask), "")
	if got != c.before && got != c.after {
		t.Errorf("the table has %s, want %s or %s", got, c.before, c.after)
	}
	if c.name == cascade {
		const orphans = "SELECT count(*) FROM t WHERE NOT EXISTS (SELECT FROM p WHERE p.id = a)"
		if n := strings.Join(answer(t, s, orphans), ""); n != "0" {
			t.Errorf("%s rows refer to none", n)
		}
	}
	return got
}

// killedAt runs the statement and freezes its process at a request. It says false if there are not so many.
func (c manyWrites) killedAt(t *testing.T, p *process, s, other *Session, at int) bool {
	t.Helper()
	ended := make(chan error, 1)
	p.freezeIn(at)
	go func() { ended <- s.Query(context.WithoutCancel(t.Context()), c.statement, &silent{}) }()
	for len(ended) == 0 && !p.frozen() {
		time.Sleep(100 * time.Millisecond)
	}
	if !p.frozen() {
		if got := c.whole(t, other); got != c.after {
			t.Errorf("it has ended, and the table has %s", got)
		}
		return false
	}
	found := c.whole(t, other)
	time.Sleep(time.Minute) // until the process counts as dead
	if got := c.whole(t, other); got != found && found != c.before {
		t.Errorf("the table had %s, and has %s", found, got)
	}
	accepted(t, other, "UPDATE t SET a = a WHERE id <= 20") // nothing is in the way
	return true
}
