package e2e

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/indextest"
	"zproxy/session"
)

// TestLostPowerInCopy takes the disk as it would be after a loss of power while a database is copied, and opens it
// anew: the copy is there with all rows, as it must be once that was answered, or not at all, and no space is left of
// it.
func TestLostPowerInCopy(t *testing.T) {
	there, gone := 0, 0
	for _, seed := range seeds(t, 2) {
		disk := vfs.NewCrashableMem()
		st := openPebble(t, disk)
		s := serve(t, st, session.Options{})
		c := s.connect(t)
		must(t, c, "CREATE DATABASE one")
		one := connect(t, urlOf(s, "one"))
		must(t, one, "CREATE TABLE t (id serial PRIMARY KEY, a int, b text)",
			"CREATE INDEX t_a ON t (a)", "INSERT INTO t (a, b) SELECT n % 9, repeat('x', 300) FROM generate_series(1, 9000) AS n")
		if err := one.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		d := newDice(seed)
		for n := range 8 {
			answered := make(chan error, 1)
			go func() {
				_, err := c.PgConn().Exec(context.Background(), "CREATE DATABASE two TEMPLATE one").ReadAll()
				answered <- err
			}()
			time.Sleep(time.Duration(n*d.IntN(30)) * time.Millisecond)
			if n == 7 {
				if err := <-answered; err != nil {
					t.Fatal(err)
				}
				answered <- nil
			}
			crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: d.IntN(101),
				RNG: rand.New(rand.NewPCG(seed, uint64(n)))})
			if copyOnDisk(t, crashed) {
				there++
			} else if gone++; n == 7 {
				t.Error("the copy was promised, and is not there")
			}
			if err := <-answered; err != nil {
				t.Fatal(err)
			}
			must(t, c, "DROP DATABASE two")
		}
		s.stop()
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if there == 0 || gone == 0 {
		t.Errorf("the copy was there %d times, and %d times not", there, gone)
	}
}

// copyOnDisk says whether a disk has the copy, which must be whole.
func copyOnDisk(t *testing.T, disk vfs.FS) (there bool) {
	t.Helper()
	st := openPebble(t, disk)
	indextest.AtEnd(t, st)
	s := serve(t, st, session.Options{})
	defer s.stop()
	c := s.connect(t)
	want := 3 // spaces: of the catalog, the rows and the index
	var n int
	if err := c.QueryRow(t.Context(), "SELECT count(*) FROM pg_database WHERE datname = 'two'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n > 0 {
		var sum string
		err := connect(t, urlOf(s, "two")).QueryRow(t.Context(),
			"SELECT count(*) || ' ' || count(*) FILTER (WHERE a = 3 AND b > '') || ' ' || nextval('t_id_seq') FROM t").Scan(&sum)
		if err != nil || !strings.HasPrefix(sum, "9000 1000 ") {
			t.Errorf("the copy has %s, %v", sum, err)
		}
		want += 2
	}
	spaces, err := st.Spaces(t.Context())
	if err != nil || len(spaces) != want {
		t.Errorf("the store has %d spaces, want %d, %v", len(spaces), want, err)
	}
	return n > 0
}
