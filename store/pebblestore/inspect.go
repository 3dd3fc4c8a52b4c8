package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

// salvageHint says what to do about a store that is not whole.
const salvageHint = "Every file is where it was. Put back the file or the folder from a copy; a manifest has one beside it, MIRROR- with the same number. Otherwise copy what can be read to a new folder with zproxy check --salvage FOLDER."

// refuse is about a file of a folder.
func refuse(fs vfs.FS, dir, name, format string, args ...any) error {
	path := fs.PathJoin(dir, name)
	return &Refusal{path, fmt.Sprintf("file %q %s", path, fmt.Sprintf(format, args...)), salvageHint}
}

// openLedger gives the ledger of a folder, made if the folder is empty, after it has shown that the store is whole.
// It changes nothing before that.
func openLedger(fs vfs.FS, dir string, o *pebble.Options) (*ledger, error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	l, err := readLedger(fs, dir)
	switch {
	case errors.Is(err, errLedger):
		return nil, refuse(fs, dir, ledgerName, "is damaged: %v", err)
	case err != nil:
		return nil, err
	case l != nil:
		err = l.inspect()
	case slices.ContainsFunc(names, ofStore):
		l, err = adopt(fs, dir, o)
	case slices.ContainsFunc(names, ofOthers):
		return nil, notEmpty(dir)
	default:
		l = newLedger(fs, dir)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// ofStore says whether a file is one of a store.
func ofStore(name string) bool {
	return ofTable(name) || ofLog(name) || strings.HasPrefix(name, manifestPrefix) ||
		strings.HasPrefix(name, markerPrefix) || strings.HasPrefix(name, "OPTIONS-") || name == "CURRENT"
}

// notEmpty is about a folder with files of others and no store.
func notEmpty(dir string) error {
	return &Refusal{dir, fmt.Sprintf("directory %q exists but is not empty, and has no store", dir),
		"Say another folder with --data, which is made if it is missing."}
}

// ofOthers says whether a file is none that may be where a store is about to be made.
func ofOthers(name string) bool {
	return name != "LOCK" && name != "lost+found" && name != salvageName && !strings.HasPrefix(name, ledgerName)
}

func ofTable(name string) bool {
	return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob")
}

// inspect holds the files against the ledger. Those of rows have checksums of their own, which are
// looked at as they are read.
func (l *ledger) inspect() error {
	for _, e := range l.sorted() {
		info, err := l.fs.Stat(l.fs.PathJoin(l.dir, e.name))
		switch {
		case vfsNotExist(err):
			return refuse(l.fs, l.dir, e.name, "is missing, which %s names", ledgerName)
		case err != nil:
			return err
		case info.Size() < e.durable.length:
			return refuse(l.fs, l.dir, e.name, "has %d bytes, and %s says %d", info.Size(), ledgerName,
				e.durable.length)
		}
		if ofTable(e.name) {
			continue
		}
		if err := l.prove(e); err != nil {
			return err
		}
	}
	return nil
}

func (l *ledger) sorted() []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*entry, 0, len(l.files))
	for _, e := range l.files {
		if e.linked {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	return list
}

// prove reads as much of a file as is durable.
func (l *ledger) prove(e *entry) error {
	got, err := proofOf(l.fs, l.fs.PathJoin(l.dir, e.name), e.durable.length)
	if err == nil && got != e.durable {
		return refuse(l.fs, l.dir, e.name, "is damaged in its first %d bytes, by the checksum in %s", e.durable.length,
			ledgerName)
	}
	return err
}

func proofOf(fs vfs.FS, path string, length int64) (p proof, err error) {
	f, err := fs.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		return p, err
	}
	defer f.Close()
	in, b := io.LimitReader(f, length), make([]byte, 64<<10)
	for {
		n, err := in.Read(b)
		p.add(b[:n])
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return p, err
		}
	}
}

// adopt is for a folder of a version that kept no ledger. Its store must show by itself that it is whole.
func adopt(fs vfs.FS, dir string, o *pebble.Options) (*ledger, error) {
	found, err := pebble.Peek(dir, fs)
	if err != nil {
		return nil, refuse(fs, dir, ledgerName, "is missing, and the store does not open: %v", err)
	}
	if !found.Exists {
		return nil, refuse(fs, dir, markerPrefix+"manifest", "is missing, though there are files of a store")
	}
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	named, err := readOnly(fs, dir, o)
	if err == nil {
		err = errors.Join(manifestEnds(fs, dir, fs.PathBase(found.ManifestFilename)), logsEnd(fs, dir))
	}
	if err != nil {
		return nil, err
	}
	l := newLedger(fs, dir)
	for _, name := range names {
		if !ofStore(name) {
			continue
		}
		if ofTable(name) && !named[name] {
			return nil, refuse(fs, dir, fs.PathBase(found.ManifestFilename), "does not name the table %s", name)
		}
		e := l.made(name)
		e.linked = true
		if e.durable, err = proofOf(fs, fs.PathJoin(dir, name), 1<<62); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// readOnly opens a database that has no ledger, without a change, and says which tables it names.
func readOnly(fs vfs.FS, dir string, o *pebble.Options) (map[string]bool, error) {
	o = o.Clone()
	o.FS, o.ReadOnly = fs, true
	db, err := pebble.Open(dir, o)
	if err != nil {
		return nil, refuse(fs, dir, ledgerName, "is missing, and the store does not open: %v", err)
	}
	defer db.Close()
	_, there, err := identityOf(db)
	switch {
	case err != nil:
		return nil, err
	case there:
		return nil, refuse(fs, dir, ledgerName, "is missing, which belongs to this store")
	}
	named := map[string]bool{}
	return named, tablesOf(db, func(file string, _ pebble.SSTableInfo) { named[file] = true })
}

// tablesOf tells the tables that a database names, each with its file, which tables may share.
func tablesOf(db *pebble.DB, tell func(file string, t pebble.SSTableInfo)) error {
	levels, err := db.SSTables()
	for _, level := range levels {
		for _, t := range level {
			tell(tableName(&t), t)
		}
	}
	return err
}

// manifestEnds says whether a manifest can be read to its end.
func manifestEnds(fs vfs.FS, dir, name string) error {
	f, err := fs.Open(fs.PathJoin(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	in := record.NewReader(f, 0)
	return toEnd(fs.PathJoin(dir, name), in.Next)
}

// logsEnd says the same of the logs.
func logsEnd(fs vfs.FS, dir string) error {
	logs, err := wal.Scan(wal.Dir{FS: fs, Dirname: dir})
	if err != nil {
		return err
	}
	for _, l := range logs {
		in := l.OpenForRead()
		err := toEnd(fs.PathJoin(dir, fmt.Sprintf("%06d.log", uint64(l.Num))), func() (io.Reader, error) {
			r, _, err := in.NextRecord()
			return r, err
		})
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

func toEnd(path string, next func() (io.Reader, error)) error {
	for {
		r, err := next()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return &Refusal{path, fmt.Sprintf("file %q cannot be read to its end: %v", path, err),
				"If zproxy was killed, start and stop it once with the version that made the folder. " + salvageHint}
		}
	}
}

// identityKey is where the database has the identity of its ledger: the record of the one space that cannot be.
func identityKey() []byte { return recordKey(recordSpace) }

func identityOf(db *pebble.DB) (id [16]byte, there bool, err error) {
	value, closer, err := db.Get(identityKey())
	if errors.Is(err, pebble.ErrNotFound) {
		return id, false, nil
	}
	if err != nil {
		return id, false, err
	}
	copy(id[:], value)
	return id, true, closer.Close()
}

// identify sees to it that the database and the ledger belong to each other. Where the identity cannot
// be read, what else can be read is served: the files are those of the ledger.
func (l *ledger) identify(db *pebble.DB) error {
	id, there, err := identityOf(db)
	switch {
	case l.born && pebble.IsCorruptionError(err):
		return nil
	case err != nil:
		return err
	case there && id != l.identity:
		return refuse(l.fs, l.dir, ledgerName, "belongs to another store")
	case !there && l.born:
		return refuse(l.fs, l.dir, ledgerName, "belongs to another store: the database has no identity")
	case there && l.born:
		return nil
	}
	if !there {
		if err := db.Set(identityKey(), l.identity[:], pebble.Sync); err != nil {
			return err
		}
	}
	l.setBorn()
	return nil
}
