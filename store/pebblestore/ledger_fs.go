package pebblestore

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ledgerFS is what Pebble does everything through. It keeps the ledger, and ends the store at the
// first write that fails, before Pebble makes anything of that: what a commit waits for may then be
// on the disk or not.
type ledgerFS struct {
	vfs.FS
	ledger *ledger
	// failed is when a compaction last could not write, which it tries again.
	failed atomic.Pointer[time.Time]
}

const (
	manifestPrefix = "MANIFEST-"
	// mirrorPrefix begins the names of copies of manifests, from which a damaged one is read.
	mirrorPrefix = "MIRROR-"
	markerPrefix = "marker."
	// compactions may fail without harm: what they merge stays.
	compactions vfs.DiskWriteCategory = "pebble-compaction"
	// logs are what commits are written to, and synced with.
	logs vfs.DiskWriteCategory = "pebble-wal"
	// compactionPause is how long a compaction waits after one that could not write.
	compactionPause = time.Second
)

func vfsNotExist(err error) bool { return errors.Is(err, os.ErrNotExist) }

// check ends the store for an error.
func (fs *ledgerFS) check(err error) error {
	if err != nil {
		fs.ledger.fail(err)
	}
	return err
}

func (fs *ledgerFS) mirror(base string) string {
	number, _ := strings.CutPrefix(base, manifestPrefix)
	return fs.PathJoin(fs.ledger.dir, mirrorPrefix+number)
}

// Create implements vfs.FS. A marker takes effect by being there, and so is made durable at once.
func (fs *ledgerFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	base := fs.PathBase(name)
	if failed := fs.failed.Load(); c == compactions && failed != nil && time.Since(*failed) < compactionPause {
		time.Sleep(compactionPause)
	}
	marker := strings.HasPrefix(base, markerPrefix)
	if marker { // what it names is durable before it is
		if err := fs.check(fs.link()); err != nil {
			return nil, err
		}
	}
	fs.ledger.gone(base)
	inner, err := fs.FS.Create(name, c)
	if err != nil {
		return nil, fs.broken(err, c)
	}
	f := &ledgerFile{File: inner, fs: fs, category: c, entry: fs.ledger.made(base)}
	switch {
	case marker:
		err = fs.link()
	case strings.HasPrefix(base, manifestPrefix):
		f.mirror, err = fs.FS.Create(fs.mirror(base), c)
	}
	return f, fs.check(err)
}

// link makes durable which files there are.
func (fs *ledgerFS) link() error {
	return fs.ledger.linking(func() error { return syncFolder(fs.FS, fs.ledger.dir) })
}

// broken is for an error of a write.
func (fs *ledgerFS) broken(err error, c vfs.DiskWriteCategory) error {
	if err != nil && c == compactions {
		now := time.Now()
		fs.failed.Store(&now)
		return err
	}
	return fs.check(err)
}

// ReuseForWrite implements vfs.FS.
func (fs *ledgerFS) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	fs.ledger.gone(fs.PathBase(from))
	inner, err := fs.FS.ReuseForWrite(from, to, c)
	if err != nil {
		return nil, fs.check(err)
	}
	return &ledgerFile{File: inner, fs: fs, category: c, entry: fs.ledger.made(fs.PathBase(to))}, nil
}

// Rename implements vfs.FS.
func (fs *ledgerFS) Rename(from, to string) error {
	e := fs.ledger.find(fs.PathBase(from))
	fs.ledger.gone(fs.PathBase(from))
	fs.ledger.gone(fs.PathBase(to))
	if err := fs.FS.Rename(from, to); err != nil {
		return fs.check(err)
	}
	fs.ledger.moved(e, fs.PathBase(to))
	return nil
}

// Link implements vfs.FS: a file that is durable is so by its other name.
func (fs *ledgerFS) Link(from, to string) error {
	fs.ledger.gone(fs.PathBase(to))
	if err := fs.FS.Link(from, to); err != nil {
		return err // then it is copied
	}
	fs.ledger.moved(fs.ledger.find(fs.PathBase(from)), fs.PathBase(to))
	return nil
}

// Remove implements vfs.FS. That a file cannot be removed does no harm.
func (fs *ledgerFS) Remove(name string) error {
	base := fs.PathBase(name)
	fs.ledger.gone(base)
	if strings.HasPrefix(base, manifestPrefix) {
		_ = fs.FS.Remove(fs.mirror(base))
	}
	return fs.FS.Remove(name)
}

// OpenDir implements vfs.FS.
func (fs *ledgerFS) OpenDir(name string) (vfs.File, error) {
	inner, err := fs.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &ledgerFolder{inner, fs}, nil
}

// Unwrap implements vfs.FS.
func (fs *ledgerFS) Unwrap() vfs.FS { return fs.FS }

// ledgerFolder is a folder to sync.
type ledgerFolder struct {
	vfs.File
	fs *ledgerFS
}

// Sync implements vfs.File.
func (d *ledgerFolder) Sync() error { return d.fs.check(d.fs.ledger.linking(d.File.Sync)) }

// ledgerFile is a file that is written from its beginning.
type ledgerFile struct {
	vfs.File
	fs       *ledgerFS
	category vfs.DiskWriteCategory
	entry    *entry
	mirror   vfs.File // has the same written to it; nil: there is none
	written  proof
}

// Write implements vfs.File. The file may change what it is given.
func (f *ledgerFile) Write(b []byte) (int, error) {
	f.written.add(b)
	if f.mirror != nil {
		if _, err := f.mirror.Write(bytes.Clone(b)); err != nil {
			return 0, f.fs.check(err)
		}
	}
	n, err := f.File.Write(b)
	return n, f.fs.broken(err, f.category)
}

// Preallocate implements vfs.File. A log has its full size from the beginning, and zeros, which end what Pebble reads
// of it, behind what was written: a sync need not make a new size durable, too, which takes half as long again.
func (f *ledgerFile) Preallocate(offset, length int64) error {
	err := f.File.Preallocate(offset, length)
	if fd := f.Fd(); f.category == logs && fd != vfs.InvalidFd {
		err = errors.Join(err, syscall.Ftruncate(int(fd), offset+length))
	}
	return err
}

// Sync implements vfs.File.
func (f *ledgerFile) Sync() error { return f.synced(f.File.Sync) }

// SyncData implements vfs.File.
func (f *ledgerFile) SyncData() error { return f.synced(f.File.SyncData) }

// SyncTo implements vfs.File.
func (f *ledgerFile) SyncTo(length int64) (bool, error) {
	all := f.written
	full, err := f.File.SyncTo(length)
	if full && err == nil {
		f.fs.ledger.wrote(f.entry, all)
	}
	return full, f.fs.broken(err, f.category)
}

func (f *ledgerFile) synced(sync func() error) error {
	all := f.written
	if f.mirror != nil {
		if err := f.mirror.Sync(); err != nil {
			return f.fs.check(err)
		}
	}
	if err := sync(); err != nil {
		return f.fs.broken(err, f.category)
	}
	f.fs.ledger.wrote(f.entry, all)
	return nil
}

// Close implements vfs.File.
func (f *ledgerFile) Close() error {
	if f.mirror != nil {
		if err := f.mirror.Close(); err != nil {
			return f.fs.check(err)
		}
	}
	return f.File.Close()
}
