package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/indextest"
	"zproxy/internal/testseed"
	"zproxy/session"
)

// TestBuildGoesOn takes the disk as a loss of power would leave it in each state of the build of
// an index and of its removal, and lets another process go on with it.
func TestBuildGoesOn(t *testing.T) {
	disk := vfs.NewCrashableMem()
	st := openPebble(t, disk)
	defer st.Close()
	s := serve(t, st, session.Options{})
	defer s.stop()
	c, holder, next := slowBuilds(t, s), s.connect(t), s.connect(t)
	must(t, c, "SET zproxy.build_rate = 0")
	rows, steps, seed := 50, 0, testseed.Of(t)
	// hold keeps the build in the state that it comes to, and goes on from the disk as it is then.
	hold := func(state, end string) {
		inState(t, c, "t_a", state)
		must(t, next, "BEGIN", fmt.Sprintf("INSERT INTO t VALUES (%d, 1, 1)", 100+steps))
		goesOn(t, disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50,
			RNG: rand.New(rand.NewPCG(seed, uint64(steps)))}), end, rows)
		must(t, holder, "COMMIT")
		holder, next, rows, steps = next, holder, rows+1, steps+1
	}
	must(t, holder, "BEGIN", "INSERT INTO t VALUES (99, 1, 1)")
	must(t, c, "CREATE INDEX CONCURRENTLY t_a ON t (a)")
	for _, state := range []string{"queued", "delete-only", "write-only", "backfill", "validate"} {
		hold(state, "t_a public")
	}
	must(t, holder, "COMMIT", "SELECT zproxy.wait_for_index('t', 't_a')", "BEGIN", "INSERT INTO t VALUES (98, 1, 1)")
	rows++
	dropped := make(chan error)
	go func() { dropped <- run(c, "DROP INDEX CONCURRENTLY t_a") }()
	c = s.connect(t)
	for _, state := range []string{"write-only", "delete-only", "disabled"} {
		hold(state, "")
	}
	must(t, holder, "COMMIT")
	if err := <-dropped; err != nil {
		t.Error(err)
	}
}

// goesOn opens a disk, and wants the builds that were under way to come to their ends.
func goesOn(t *testing.T, disk vfs.FS, end string, rows int) {
	t.Helper()
	st := openPebble(t, disk)
	defer st.Close()
	s := serve(t, st, session.Options{})
	defer s.stop()
	c := s.connect(t)
	awaitRow(t, c, "SELECT 'none' WHERE NOT EXISTS (SELECT FROM zproxy.index_builds)")
	// Sessions know of the end of a build a moment after the list of builds.
	awaitRow(t, c, "SELECT 'ended' WHERE '"+end+"' = "+
		"(SELECT coalesce(max(indexname || ' ' || state), '') FROM zproxy.indexes WHERE indexname = 't_a')")
	if got := indexesOf(t, c); got != end {
		t.Errorf("%q, want %q", got, end)
	}
	if end != "" {
		throughIndex(t, c, "t_a", "a", rows)
	}
	if n := count(t, c, "t"); n != rows {
		t.Errorf("%d rows, want %d", n, rows)
	}
	indextest.Store(t, st)
}

// TestBuildSurvivesClose closes a store in the middle of a build, and opens it again.
func TestBuildSurvivesClose(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s *server) {
		c := slowBuilds(t, s)
		must(t, c, "CREATE INDEX CONCURRENTLY t_a ON t (a)", "CREATE INDEX t_b ON t (b)",
			"REINDEX INDEX CONCURRENTLY t_b")
		awaitRow(t, c, "SELECT state FROM zproxy.index_builds WHERE indexname = 't_a' AND rows_done > 0")
		inState(t, c, "t_b_ccnew", "backfill")
		s.stop()
		s = serve(t, s.store, session.Options{})
		defer s.stop()
		c = s.connect(t)
		must(t, c, "UPDATE t SET a = a + 1, b = b + 1 WHERE id % 2 = 0")
		goOn(t, c, "t_a")
		goOn(t, c, "t_b_ccnew")
		throughIndex(t, c, "t_a", "a", 50)
		throughIndex(t, c, "t_b", "b", 50)
	})
}
