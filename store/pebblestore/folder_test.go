package pebblestore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zproxy/store"
)

// TestPrivate makes and reads a store that only its owner may read, by whatever way its files come
// to be, and refuses a folder that others may look into.
func TestPrivate(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "above", "data")
	s, err := Open(dir, Options{CacheBytes: 1 << 20})
	must(t, err)
	for range 3 { // logs are made, left and used again
		writeText(t, s, "x")
		must(t, s.db.Flush())
	}
	must(t, s.Close())
	must(t, filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		info, err2 := e.Info()
		must(t, errors.Join(err, err2))
		if path != top && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	}))
	for _, mode := range []fs.FileMode{0o755, 0o750, 0o701} {
		must(t, os.Chmod(dir, mode))
		_, err := Open(dir, Options{})
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.File != dir || refusal.Hint == "" {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	must(t, os.Chmod(dir, 0o700))
	s, err = Open(dir, Options{CacheBytes: 1 << 20})
	must(t, err)
	if got := readText(t, begin(t, s, store.Mode{ReadOnly: true})); got != "x" {
		t.Errorf("read %q", got)
	}
	must(t, s.Close())
}

// TestFolderOfOthers refuses a folder with files that are none of a store, for any mode of it, and leaves it
// as it is.
func TestFolderOfOthers(t *testing.T) {
	for _, mode := range []fs.FileMode{0o700, 0o755} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "letter.txt"), nil, 0o600))
		must(t, os.Chmod(dir, mode))
		_, err := Open(dir, Options{})
		var refusal *Refusal
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Reason, "exists but is not empty, and has no store") {
			t.Errorf("mode %v: %v", mode, err)
		}
		if files, err := os.ReadDir(dir); err != nil ||
			slices.ContainsFunc(files, func(f os.DirEntry) bool {
				return f.Name() != "letter.txt" &&
					f.Name() != "LOCK"
			}) {
			t.Errorf("mode %v: %v, %v", mode, files, err)
		}
	}
}

// TestLogsHaveTheirSize wants that a commit leaves the size of the log as it is, so that its sync need not write that.
func TestLogsHaveTheirSize(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	size := func() (total int64) {
		logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
		must(t, err)
		for _, name := range logs {
			info, err := os.Stat(name)
			must(t, err)
			total += info.Size()
		}
		return total
	}
	var sizes []int64
	for n := range 3 {
		tx := begin(t, s, store.Mode{})
		must(t, tx.Put(texts, textAt(n, "a text"), store.Absent))
		must(t, tx.Commit(ctx))
		sizes = append(sizes, size())
	}
	if sizes[0] == 0 || slices.Max(sizes) != slices.Min(sizes) {
		t.Errorf("the log grows by each commit: %v bytes", sizes)
	}
}
