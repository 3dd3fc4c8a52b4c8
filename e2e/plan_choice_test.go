package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// regions is a table in which it depends on values whether a box or a prefix reads less, with a
// table to join it with.
var regions = []string{
	"CREATE TABLE p (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, c int NOT NULL, note text)",
	"INSERT INTO p SELECT i, i * 7919 % 3000, i * 1471 % 3000, i * 1979 % 3000, 'n' || i % 10 FROM generate_series(1, 3000) AS i",
	"CREATE INDEX p_abc ON p (a, b, c)",
	"CREATE INDEX p_z ON p USING zorder (a, b, c)",
	"CREATE TABLE q (id int PRIMARY KEY, a int NOT NULL)",
	"INSERT INTO q SELECT i, i * 100 FROM generate_series(1, 20) AS i",
	"ANALYZE p",
}

const inBox = "p.a BETWEEN $1 AND $2 AND p.b BETWEEN $3 AND $4 AND p.c BETWEEN $5 AND $6"

// TestPathsFollowParameters wants a prepared statement to read by a box where that is
// narrow in all dimensions, and by a prefix where it is narrow in the first one: by the messages of
// the protocol, by EXECUTE, and in turn. Where partitions are in no order, it is not known before the
// spans are made how many of them a prefix reads.
func TestPathsFollowParameters(t *testing.T) {
	for _, k := range []kind{inMemory, onPebble} {
		c := openDB(t, k).connect(t)
		must(t, c, regions...)
		must(t, c, "PREPARE s(int, int, int, int, int, int) AS SELECT id FROM p WHERE "+inBox)
		prepared, err := c.PgConn().Prepare(t.Context(), "e", "EXPLAIN SELECT id FROM p WHERE "+inBox, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for _, region := range []struct{ values, path string }{
				{"500 800 500 800 500 800", "Z-Order Scan using p_z"},
				{"500 501 0 2900 0 2900", "Index Only Scan using p_abc"},
			} {
				values := strings.Fields(region.values)
				r := c.PgConn().ExecPrepared(t.Context(), prepared.Name, params(values), nil, nil).Read()
				executed, err := c.PgConn().Exec(t.Context(),
					"EXPLAIN EXECUTE s("+strings.Join(values, ", ")+")").ReadAll()
				if r.Err != nil || err != nil {
					t.Fatal(r.Err, err)
				}
				for _, r := range []*pgconn.Result{r, executed[0]} {
					if got := strings.Join(lines(r), "\n"); !strings.HasPrefix(got, region.path) {
						t.Errorf("%s:\n%s\nwant %s", region.values, got, region.path)
					}
				}
			}
		}
		must(t, c, "SET plan_cache_mode = force_generic_plan")
		one, _ := c.PgConn().Exec(t.Context(), "EXPLAIN (COSTS OFF) EXECUTE s(500, 800, 500, 800, 500, 800)").ReadAll()
		other, _ := c.PgConn().Exec(t.Context(), "EXPLAIN (COSTS OFF) EXECUTE s(500, 501, 0, 2900, 0, 2900)").ReadAll()
		if title := func(r *pgconn.Result) string { return string(r.Rows[0][0]) }; title(one[0]) != title(other[0]) {
			t.Errorf("generic plans differ: %s, %s", title(one[0]), title(other[0]))
		}
	}
}

// TestPathsFollowTheClock wants what now() gives when a statement begins to count as much as a
// constant would.
func TestPathsFollowTheClock(t *testing.T) {
	for _, k := range []kind{inMemory, onPebble} {
		c := openDB(t, k).connect(t)
		must(t, c, "CREATE TABLE e (id int PRIMARY KEY, at timestamptz NOT NULL, kind int NOT NULL)",
			"INSERT INTO e SELECT i, now() - i * interval '1 hour', i * 7919 % 3000 FROM generate_series(1, 3000) AS i",
			"CREATE INDEX e_at ON e (at, kind)", "CREATE INDEX e_z ON e USING zorder (at, kind)", "ANALYZE e")
		for _, want := range []struct{ where, path string }{
			{"at > now() - interval '5 hours' AND kind BETWEEN 0 AND 2900", "Index Only Scan using e_at"},
			{"at > now() - interval '1000 hours' AND kind BETWEEN 100 AND 200", "Z-Order Scan using e_z"},
		} {
			r, err := c.PgConn().Exec(t.Context(), "EXPLAIN SELECT id FROM e WHERE "+want.where).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(lines(r[0]), "\n"); !strings.HasPrefix(got, want.path) {
				t.Errorf("%s:\n%s\nwant %s", want.where, got, want.path)
			}
		}
	}
}

func params(values []string) [][]byte {
	var out [][]byte
	for _, v := range values {
		out = append(out, []byte(v))
	}
	return out
}

// choiceStatements read regions in all places where a scan may stand.
var choiceStatements = []string{
	"SELECT id, note FROM p WHERE " + inBox,
	"SELECT id FROM p WHERE " + inBox + " ORDER BY a, b, c LIMIT 7",
	"SELECT id FROM p WHERE " + inBox + " ORDER BY a DESC, id LIMIT 5 OFFSET 3",
	"SELECT a FROM p WHERE " + inBox + " ORDER BY a",
	"SELECT count(*), min(a), max(c) FROM p WHERE " + inBox,
	"SELECT p.id, q.id FROM q JOIN p ON p.a = q.a WHERE " + inBox,
	"SELECT q.id, p.id FROM q LEFT JOIN p ON p.b = q.a AND " + inBox,
	"SELECT id, (SELECT count(*) FROM p WHERE " + inBox + ") FROM q",
	"SELECT id FROM q WHERE EXISTS (SELECT 1 FROM p WHERE p.a < q.a AND " + inBox + ")",
	"SELECT q.id, x.id FROM q, LATERAL (SELECT id FROM p WHERE p.note = 'n' || q.id AND " + inBox + " ORDER BY a LIMIT 2) AS x",
	"SELECT id FROM p WHERE " + inBox + " UNION ALL SELECT id FROM p WHERE a = $1 OR b = $3",
	"WITH x AS MATERIALIZED (SELECT * FROM p WHERE " + inBox + ") SELECT count(*) FROM x, x AS y WHERE x.a = y.b",
	"SELECT id FROM p WHERE (" + inBox + ") OR (a = $1 AND b > $3)",
	"SELECT id FROM p WHERE a = ANY (ARRAY[$1, $2]) AND b BETWEEN $3 AND $4 AND c BETWEEN $5 AND $6",
	"SELECT id, a FROM p WHERE " + inBox + " FOR UPDATE",
	"INSERT INTO q SELECT id + 1000, a FROM p WHERE " + inBox + " RETURNING id",
	"UPDATE p SET a = a + 1, note = 'moved' WHERE " + inBox + " RETURNING id, a",
	"DELETE FROM p WHERE " + inBox + " RETURNING id",
	"DELETE FROM q USING p WHERE p.a = q.a AND " + inBox + " RETURNING q.id",
}

// TestChosenPlansGiveTheSameRows runs statements with random regions: chosen for their values,
// as a cursor that is read in pieces and in one go, and by one plan for all values.
func TestChosenPlansGiveTheSameRows(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		chosen, generic := s.connect(t), s.connect(t)
		must(t, chosen, regions...)
		must(t, generic, "SET plan_cache_mode = force_generic_plan")
		for _, seed := range seeds(t, 1) {
			d := newDice(seed)
			others := 0
			for i, sql := range choiceStatements {
				for _, c := range []*pgconn.PgConn{chosen.PgConn(), generic.PgConn()} {
					if _, err := c.Exec(t.Context(),
						fmt.Sprintf("PREPARE s%d(int, int, int, int, int, int) AS %s", i, sql)).ReadAll(); err != nil {
						t.Fatal(sql, err)
					}
				}
				for range 6 {
					execute := fmt.Sprintf("EXECUTE s%d(%s)", i, strings.Join(d.region(), ", "))
					got, want := undone(t, chosen.PgConn(), execute), undone(t, generic.PgConn(), execute)
					if slices.Sort(got); slices.Compare(got, sorted(want)) != 0 {
						t.Fatalf("-seed %d\n%s\n%s: got\n%s\nwant\n%s", seed, sql, execute, strings.Join(got, "\n"),
							strings.Join(want, "\n"))
					}
					shown := undone(t, chosen.PgConn(), "EXPLAIN "+execute)
					if measured := undone(t, chosen.PgConn(),
						"EXPLAIN ANALYZE "+execute); !slices.Equal(titles(measured), titles(shown)) {
						t.Errorf("%s: ANALYZE ran\n%s\nand not\n%s", execute, strings.Join(measured, "\n"),
							strings.Join(shown, "\n"))
					}
					if !slices.Equal(titles(shown), titles(undone(t, generic.PgConn(), "EXPLAIN "+execute))) {
						others++
					}
				}
			}
			if others == 0 {
				t.Errorf("-seed %d: no plan differs", seed)
			}
		}
	})
}

// region is six random bounds, of which some are narrow and others wide.
func (d dice) region() []string {
	var out []string
	for range 3 {
		width := pick(d, []int{0, 3, 300, 2000, 3000})
		low := d.IntN(3000)
		out = append(out, fmt.Sprint(low), fmt.Sprint(low+width))
	}
	return out
}

// titles are the lines of a plan that name what is read, without what was measured.
func titles(plan []string) []string {
	var out []string
	for _, line := range plan {
		if title, _, _ := strings.Cut(line, " ("); strings.Contains(title, "Scan") {
			out = append(out, title)
		}
	}
	return out
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// undone is the rows of a statement, whose effects are taken back.
func undone(t *testing.T, c *pgconn.PgConn, sql string) []string {
	t.Helper()
	results, err := c.Exec(t.Context(), "BEGIN; "+sql+"; ROLLBACK").ReadAll()
	if err != nil {
		t.Fatal(sql, err)
	}
	return lines(results[1])
}
