package session

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store/memstore"
)

// writtenTogether is above how many rows of a COPY are written together.
const writtenTogether = 5000

// TestCopyFaults copies rows of which some are wrong in some way: whatever is read and written at the same time, the
// error is about the first of them, and nothing of the others is there. As in PostgreSQL, which writes a thousand rows
// together, a row that cannot be read may come before one, not far before it, whose key another has.
func TestCopyFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := connect(t, db, "joe")
	accepted(t, s, "CREATE TABLE faulty (k int PRIMARY KEY, a int CHECK (a < 1000), b text NOT NULL)",
		"CREATE INDEX ON faulty (a, k)", "CREATE UNIQUE INDEX ON faulty (b)",
		"CREATE INDEX ON faulty ((k + a), lower(b)) WHERE a > 3")
	faults := []struct {
		line func(k int) string
		code sqlerr.Code
	}{
		{func(k int) string { return fmt.Sprintf("%d\t1\tb%d", k/2, k) }, sqlerr.UniqueViolation},
		{func(k int) string { return fmt.Sprintf("%d\t1\tb%d", k, k/2) }, sqlerr.UniqueViolation},
		{func(k int) string { return fmt.Sprintf("x%d\t1\tb%d", k, k) }, sqlerr.InvalidTextRepresentation},
		{func(k int) string { return fmt.Sprintf("%d\t1", k) }, sqlerr.BadCopyFileFormat},
		{func(k int) string { return fmt.Sprintf("%d\t1000\tb%d", k, k) }, sqlerr.CheckViolation},
		{func(k int) string { return fmt.Sprintf("%d\t1\t\\N", k) }, sqlerr.NotNullViolation},
	}
	for range 12 {
		n := 1 + rng.IntN(15_000)
		rows := strings.Split(strings.TrimSuffix(lines(1, n), "\n"), "\n")
		wrong := map[int]sqlerr.Code{}
		for range min(rng.IntN(4), n-1) {
			line, fault := 2+rng.IntN(n-1), faults[rng.IntN(len(faults))]
			rows[line-1], wrong[line] = fault.line(line), fault.code
		}
		first, unread := 0, 0
		for _, line := range slices.Sorted(maps.Keys(wrong)) {
			if first == 0 {
				first = line
			}
			if unread == 0 && wrong[line] != sqlerr.UniqueViolation {
				unread = line
			}
		}
		c := &loader{data: strings.NewReader(strings.Join(rows, "\n") + "\n")}
		err := s.Query(t.Context(), "COPY faulty FROM STDIN", c)
		there := answer(t, s, "SELECT count(*), coalesce(sum(k), 0), coalesce(min(b), '') FROM faulty")[0]
		if first == 0 {
			if want := fmt.Sprintf("%d %d b1", n, n*(n+1)/2); err != nil || there != want {
				t.Fatalf("%d rows: %v, there are %s, want %s", n, err, there, want)
			}
			agreed(t, s)
			accepted(t, s, "TRUNCATE faulty")
			continue
		}
		e := sqlerr.From(err)
		if unread > 0 && e.Code == wrong[unread] && unread-first < writtenTogether {
			first = unread
		}
		if where := fmt.Sprintf("COPY faulty, line %d", first); e.Code != wrong[first] ||
			e.Where != where && !strings.HasPrefix(e.Where, where+",") && !strings.HasPrefix(e.Where, where+":") {
			t.Fatalf("%d rows: %v, %q, want %s at line %d", n, err, e.Where, wrong[first], first)
		}
		if there != "0 0 " {
			t.Fatalf("%d rows: %s are there", n, there)
		}
	}
}

// TestCopyWaits copies rows of which a later one has the key of a row that another transaction inserts: the copy waits
// for that to end, and then depends on how.
func TestCopyWaits(t *testing.T) {
	for _, end := range []string{"COMMIT", "ROLLBACK"} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				s, other := connect(t, db, "joe"), connect(t, db, "joe")
				accepted(t, s, "CREATE TABLE waits (k int PRIMARY KEY, a int, b text)")
				accepted(t, other, "BEGIN", "INSERT INTO waits VALUES (7000, 1, 'other')")
				done, data := make(chan error), &loader{data: strings.NewReader(lines(1, 20_000))}
				go func() { done <- s.Query(t.Context(), "COPY waits FROM STDIN", data) }()
				synctest.Wait()
				select {
				case err := <-done:
					t.Fatalf("the copy has not waited: %v", err)
				default:
				}
				accepted(t, other, end)
				err, want := <-done, "20000"
				if end == "COMMIT" {
					e := sqlerr.From(err)
					if want = "1"; e.Code != sqlerr.UniqueViolation || e.Where != "COPY waits, line 7000" {
						t.Errorf("%v, %q", err, e.Where)
					}
				} else if err != nil {
					t.Error(err)
				}
				if got := answer(t, s, "SELECT count(*) FROM waits")[0]; got != want {
					t.Errorf("%s rows, want %s", got, want)
				}
			})
		})
	}
}
