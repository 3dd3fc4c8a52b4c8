package pebblestore

import (
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"zproxy/store"
)

// diskOperations counts what is done to kinds of files.
type diskOperations struct {
	mu     sync.Mutex
	counts map[string]int
}

func (d *diskOperations) count(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	what := "something else"
	switch op.Kind {
	case errorfs.OpFileWrite:
		what = "write"
	case errorfs.OpFileSync, errorfs.OpFileSyncData:
		what = "sync"
	}
	switch {
	case strings.HasSuffix(op.Path, ".log"):
		what += " of the log"
	case strings.HasSuffix(op.Path, ledgerName), strings.HasSuffix(op.Path, ledgerNew):
		what += " of the ledger"
	default:
		what += " of another file"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts[what]++
	return nil
}

func (d *diskOperations) take() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	counts := d.counts
	d.counts = map[string]int{}
	return counts
}

// TestCommitOperations counts what commits do to the disk: each writes the log and syncs it, and then writes to the
// ledger what is durable of the log. To sync the ledger, too, would double what a commit waits for.
func TestCommitOperations(t *testing.T) {
	done := &diskOperations{counts: map[string]int{}}
	s, err := Open("db", Options{FS: errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(done.count))})
	must(t, err)
	must(t, s.Create(ctx, texts))
	done.take()
	const commits = 100
	for n := range commits {
		tx := begin(t, s, store.Mode{})
		must(t, tx.Put(texts, textAt(n, "x"), store.Absent))
		must(t, tx.Commit(ctx))
	}
	want := map[string]int{"write of the log": commits, "sync of the log": commits, "write of the ledger": commits}
	if got := done.take(); !maps.Equal(got, want) {
		t.Errorf("%d commits did %v, and should do %v", commits, got, want)
	}
	must(t, s.Close())
}
