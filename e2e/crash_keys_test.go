package e2e

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/indextest"
	"zproxy/internal/kintest"
	"zproxy/session"
)

// TestLostPowerKeepsKeys takes the disk as it would be after a loss of power, while clients write rows of parents and
// of children and foreign keys cascade, and opens it anew: each child has its parent, and rows whose deletion was
// acknowledged are not back.
func TestLostPowerKeepsKeys(t *testing.T) {
	for _, seed := range seeds(t, 3) {
		disk := vfs.NewCrashableMem()
		st := openPebble(t, disk)
		s := serve(t, st, session.Options{})
		k := kintest.Draw(rand.New(rand.NewPCG(seed, 0)), keyChildren)
		must(t, s.connect(t), k.Create()...)
		must(t, s.connect(t), "INSERT INTO c SELECT i, i % 8, i FROM generate_series(1000, 1999) i")
		var all sync.WaitGroup
		for i := range keyWriters {
			conn, random := s.connect(t), rand.New(rand.NewPCG(seed, uint64(i)))
			all.Go(func() { writeKeys(conn, random, k, "READ COMMITTED") })
		}
		d, remover := newDice(seed), s.connect(t)
		for i := range 8 {
			time.Sleep(time.Duration(d.IntN(20)) * time.Millisecond)
			must(t, remover, fmt.Sprintf("DELETE FROM c WHERE id = %d", 1000+i))
			checkKeys(t, k, disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: d.IntN(101),
				RNG: rand.New(rand.NewPCG(seed, uint64(i)))}), 1000+i)
		}
		all.Wait()
		s.stop()
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkKeys opens a disk, and looks at the rows that refer to others. Rows of c that were deleted are gone, up to a
// last one.
func checkKeys(t *testing.T, k *kintest.Kin, disk vfs.FS, last int) {
	t.Helper()
	st := openPebble(t, disk)
	s := serve(t, st, session.Options{})
	indextest.Store(t, st)
	c := s.connect(t)
	noOrphans(t, c, k)
	if n := countOf(t, c, fmt.Sprintf("SELECT count(*) FROM c WHERE id BETWEEN 1000 AND %d", last)); n > 0 {
		t.Errorf("%d rows are back whose deletion was acknowledged", n)
	}
	s.stop()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}
