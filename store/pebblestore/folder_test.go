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
