package levels

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

var schedulesFlag = flag.Int("schedules", 0,
	"how many schedules TestRandomSchedules makes for each level and server; 0: a few")

const (
	scheduleSteps    = 14
	scheduleSessions = 2 // of three, two could wait, and which goes on first is a matter of time on PostgreSQL
)

const randomSetup = "CREATE TABLE test (id int PRIMARY KEY, k int, v text, u int UNIQUE);" +
	"CREATE INDEX test_k ON test (k);" +
	"CREATE TABLE other (id int PRIMARY KEY, w text);" +
	"INSERT INTO test VALUES (1, 10, 'a', 1), (2, 20, 'b', 2), (3, 30, 'c', 3);" +
	"INSERT INTO other VALUES (10, 'x'), (20, 'y'), (30, 'z')"

// TestRandomSchedules makes random schedules of sessions that meet on a few rows, on PostgreSQL, and plays them again
// on zproxy at those levels at which rows are waited for: the same must be answered, and the same sessions must wait.
// Deadlocks, which depend on the order in which a statement comes to its rows, end the comparison. PostgreSQL is
// compared with itself, too: what it answers is no matter of time.
func TestRandomSchedules(t *testing.T) {
	theirs := &script{t: t, url: postgres.start(t)[0], setup: randomSetup}
	for _, s := range append(slices.Clone(zproxies), postgres) {
		t.Run(s.name, func(t *testing.T) {
			waiting, clauses := levels[:2], lockClauses
			if !s.atomic { // the higher level has no snapshots, and locks for a share exclude each other
				waiting, clauses = levels[:1], lockClauses[:2]
			}
			ours := &script{t: t, url: s.start(t)[0], setup: randomSetup}
			seed, n := testseed.Of(t), max(5, *schedulesFlag)
			met := map[string]int{} // how many schedules have met
			for i := range uint64(n) {
				for _, l := range waiting {
					d := &duel{rand.New(rand.NewPCG(seed+i, uint64(l))), theirs.begin(l), ours.begin(l), clauses, nil}
					ok := d.play()
					for _, what := range []string{" waits: ", " goes on: ERROR 40001", "ERROR 40P01", "ERROR "} {
						if strings.Contains(d.theirs.out.String(), what) {
							met[what]++
						}
					}
					if ok {
						continue
					}
					t.Errorf("-seed %d, %s:\n%s\nPostgreSQL:\n%s\ngot:\n%s", seed+i, l, strings.Join(d.lines, "\n"),
						d.theirs.out.String(), d.ours.out.String())
				}
			}
			t.Logf("of %d schedules so many have met %v", len(waiting)*n, met)
		})
	}
}

// duel plays a schedule on two servers at once, and makes it by what the sessions of the first one can do next.
type duel struct {
	*rand.Rand
	theirs, ours *schedule
	clauses      []string // of locks
	lines        []string
}

// play says whether both answered the same, up to a deadlock.
func (d *duel) play() bool {
	defer d.theirs.end()
	defer d.ours.end()
	for range scheduleSteps {
		free := d.free()
		if len(free) == 0 {
			break
		}
		if same, over := d.step(d.next(free[d.IntN(len(free))])); !same || over {
			return same
		}
	}
	for free := d.open(); len(free) > 0; free = d.open() {
		if same, over := d.step(free[0] + ": COMMIT"); !same || over {
			return same
		}
	}
	same, _ := d.step("9: SELECT * FROM test ORDER BY id")
	return same
}

// step runs a line on both servers. A deadlock on either one ends the schedule: each session waits, or the victim was
// told already.
func (d *duel) step(line string) (same, over bool) {
	d.lines = append(d.lines, line)
	d.theirs.step(line)
	d.ours.step(line)
	theirs, ours := d.theirs.out.String(), d.ours.out.String()
	if len(d.free()) == 0 || strings.Contains(theirs+ours, "ERROR 40P01") {
		return true, true
	}
	return theirs == ours, false
}

// free are the sessions that do not wait.
func (d *duel) free() (out []string) {
	for i := range scheduleSessions {
		if s := d.theirs.session(fmt.Sprint(i + 1)); !s.waits {
			out = append(out, s.name)
		}
	}
	return out
}

// open are the free sessions that have a transaction.
func (d *duel) open() []string {
	return slices.DeleteFunc(d.free(), func(name string) bool { return d.theirs.session(name).conn.TxStatus() == 'I' })
}

// next draws what a session does.
func (d *duel) next(name string) string {
	sql := d.statement()
	switch status, n := d.theirs.session(name).conn.TxStatus(), d.IntN(12); {
	case status == 'I' && n < 10:
		sql = "BEGIN"
	case status == 'E':
		sql = "ROLLBACK"
	case status == 'T' && n < 2:
		sql = "COMMIT"
	case status == 'T' && n == 2:
		sql = "ROLLBACK"
	}
	return name + ": " + sql
}

// statement draws one that reads, locks or writes rows by their key or through an index.
func (d *duel) statement() string {
	id, k := 1+d.IntN(4), 10*(1+d.IntN(4))
	where := []string{fmt.Sprintf("id = %d", id), fmt.Sprintf("k = %d", k), fmt.Sprintf("k >= %d", k),
		fmt.Sprintf("k BETWEEN %d AND %d", k-5, k+15), fmt.Sprintf("id <> %d", id)}[d.IntN(5)]
	switch d.IntN(11) {
	case 0:
		return "SELECT * FROM test WHERE " + where + " ORDER BY id"
	case 1, 2:
		wait := []string{"", "", " NOWAIT", " SKIP LOCKED"}[d.IntN(4)]
		return "SELECT * FROM test WHERE " + where + " ORDER BY id " + d.clauses[d.IntN(len(d.clauses))] + wait
	case 3:
		return "UPDATE test SET k = k + 10 WHERE " + where
	case 4:
		return "UPDATE test SET v = v || '+' WHERE " + where
	case 5:
		return fmt.Sprintf("UPDATE test SET u = %d WHERE id = %d", 1+d.IntN(5), id)
	case 6:
		return "UPDATE test SET v = v || w FROM other WHERE other.id = k AND " + strings.Replace(where, "id", "test.id", 1)
	case 7:
		return "DELETE FROM test WHERE " + where
	case 8:
		return fmt.Sprintf("INSERT INTO test VALUES (%d, %d, 'n', %d)", id, k, 1+d.IntN(5))
	case 9:
		return fmt.Sprintf("INSERT INTO test VALUES (%d, %d, 'n', %d) ON CONFLICT (id) DO UPDATE SET v = test.v || excluded.v", id, k,
			id)
	default:
		return fmt.Sprintf("INSERT INTO test VALUES (%d, %d, 'n', %d) ON CONFLICT DO NOTHING", id, k, id)
	}
}
