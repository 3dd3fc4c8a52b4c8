// Package pebblestore is the embedded store, on Pebble.
//
// A transaction reads a snapshot taken at Begin, under its own writes. Of two
// transactions that overlap in time and write one key, the first to commit wins. A
// commit is one synced batch, and it is not seen before it is durable; those that wait at the
// same time are synced together.
//
// An item is a Pebble key: the space's number (8 bytes, big endian), Partition, Sort;
// its value is what package encoding/rows makes. Under the largest number, which no
// space has, each space has a record of its name.
//
// A bulk transaction makes sorted tables of what it writes, which its commit adds to the database. It does not see
// its own writes.
package pebblestore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// Options are what Open may be told. The zero value is for production.
type Options struct {
	FS         vfs.FS // nil: the disk
	CacheBytes int64  // 0: 256 MB
	// MemTableBytes is how much is written before it is sorted into a file; four such may be in
	// memory. 0: 64 MB.
	MemTableBytes int64
	Logger        *slog.Logger // where Pebble reports; nil: nowhere
	// Fatal ends the process: the store cannot write any more, so that what it has promised, or will be
	// asked, is uncertain. It must not return; nil: panic.
	Fatal func(error)
	// MinFree is how many bytes of the disk must be free; with fewer, writes are refused with a store.Full.
	MinFree int64
}

const (
	defaultCache = 256 << 20
	memTable     = 64 << 20
	// dataBlock is how many bytes of items a table's index tells apart, and are read from disk
	// together. indexBlock has room for the index of a whole table, so that one step of a
	// search is enough.
	dataBlock  = 16 << 10
	indexBlock = 256 << 10
	// seekRows is what a seek costs, in rows that an iterator passes meanwhile.
	seekRows = 15
	// recordSpace is the number under which the records of spaces lie.
	recordSpace store.SpaceID = math.MaxUint64
	// formatVersion is the one of the files. A directory that a newer Pebble has upgraded cannot be opened by an
	// older one, so that it is raised by hand.
	formatVersion = pebble.FormatValueSeparation
)

// Store is a Pebble database. Its files are released when it is closed and the last
// transaction and scan have ended.
type Store struct {
	db        *pebble.DB
	lock      *pebble.Lock
	ledger    *ledger
	log       logger
	fatal     func(error)
	conflicts *conflicts
	commits   commits
	room      room
	probe     probe
	snapshots snapshots
	unflushed unflushed
	pools
	loading
	closing
	compaction
}

// pools keep memory for later reads.
type pools struct {
	batches types.BatchPool
	getters getters
	blocks  blockTables
}

// loading is what bulk transactions make tables with.
type loading struct {
	tables   *pebble.Options
	loadFS   vfs.FS
	loaded   atomic.Uint64 // the number of the last such table
	runBytes int           // what a transaction has in memory that is not handed on
}

// closing is whether the store is closed, and who still uses it.
type closing struct {
	closed   atomic.Bool
	users    atomic.Int64 // the store itself until Close, transactions, and scans
	release  sync.Once
	closeErr error
}

// compaction is what runs in the background until the store is closed.
type compaction struct {
	compacting sync.Mutex // held by the compaction that runs
	stopped    context.Context
	stop       context.CancelFunc
}

// Open opens the store in a directory, which it makes if there is none. A *Refusal means that the
// directory must not be used as it is, and that nothing in it was changed.
func Open(dir string, o Options) (*Store, error) {
	fs := o.FS
	if fs == nil {
		if err := checkMode(dir); err != nil {
			return nil, err
		}
		fs = privateFS{vfs.Default}
	}
	if err := makeFolder(fs, dir); err != nil {
		return nil, fmt.Errorf("making the folder %s: %w", dir, err)
	}
	if err := refuseUnfinished(fs, dir); err != nil {
		return nil, err
	}
	return openFolder(fs, dir, o)
}

// openFolder opens the store in a folder that is there.
func openFolder(fs vfs.FS, dir string, o Options) (*Store, error) {
	lock, err := pebble.LockDirectory(dir, fs)
	if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	s := &Store{log: logger{o.Logger}, conflicts: newConflicts(), fatal: o.Fatal, lock: lock}
	s.stopped, s.stop = context.WithCancel(context.Background())
	if err := s.open(fs, dir, o); err != nil {
		s.stop()
		return nil, errors.Join(err, lock.Close())
	}
	s.users.Store(1)
	return s, nil
}

func (s *Store) open(fs vfs.FS, dir string, o Options) (err error) {
	options := s.options(o)
	options.Lock = s.lock
	s.room.fs, s.room.dir, s.room.least = fs, dir, o.MinFree
	if s.ledger, err = openLedger(fs, dir, options); err != nil {
		return err
	}
	s.ledger.fail = s.fail
	if err := s.ledger.rewrite(); err != nil {
		return fmt.Errorf("writing %s in %s: %w", ledgerName, dir, err)
	}
	options.FS = &ledgerFS{FS: fs, ledger: s.ledger}
	cache := pebble.NewCache(options.CacheSize)
	defer cache.Unref()
	options.Cache = cache
	if s.db, err = pebble.Open(dir, options); err != nil {
		s.ledger.close()
		if pebble.IsCorruptionError(err) {
			return &Refusal{dir, fmt.Sprintf("opening the store in %s: %v", dir, err), salvageHint}
		}
		return fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	s.loadFS, s.tables, s.runBytes = options.FS, options.Clone(), int(options.MemTableSize)
	s.tables.EnsureDefaults()
	s.blocks.opened(s, cache)
	if err := s.removeLoads(); err != nil {
		s.log.Errorf("removing tables of loads that did not end: %v", err)
	}
	s.snapshots.db, s.snapshots.published = s.db, &s.unflushed.published
	s.snapshots.offered.L = &s.snapshots.mu
	if err := errors.Join(s.unflushed.opened(s.db), s.ledger.identify(s.db)); err != nil {
		s.blocks.close()
		err = errors.Join(err, s.db.Close())
		s.ledger.close()
		return err
	}
	first := s.snapshots.make()
	s.snapshots.advance(first)
	s.snapshots.offer(first)
	return nil
}

func (s *Store) options(o Options) *pebble.Options {
	options := &pebble.Options{
		Logger:                      fatalLogger{s.log, s.fail},
		CacheSize:                   o.CacheBytes,
		MemTableSize:                uint64(cmp.Or(o.MemTableBytes, memTable)),
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       1000, // slow reads for a while are better than no writes
		LBaseMaxBytes:               memTable,
		MaxOpenFiles:                10000,
		FormatMajorVersion:          formatVersion,
		EventListener: &pebble.EventListener{
			FlushBegin:      func(pebble.FlushInfo) { s.unflushed.begins() },
			FlushEnd:        func(i pebble.FlushInfo) { s.snapshots.tables.Add(1); s.unflushed.ends(i) },
			TableIngested:   func(i pebble.TableIngestInfo) { s.snapshots.tables.Add(1); s.unflushed.ingested(i) },
			TableDeleted:    func(i pebble.TableDeleteInfo) { s.blocks.forget(i) },
			CompactionEnd:   func(pebble.CompactionInfo) { s.snapshots.tables.Add(1) },
			BackgroundError: func(err error) { s.log.Errorf("background error: %s", reasonOf(err)) },
			DataCorruption:  s.noteDamage,
		},
	}
	if o.CacheBytes == 0 {
		options.CacheSize = defaultCache
	}
	// To sample reads for compactions that they would profit from costs each row of a scan.
	options.Experimental.ReadSamplingMultiplier = -1
	options.Experimental.SpanPolicyFunc = s.policy
	// What is loaded goes to the lowest level, also where a table there has keys on both sides: in a higher one it
	// would be compacted at once.
	options.Experimental.IngestSplit = func() bool { return true }
	for i := range options.Levels {
		options.Levels[i].BlockSize, options.Levels[i].IndexBlockSize = dataBlock, indexBlock
		options.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		options.Levels[i].Compression = s.compression(i)
	}
	return options
}

// enter keeps the database open until leave.
func (s *Store) enter() error {
	s.users.Add(1)
	if s.closed.Load() {
		s.leave()
		return store.ErrClosed
	}
	return nil
}

func (s *Store) leave() {
	if s.users.Add(-1) == 0 {
		s.shut()
	}
}

// shut closes the database, once, when no one uses it and no one can begin to.
func (s *Store) shut() {
	s.release.Do(func() {
		s.snapshots.drop()
		s.blocks.close()
		s.closeErr = errors.Join(s.db.Close(), s.lock.Close())
		s.ledger.close()
	})
}

// Close ends the store. Its error is nil while transactions are open.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return store.ErrClosed
	}
	s.stop()
	s.compacting.Lock() // a compaction that comes later finds the store closed
	defer s.compacting.Unlock()
	s.leave()
	if s.users.Load() > 0 {
		return nil
	}
	s.shut() // or wait until another has
	return s.closeErr
}

// mostKeyBytes is how long each part of a key may be. A block of a table holds few keys of that length.
const mostKeyBytes = 30 << 10

// Capabilities are those of an ordered store with dear seeks.
func (s *Store) Capabilities() store.Capabilities {
	return store.Capabilities{OrderedPartitions: true, RangePrice: seekRows, Snapshots: true, Parallel: 1, Dense: true,
		Filters: leastZoned, MostPartition: mostKeyBytes, MostSort: mostKeyBytes}
}

func recordKey(id store.SpaceID) []byte {
	return binary.BigEndian.AppendUint64(overlay.AppendKey(nil, recordSpace, store.Key{}), uint64(id))
}

// errNumber is a caller's mistake.
var errNumber = errors.New("no space has this number")

// Create records a space.
func (s *Store) Create(ctx context.Context, sp *store.Space) error {
	if sp.ID >= copySpace {
		return errNumber
	}
	if sp.Dense && sp.Home() == sp.ID {
		s.ledger.setDense(sp.ID, true)
	}
	return s.change(ctx, func(b *pebble.Batch) error {
		if sp.Reserved {
			if err := s.copyAll(ctx, b, sp); err != nil {
				return err
			}
		}
		return b.Set(recordKey(sp.ID), []byte(sp.Name), nil)
	})
}

// Drop removes a space and its items.
func (s *Store) Drop(ctx context.Context, sp *store.Space) error {
	if sp.ID >= copySpace {
		return errNumber
	}
	err := s.change(ctx, func(b *pebble.Batch) error {
		from, to := overlay.AppendBounds(nil, sp.ID, store.Range{})
		s.unflushed.forget(sp.ID)
		if sp.Reserved {
			if err := b.DeleteRange(copyKey(from), copyKey(to), nil); err != nil {
				return err
			}
		}
		return errors.Join(b.DeleteRange(from, to, nil), b.Delete(recordKey(sp.ID), nil))
	})
	if err == nil {
		s.ledger.setDense(sp.ID, false)
	}
	return err
}

// change commits one batch that no transaction conflicts with.
func (s *Store) change(ctx context.Context, f func(*pebble.Batch) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	b := s.db.NewBatch()
	defer b.Close()
	if err := f(b); err != nil {
		return err
	}
	return s.commit(b, claims{}, nil)
}

// Spaces lists the spaces by number.
func (s *Store) Spaces(ctx context.Context) ([]store.Space, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	prefix := overlay.AppendKey(nil, recordSpace, store.Key{})
	it, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: prefix})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	var list []store.Space
	for ok := it.First(); ok; ok = it.Next() {
		if bytes.Equal(it.Key(), identityKey()) {
			continue
		}
		key, name := it.Key()[len(prefix):], it.Value()
		if len(key) != overlay.SpaceBytes {
			return nil, fmt.Errorf("record of a space has the key %x", key)
		}
		list = append(list, store.Space{ID: store.SpaceID(binary.BigEndian.Uint64(key)), Name: string(name)})
	}
	return list, it.Error()
}

// Begin starts a transaction.
func (s *Store) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	t, take := &txn{store: s, mode: m}, s.snapshots.take
	if m.As != nil {
		as := m.As.State.(*view)
		take = func() *snapshot { s.snapshots.hold(as.snapshot); return as.snapshot }
		t.undurable = as.clock
	}
	if !m.ReadOnly && !m.Bulk {
		t.ticket, t.snapshot = s.conflicts.begin(take)
	} else {
		t.snapshot = take()
	}
	t.clock = t.snapshot.clock
	return t, nil
}

// logger hands Pebble's reports on.
type logger struct{ to *slog.Logger }

// Infof reports what is going on.
func (l logger) Infof(format string, args ...any) {
	if l.to != nil {
		l.to.Debug(fmt.Sprintf(format, args...))
	}
}

// Errorf reports a failure in the background.
func (l logger) Errorf(format string, args ...any) {
	if l.to != nil {
		l.to.Error(fmt.Sprintf(format, args...))
	}
}
