package pebblestore

import (
	"errors"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
)

// fullFS is a disk with so much room.
type fullFS struct {
	vfs.FS
	left *uint64
}

func (f fullFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: *f.left}, nil
}

// TestRoom refuses what takes room before there is none, of any kind of transaction, and nothing else.
func TestRoom(t *testing.T) {
	left := uint64(1000)
	s, err := Open("db", Options{FS: fullFS{vfs.NewMem(), &left}, CacheBytes: 1 << 20, MinFree: 500})
	must(t, err)
	defer s.Close()
	writeText(t, s, "old")
	must(t, s.Probe(ctx))
	late := begin(t, s, store.Mode{})
	must(t, late.Put(texts, textAt(2, "late"), store.Absent))
	left = 499
	s.room.asked = time.Time{}
	for _, mode := range []store.Mode{{}, {Bulk: true}} {
		tx := begin(t, s, mode)
		var full *store.Full
		if err := tx.Put(texts, textAt(3, "new"), store.Always); !errors.As(err, &full) || full.Left != 499 {
			t.Errorf("%+v: %v", mode, err)
		}
		tx.Rollback()
	}
	for what, err := range map[string]error{"commit": late.Commit(ctx), "probe": s.Probe(ctx)} {
		if !errors.As(err, new(*store.Full)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	tx := begin(t, s, store.Mode{})
	must(t, tx.Delete(texts, textAt(1, "").Key, store.Always))
	must(t, tx.Commit(ctx))
	must(t, s.Drop(ctx, texts))
}
