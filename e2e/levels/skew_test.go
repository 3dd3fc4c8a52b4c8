package levels

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/anomaly"
)

// skew is a rule that two transactions keep each by itself: both read what it is about, and write only if it then
// holds. Neither writes a row that the other reads or writes, but one that the other's condition selects.
type skew struct {
	name   string
	setup  []string
	rows   []string  // with which each run begins
	rule   string    // a query, true while it is kept
	checks [2]string // true: the transaction may write
	writes [2]string
}

const (
	hintZ   = "/*+ USE_INDEX(bookings, bookings_z) */ "
	overlap = "SELECT count(*) = 0 FROM bookings AS a JOIN bookings AS b ON a.room = b.room AND a.id < b.id " +
		"AND a.starts < b.ends AND b.starts < a.ends"
	amounts = "SELECT sum(amount) >= 100 FROM owners JOIN accounts ON owner = owners.id WHERE name = 'ann'"
	onCall  = "SELECT count(*) >= 2 FROM doctors WHERE on_call"
	middle  = "SELECT count(*) = 0 FROM points WHERE n BETWEEN 40 AND 60"
)

var skews = []skew{
	{
		name: "count by an index: the last doctor on call",
		setup: []string{"CREATE TABLE doctors (name text PRIMARY KEY, on_call boolean)",
			"CREATE INDEX doctors_on_call ON doctors (on_call)"},
		rows:   []string{"DELETE FROM doctors", "INSERT INTO doctors VALUES ('ann', true), ('bob', true), ('cem', false)"},
		rule:   "SELECT count(*) >= 1 FROM doctors WHERE on_call",
		checks: [2]string{onCall, onCall},
		writes: [2]string{"UPDATE doctors SET on_call = false WHERE name = 'ann'", "UPDATE doctors SET on_call = false WHERE name = 'bob'"},
	},
	{
		name: "ranges of an index: overlapping bookings",
		setup: []string{"CREATE TABLE bookings (id int PRIMARY KEY, room int, starts int, ends int)",
			"CREATE INDEX bookings_room ON bookings (room, starts)"},
		rows: []string{"DELETE FROM bookings", "INSERT INTO bookings VALUES (1, 7, 0, 10)"},
		rule: overlap,
		checks: [2]string{"SELECT count(*) = 0 FROM bookings WHERE room = 7 AND starts < 30 AND ends > 20",
			"SELECT count(*) = 0 FROM bookings WHERE room = 7 AND starts < 35 AND ends > 25"},
		writes: [2]string{"INSERT INTO bookings VALUES (2, 7, 20, 30)", "INSERT INTO bookings VALUES (3, 7, 25, 35)"},
	},
	{
		name: "boxes of a Z-order index: overlapping bookings",
		setup: []string{"CREATE TABLE bookings (id int PRIMARY KEY, room int, starts int, ends int)",
			"CREATE INDEX bookings_z ON bookings USING zorder (starts, ends)"},
		rows: []string{"DELETE FROM bookings", "INSERT INTO bookings VALUES (1, 7, 0, 10)"},
		rule: overlap,
		checks: [2]string{"SELECT " + hintZ + "count(*) = 0 FROM bookings WHERE starts < 30 AND ends > 20",
			"SELECT " + hintZ + "count(*) = 0 FROM bookings WHERE starts < 35 AND ends > 25"},
		writes: [2]string{"INSERT INTO bookings VALUES (2, 7, 20, 30)", "INSERT INTO bookings VALUES (3, 7, 25, 35)"},
	},
	{
		name: "sum over a join: the accounts of one owner",
		setup: []string{"CREATE TABLE owners (id int PRIMARY KEY, name text)", "INSERT INTO owners VALUES (1, 'ann'), (2, 'bob')",
			"CREATE TABLE accounts (id int PRIMARY KEY, owner int, amount int)", "CREATE INDEX accounts_owner ON accounts (owner)"},
		rows:   []string{"DELETE FROM accounts", "INSERT INTO accounts VALUES (1, 1, 60), (2, 1, 60), (3, 2, 10)"},
		rule:   "SELECT sum(amount) >= 0 FROM accounts WHERE owner = 1",
		checks: [2]string{amounts, amounts},
		writes: [2]string{"UPDATE accounts SET amount = amount - 100 WHERE id = 1", "UPDATE accounts SET amount = amount - 100 WHERE id = 2"},
	},
	{
		name: "a join without rows: a child, and its parent that is deleted",
		setup: []string{"CREATE TABLE parents (id int PRIMARY KEY)", "CREATE TABLE children (id int PRIMARY KEY, parent int)",
			"CREATE INDEX children_parent ON children (parent)"},
		rows: []string{"DELETE FROM parents", "DELETE FROM children", "INSERT INTO parents VALUES (1)"},
		rule: "SELECT count(*) = 0 FROM children LEFT JOIN parents ON parents.id = parent WHERE parents.id IS NULL",
		checks: [2]string{"SELECT count(*) = 1 FROM parents WHERE id = 1",
			"SELECT count(*) = 0 FROM parents JOIN children ON parent = parents.id"},
		writes: [2]string{"INSERT INTO children VALUES (10, 1)", "DELETE FROM parents WHERE id = 1"},
	},
	{
		name:   "the end of an index: two rows of the same number",
		setup:  []string{"CREATE TABLE orders (id text PRIMARY KEY, n int)", "CREATE INDEX orders_n ON orders (n)"},
		rows:   []string{"DELETE FROM orders", "INSERT INTO orders VALUES ('a', 1)"},
		rule:   "SELECT count(*) = count(DISTINCT n) FROM orders",
		checks: [2]string{"SELECT max(n) = 1 FROM orders", "SELECT (SELECT n FROM orders ORDER BY n DESC LIMIT 1) = 1"},
		writes: [2]string{"INSERT INTO orders VALUES ('b', 2)", "INSERT INTO orders VALUES ('c', 2)"},
	},
	{
		name:   "an update into a range of an index: one row in the middle",
		setup:  []string{"CREATE TABLE points (id int PRIMARY KEY, n int)", "CREATE INDEX points_n ON points (n)"},
		rows:   []string{"DELETE FROM points", "INSERT INTO points VALUES (1, 10), (2, 90)"},
		rule:   "SELECT count(*) < 2 FROM points WHERE n BETWEEN 40 AND 60",
		checks: [2]string{middle, middle},
		writes: [2]string{"UPDATE points SET n = 50 WHERE id = 1", "UPDATE points SET n = 55 WHERE id = 2"},
	},
	{
		name:   "a key that is not there: either of two rows",
		setup:  []string{"CREATE TABLE flags (id int PRIMARY KEY)"},
		rows:   []string{"DELETE FROM flags"},
		rule:   "SELECT count(*) < 2 FROM flags",
		checks: [2]string{"SELECT count(*) = 0 FROM flags WHERE id = 2", "SELECT count(*) = 0 FROM flags WHERE id = 1"},
		writes: [2]string{"INSERT INTO flags VALUES (1)", "INSERT INTO flags VALUES (2)"},
	},
}

// TestSkew runs both transactions of each skew in every interleaving, and wants the rule to be kept where
// serializable is promised, and to be broken somewhere where it is not, so that the table of promises says all that
// there is to be said.
func TestSkew(t *testing.T) {
	for _, s := range append(slices.Clone(zproxies), postgres) {
		t.Run(s.name, func(t *testing.T) {
			url := s.start(t)[0]
			p := &pair{connect(t, url), [2]*pgx.Conn{connect(t, url), connect(t, url)}}
			total := 0
			for _, w := range skews {
				must(t, p.control, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
				for _, sql := range w.setup {
					if !s.zorder {
						sql = strings.ReplaceAll(sql, "USING zorder", "")
					}
					must(t, p.control, sql)
				}
				for _, asked := range levels[1:] {
					broken := p.play(t, w, asked)
					if asked == anomaly.Serializable {
						total += len(broken)
					}
					t.Logf("%s, %s: broken by %d of %d", w.name, asked, len(broken), len(interleavings()))
					switch {
					case s.keeps[asked] == anomaly.Serializable && len(broken) > 0:
						t.Errorf("%s, %s: the rule is broken by %q", w.name, asked, broken)
					case s.name == postgres.name && asked == anomaly.RepeatableRead && len(broken) == 0:
						t.Errorf("%s, %s: nothing breaks the rule", w.name, asked)
					}
				}
			}
			if s.keeps[anomaly.Serializable] < anomaly.Serializable && total == 0 {
				t.Error("serializable transactions keep all rules: say so in servers_test.go")
			}
		})
	}
}

// pair is two sessions, and a third one that looks at what they have done.
type pair struct {
	control *pgx.Conn
	conns   [2]*pgx.Conn
}

// interleavings are the orders of three steps of one session, 0, with three of another, 1.
func interleavings() (out []string) {
	for n := range uint(1 << 6) {
		if bits.OnesCount(n) == 3 {
			out = append(out, fmt.Sprintf("%06b", n))
		}
	}
	return out
}

// play returns the interleavings that break the rule.
func (p *pair) play(t *testing.T, w skew, asked anomaly.Level) (broken []string) {
	t.Helper()
	for _, order := range interleavings() {
		must(t, p.control, w.rows...)
		var steps [2][]string
		for i := range steps {
			steps[i] = []string{"BEGIN ISOLATION LEVEL " + asked.String() + ";" + w.checks[i], w.writes[i], "COMMIT"}
		}
		for _, session := range order {
			i := session - '0'
			if len(steps[i]) > 0 {
				steps[i] = p.step(t, i, steps[i])
			}
		}
		if kept := p.ask(t, p.control, w.rule); kept != "t" {
			broken = append(broken, order)
		}
	}
	return broken
}

// step runs the next step of a session, and returns those that are left: none after a conflict, or a check that
// fails.
func (p *pair) step(t *testing.T, session rune, steps []string) []string {
	t.Helper()
	c := p.conns[session]
	answer := p.ask(t, c, steps[0])
	if answer != "f" && answer != "40001" && answer != "40P01" {
		return steps[1:]
	}
	must(t, c, "ROLLBACK")
	return nil
}

// ask returns the last value that statements give, or the SQLSTATE of a conflict.
func (p *pair) ask(t *testing.T, c *pgx.Conn, sql string) (out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	results, err := c.PgConn().Exec(ctx, sql).ReadAll()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e) && expected[e.Code]:
		return e.Code
	case err != nil:
		t.Fatalf("%s: %v", sql, err)
	}
	for _, r := range results {
		for _, row := range r.Rows {
			out = string(row[0])
		}
	}
	return out
}
