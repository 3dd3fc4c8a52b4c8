package pebblestore

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"zproxy/internal/testseed"
	"zproxy/store"
)

// load is what clients did, and were told.
type load struct {
	mu    sync.Mutex
	acked map[int]bool // texts whose commit was acknowledged
	seen  map[int]bool // texts that a reader saw
	over  atomic.Bool
}

func (l *load) state() (must map[int]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	must = maps.Clone(l.acked)
	maps.Copy(must, l.seen)
	return must
}

const (
	loadClients = 3
	loadCommits = 25
	loadMost    = 6 // texts of one commit
)

// run commits and reads by several clients, with flushes between, until it is done.
func (l *load) run(t *testing.T, s *Store) {
	var clients sync.WaitGroup
	for c := range loadClients {
		clients.Go(func() {
			for i := range loadCommits {
				n := c*loadCommits + i
				tx := begin(t, s, store.Mode{})
				numbers := []int{n}
				for i%5 == 2 && len(numbers) < loadMost { // enough for tables of their own
					numbers = append(numbers, len(numbers)*loadClients*loadCommits+n)
				}
				for _, n := range numbers {
					must(t, tx.Put(texts, textAt(n, fmt.Sprintf("%2000d", n)), store.Absent))
				}
				if tx.Commit(ctx) != nil {
					return
				}
				l.mu.Lock()
				for _, n := range numbers {
					l.acked[n] = true
				}
				l.mu.Unlock()
				if i%6 == 0 {
					_ = s.db.Flush()
				}
			}
		})
	}
	l.over.Store(false)
	var reader sync.WaitGroup
	reader.Go(func() {
		for !l.over.Load() {
			found := contents(t, s)
			l.mu.Lock()
			for key := range found {
				n, _ := strconv.Atoi(key)
				l.seen[n] = true
			}
			l.mu.Unlock()
		}
	})
	clients.Wait()
	l.over.Store(true)
	reader.Wait()
}

// wantTexts opens what a crash left.
func wantTexts(t *testing.T, fs vfs.FS, texts map[int]bool, where string) {
	t.Helper()
	s, err := openSmall(fs, nil)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	found := contents(t, s)
	for n := range texts {
		if _, there := found[fmt.Sprintf("%06d", n)]; !there {
			t.Errorf("%s: text %d is lost", where, n)
		}
	}
	must(t, s.Close())
}

// TestFailingDisk lets each write and sync of a load fail in turn (some of them, without -mutations), once or from
// then on. The process ends, or goes on where that does no harm; after a kill and after a power failure all is
// there that was acknowledged or seen.
func TestFailingDisk(t *testing.T) {
	stride := int64(1)
	if *mutations == 0 {
		stride = 17 // both kinds of failures, all over the load
	}
	seed := testseed.Of(t)
	for at, ended := int64(seed%uint64(stride)), false; !ended; at += stride {
		disk := vfs.NewCrashableMem()
		var count atomic.Int64
		once := at%2 == 0
		fs := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
				if n := count.Add(1) - 1; n == at || n > at && !once {
					return errorfs.ErrInjected
				}
			}
			return nil
		}))
		l := &load{acked: map[int]bool{}, seen: map[int]bool{}}
		failed, done := make(chan error, 100), make(chan bool)
		go func() {
			s, err := openSmall(fs, func(err error) {
				failed <- err
				select {} // as if the process had ended
			})
			if err == nil {
				l.run(t, s)
				_ = s.Close()
			}
			done <- true
		}()
		select {
		case err := <-failed:
			if !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("operation %d: %v", at, err)
			}
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("operation %d: the load hangs", at)
		}
		l.over.Store(true)
		need := l.state()
		ended = count.Load() <= at
		rng := rand.New(rand.NewPCG(seed, uint64(at)))
		for _, percent := range []int{0, 50, 100} {
			image := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
			wantTexts(t, image, need, fmt.Sprintf("operation %d, %d%% of what was not synced", at, percent))
		}
		if ended {
			t.Logf("%d operations failed", at/stride)
		}
	}
}

// clonable is a disk that may be cloned while it is used: MemFS itself takes its read lock twice where it reuses a
// file, and a clone that asks for the write lock in between waits forever.
type clonable struct{ *vfs.MemFS }

func (d clonable) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := d.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return d.OpenReadWrite(newname, category)
}

// TestCrashAnywhere takes an image of the disk before each operation of a load, and opens it: no crash makes a store
// that is refused.
func TestCrashAnywhere(t *testing.T) {
	disk := vfs.NewCrashableMem()
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	l := &load{acked: map[int]bool{}, seen: map[int]bool{}}
	var mu sync.Mutex
	type moment struct {
		fs    vfs.FS
		need  map[int]bool
		where string
	}
	var moments []moment
	fs := errorfs.Wrap(clonable{disk}, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			mu.Lock()
			defer mu.Unlock()
			need := l.state()
			percent := []int{0, 50, 100}[len(moments)%3]
			image := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
			moments = append(moments, moment{image, need,
				fmt.Sprintf("operation %d, %s, %d%%", len(moments), op.Path, percent)})
		}
		return nil
	}))
	for range 2 {
		s, err := openSmall(fs, nil)
		must(t, err)
		l.run(t, s)
		must(t, s.Close())
		must(t, l.forget(fs))
	}
	for _, m := range moments {
		wantTexts(t, m.fs, m.need, m.where)
	}
	t.Logf("%d operations", len(moments))
}

// forget takes the texts away for another round.
func (l *load) forget(fs vfs.FS) error {
	s, err := openSmall(fs, nil)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.acked, l.seen = map[int]bool{}, map[int]bool{}
	l.mu.Unlock()
	return errors.Join(s.Drop(ctx, texts), s.Close())
}
