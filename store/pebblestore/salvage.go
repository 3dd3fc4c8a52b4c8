package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
	"zproxy/store/overlay"
)

// salvageName is a file that is in a folder until a salvage into it has ended. A store in such a folder
// is not opened.
const salvageName = "SALVAGE"

// salvageBatch is how many bytes are taken over at once.
const salvageBatch = 4 << 20

// Salvage is what could be read of a damaged store, in a new one.
type Salvage struct {
	Store *Store
	store.Copied

	fs  vfs.FS
	dir string
}

// OpenSalvage copies what can be read of the store in a folder, which must not be open, to another, which is empty
// or does not exist. It writes nothing to the first. The options are those of the new store.
func OpenSalvage(ctx context.Context, from, to string, o Options) (*Salvage, error) {
	sv := &Salvage{Copied: store.Copied{Items: map[store.SpaceID]int64{}}, fs: o.FS, dir: to}
	if sv.fs == nil {
		if err := checkOutside(from, to); err != nil {
			return nil, err
		}
		lock, err := lockToRead(from)
		if err != nil {
			return nil, fmt.Errorf("opening the store in %s: %w", from, err)
		}
		defer lock.Close()
		sv.fs = privateFS{vfs.Default}
	}
	names, err := sv.fs.List(from)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, ofStore) {
		return nil, fmt.Errorf("in the folder %s is no store", from)
	}
	if err := sv.begin(o); err != nil {
		return nil, err
	}
	if err := sv.copy(ctx, from, names); err != nil {
		return nil, errors.Join(err, sv.Store.Close())
	}
	return sv, nil
}

// checkOutside refuses a new folder inside of the one that is read.
func checkOutside(from, to string) error {
	source, err := os.Stat(from)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if info, err := os.Stat(path); err == nil && os.SameFile(info, source) {
			return fmt.Errorf("the folder %s is inside of %s, in which nothing is to be changed", to, from)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return nil
		}
		path = parent
	}
}

// lockToRead keeps others from opening a store, and is refused while one has it open. Nothing is written for it, not
// even the lock's file, which Pebble would make anew.
func lockToRead(dir string) (io.Closer, error) {
	f, err := os.Open(filepath.Join(dir, "LOCK"))
	if vfsNotExist(err) { // no process has the store open: Pebble makes the file when it opens one
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	lock := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// begin makes the new store.
func (sv *Salvage) begin(o Options) error {
	names, err := sv.fs.List(sv.dir)
	if err != nil && !vfsNotExist(err) {
		return err
	}
	if len(names) > 0 {
		return fmt.Errorf("the folder %s is not empty", sv.dir)
	}
	if o.FS == nil {
		if err := checkMode(sv.dir); err != nil {
			return err
		}
	}
	if err := makeFolder(sv.fs, sv.dir); err != nil {
		return fmt.Errorf("making the folder %s: %w", sv.dir, err)
	}
	f, err := sv.fs.Create(sv.fs.PathJoin(sv.dir, salvageName), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), syncFolder(sv.fs, sv.dir)); err != nil {
		return err
	}
	sv.Store, err = openFolder(sv.fs, sv.dir, o)
	return err
}

// Finish closes the new store and says that it is complete.
func (sv *Salvage) Finish() error {
	if err := sv.Store.Close(); err != nil {
		return err
	}
	if err := sv.fs.Remove(sv.fs.PathJoin(sv.dir, salvageName)); err != nil {
		return err
	}
	return syncFolder(sv.fs, sv.dir)
}

// refuseUnfinished is for a folder to which not everything was copied.
func refuseUnfinished(fs vfs.FS, dir string) error {
	path := fs.PathJoin(dir, salvageName)
	if _, err := fs.Stat(path); err != nil {
		return nil
	}
	return &Refusal{path, fmt.Sprintf("file %q says that a salvage into this folder did not end", path),
		"Remove the folder, and run zproxy check --salvage again."}
}

// copy takes over the last version of each item.
func (sv *Salvage) copy(ctx context.Context, from string, names []string) error {
	src := newSource(ctx, sv.fs, from, names)
	if err := src.find(); err != nil {
		return err
	}
	if src.ledger != nil {
		for _, id := range src.ledger.dense {
			sv.Store.ledger.setDense(id, true)
		}
	}
	b := sv.Store.db.NewBatchWithSize(salvageBatch + salvageBatch/8)
	defer func() { _ = b.Close() }()
	for it := range src.items {
		if err := b.Set(it.key, it.value, nil); err != nil {
			return err
		}
		sv.Items[overlay.SpaceOf(it.key)]++
		if b.Len() < salvageBatch {
			continue
		}
		if err := errors.Join(ctx.Err(), sv.Store.room.check()); err != nil {
			return err
		}
		if err := sv.Store.write(b, sv.Store.db.Apply, pebble.NoSync); err != nil {
			return err
		}
		b.Reset()
	}
	if src.ledger == nil && src.identified && !slices.Contains(names, ledgerName) {
		src.loseLedger(os.ErrNotExist)
	}
	sv.Lost = src.lost
	if err := errors.Join(ctx.Err(), sv.Store.room.check()); err != nil {
		return err
	}
	last := func() error { return sv.Store.write(b, sv.Store.db.Apply, pebble.NoSync) }
	if err := sv.Store.show(claims{}, nil, last); err != nil {
		return err
	}
	if err := errors.Join(sv.restore(ctx), sv.record(ctx)); err != nil {
		return err
	}
	return sv.Store.db.Flush()
}

// record sees to it that each space of which there are items has its record, so that nothing is there without one.
func (sv *Salvage) record(ctx context.Context) error {
	list, err := sv.Store.Spaces(ctx)
	if err != nil {
		return err
	}
	delete(sv.Items, recordSpace)
	delete(sv.Items, copySpace)
	for id := range sv.Items {
		if slices.ContainsFunc(list, func(s store.Space) bool { return s.ID == id }) {
			continue
		}
		if err := sv.Store.Create(ctx, &store.Space{ID: id, Name: fmt.Sprintf("unnamed.%d", id)}); err != nil {
			return err
		}
	}
	return nil
}

// item is the last version of a key.
type item struct{ key, value []byte }

// source is a folder that is read for a salvage.
type source struct {
	ctx    context.Context
	fs     vfs.FS
	dir    string
	names  []string
	ledger *ledger // nil: it cannot be read, or there is none
	// identified says that the database has an identity, so that it had a ledger.
	identified bool

	tables  []*table
	logs    []string
	written []version // what the logs have
	gone    []deletion
	lost    []store.Loss
}

func newSource(ctx context.Context, fs vfs.FS, dir string, names []string) *source {
	s := &source{ctx: ctx, fs: fs, dir: dir, names: names}
	l, err := readLedger(fs, dir)
	if err != nil {
		s.loseLedger(err)
		return s
	}
	s.ledger = l
	if l != nil && l.torn {
		s.lose(ledgerName, nil, nil, "it ends within a record, so that it cannot be told whether the logs have their last commits")
	}
	return s
}

func (s *source) loseLedger(err error) {
	s.lose(ledgerName, nil, nil, "%s: it cannot be told whether other files are missing or cut off", cause(err))
}

// lose notes what cannot be read: the keys between two, with them; nil: without an end.
func (s *source) lose(file string, from, to []byte, reason string, args ...any) {
	s.lost = append(s.lost, store.Loss{File: file, Reason: fmt.Sprintf(reason, args...), From: positionOf(from, 0),
		To: positionOf(to, math.MaxUint64)})
}

func positionOf(key []byte, end store.SpaceID) store.Position {
	if len(key) < overlay.SpaceBytes {
		return store.Position{Space: end}
	}
	return store.Position{Space: overlay.SpaceOf(key), Key: bytes.Clone(key[overlay.SpaceBytes:])}
}

// cause says why a file cannot be read.
func cause(err error) string {
	if vfsNotExist(err) {
		return "the file is missing"
	}
	return err.Error()
}

// entry is what the ledger has of a file; nil: nothing.
func (s *source) entry(name string) *entry {
	if s.ledger == nil {
		return nil
	}
	return s.ledger.files[name]
}

// known are the files that there are or, by the ledger, should be.
func (s *source) known(of func(string) bool) []string {
	names := slices.Clone(s.names)
	if s.ledger != nil {
		for name := range s.ledger.files {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !of(name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// whole says whether a file is as the ledger has it, and false of one that the ledger does not have.
func (s *source) whole(e *entry, name string) bool {
	if e == nil {
		return false
	}
	got, err := proofOf(s.fs, s.fs.PathJoin(s.dir, name), e.durable.length)
	return err == nil && got == e.durable
}
