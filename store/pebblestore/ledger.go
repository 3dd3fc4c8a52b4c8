package pebblestore

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
)

// The ledger is a file of our own in the store's folder. It says which spaces are dense, which
// files the store has, and of each how long it is durably and what the checksum of that much is.
// A store is opened only if all that is so: Pebble takes the end of what it can read of its manifest for the end of the
// manifest, and removes what that does not name.
//
// It is a header and records, each a checksum, a size, a kind and what the kind has. A file is
// in it when the folder has been synced since the file was made, and its length when a sync of
// the file has returned. These records are not synced themselves: after a kill the ledger is
// exact, after a power failure it says too little, and never too much. Before a file is removed
// the ledger says so and is synced, and with that all that came before: so nothing is removed on
// account of a manifest that the ledger does not know.
const (
	ledgerName = "LEDGER"
	ledgerNew  = "LEDGER.new"
	ledgerHead = "zproxy ledger 1\n"
	// ledgerMost is from how many bytes on it is written anew, without what has passed.
	ledgerMost = 1 << 20
	// recordHead is the bytes of a checksum and a size.
	recordHead = 6
)

// The kinds of records.
const (
	identityRecord = 'I' // what tells stores apart
	bornRecord     = 'B' // the database has the identity, too
	fileRecord     = 'F' // number, name: there is a file
	lengthRecord   = 'L' // number, length, checksum
	goneRecord     = 'G' // number: the file is removed
	syncedRecord   = 'S' // up to where the ledger was synced
	denseRecord    = 'D' // number of a space, whether it is dense from then on
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// proof is what shows that a beginning of a file is what was written.
type proof struct {
	length int64
	sum    uint32
}

func (p *proof) add(b []byte) {
	p.length, p.sum = p.length+int64(len(b)), crc32.Update(p.sum, castagnoli, b)
}

// entry is a file of the store.
type entry struct {
	name    string
	number  uint32
	linked  bool // the folder was synced since it was made, so that the ledger has it
	durable proof
}

// ledger is the one of an open store.
type ledger struct {
	fs       vfs.FS
	dir      string
	fail     func(error)
	identity [16]byte

	mu     sync.Mutex
	born   bool
	file   vfs.File
	size   int64
	synced int64
	last   uint32            // number given
	files  map[string]*entry // by name, also those that are not yet linked
	dense  []store.SpaceID   // sorted; a change makes another slice

	// torn says that the ledger that was read ended within a record: later ones may be missing.
	torn bool
}

func newLedger(fs vfs.FS, dir string) *ledger {
	l := &ledger{fs: fs, dir: dir, files: map[string]*entry{}}
	_, _ = rand.Read(l.identity[:])
	return l
}

func appendRecord(dst []byte, kind byte, fields ...any) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, recordHead)...)
	dst = append(dst, kind)
	for _, f := range fields {
		dst, _ = binary.Append(dst, binary.LittleEndian, f) // of fixed size
	}
	binary.LittleEndian.PutUint16(dst[at+4:], uint16(len(dst)-at-recordHead))
	binary.LittleEndian.PutUint32(dst[at:], crc32.Checksum(dst[at+4:], castagnoli))
	return dst
}

// nextRecord is the record at the front, nil if there is none that is whole.
func nextRecord(b []byte) []byte {
	if len(b) < recordHead {
		return nil
	}
	size := int(binary.LittleEndian.Uint16(b[4:]))
	if size == 0 || len(b) < recordHead+size || crc32.Checksum(b[4:recordHead+size],
		castagnoli) != binary.LittleEndian.Uint32(b) {
		return nil
	}
	return b[recordHead : recordHead+size]
}

func (e *entry) appendTo(dst []byte) []byte {
	dst = appendRecord(dst, fileRecord, e.number, []byte(e.name))
	if e.durable.length > 0 {
		dst = e.appendLength(dst)
	}
	return dst
}

func (e *entry) appendLength(dst []byte) []byte {
	return appendRecord(dst, lengthRecord, e.number, e.durable.length, e.durable.sum)
}

// rewrite puts a new ledger in place of the one that there is. l.mu is held, or l is not shared yet.
func (l *ledger) rewrite() error {
	b := appendRecord([]byte(ledgerHead), identityRecord, l.identity)
	if l.born {
		b = appendRecord(b, bornRecord)
	}
	for _, e := range l.files {
		if e.linked {
			b = e.appendTo(b)
		}
	}
	for _, id := range l.dense {
		b = appendDense(b, id, true)
	}
	from, to := l.fs.PathJoin(l.dir, ledgerNew), l.fs.PathJoin(l.dir, ledgerName)
	f, err := l.fs.Create(from, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file, l.size, l.synced = f, 0, 0
	if err := l.write(b); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.synced = l.size
	if err := l.fs.Rename(from, to); err != nil {
		return err
	}
	if err := syncFolder(l.fs, l.dir); err != nil {
		return err
	}
	return l.write(appendRecord(nil, syncedRecord, l.synced))
}

func (l *ledger) write(b []byte) error {
	n, err := l.file.Write(b)
	l.size += int64(n)
	return err
}

// note appends records. l.mu is held.
func (l *ledger) note(b []byte) {
	err := l.write(b)
	if err == nil && l.size > ledgerMost {
		err = l.rewrite()
	}
	l.check(err)
}

// noteDurably appends records and makes them durable, with all before them. l.mu is held.
func (l *ledger) noteDurably(b []byte) {
	l.note(b)
	l.check(l.file.Sync())
	l.synced = l.size
	l.note(appendRecord(nil, syncedRecord, l.synced))
}

func (l *ledger) check(err error) {
	if err != nil {
		l.fail(fmt.Errorf("writing %s: %w", ledgerName, err))
	}
}

// setBorn notes that the database has the identity.
func (l *ledger) setBorn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.born = true
	l.noteDurably(appendRecord(nil, bornRecord))
}

// made is a new file of a name.
func (l *ledger) made(name string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	e := &entry{name: name, number: l.last}
	l.files[name] = e
	return e
}

// gone notes that a file will be removed.
func (l *ledger) gone(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.files[name]
	delete(l.files, name)
	if e != nil && e.linked {
		l.noteDurably(appendRecord(nil, goneRecord, e.number))
	}
}

// moved notes that a file has a new name.
func (l *ledger) moved(e *entry, name string) {
	moved := l.made(name)
	if e != nil {
		moved.durable = e.durable
	}
}

func (l *ledger) find(name string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.files[name]
}

func (l *ledger) proofOf(e *entry) proof {
	l.mu.Lock()
	defer l.mu.Unlock()
	return e.durable
}

// wrote notes that so much of a file is durable.
func (l *ledger) wrote(e *entry, p proof) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.durable = p
	if e.linked && l.files[e.name] == e {
		l.note(e.appendLength(nil))
	}
}

// linking syncs the folder, and notes the files that were made before.
func (l *ledger) linking(sync func() error) error {
	l.mu.Lock()
	var list []*entry
	for _, e := range l.files {
		if !e.linked {
			list = append(list, e)
		}
	}
	l.mu.Unlock()
	if err := sync(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var b []byte
	for _, e := range list {
		if !e.linked && l.files[e.name] == e {
			e.linked = true
			b = e.appendTo(b)
		}
	}
	if len(b) > 0 {
		l.note(b)
	}
	return nil
}

func (l *ledger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
	}
}

// errLedger means that a ledger is not as it was written.
var errLedger = errors.New("a record of it is damaged")

// readLedger reads the ledger of a folder; there is none: nil.
func readLedger(fs vfs.FS, dir string) (*ledger, error) {
	f, err := fs.Open(fs.PathJoin(dir, ledgerName))
	if err != nil {
		if vfsNotExist(err) {
			err = nil
		}
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	l := &ledger{fs: fs, dir: dir, files: map[string]*entry{}}
	return l, l.parse(b)
}

// parse takes records until the end of what is whole. Behind that no record may say that the ledger
// was synced beyond that place.
func (l *ledger) parse(b []byte) error {
	rest, ok := bytes.CutPrefix(b, []byte(ledgerHead))
	record := nextRecord(rest)
	if !ok || len(record) != 1+len(l.identity) || record[0] != identityRecord {
		return errLedger
	}
	copy(l.identity[:], record[1:])
	numbered := map[uint32]*entry{}
	for ; record != nil; record = nextRecord(rest) {
		if !l.take(record, numbered) {
			return errLedger
		}
		rest = rest[recordHead+len(record):]
	}
	for _, e := range numbered {
		l.files[e.name] = e
	}
	l.torn = len(rest) > 0
	at := int64(len(b) - len(rest))
	for i := range rest {
		r := nextRecord(rest[i:])
		if len(r) == 9 && r[0] == syncedRecord && int64(binary.LittleEndian.Uint64(r[1:])) > at {
			return errLedger
		}
	}
	return nil
}

// take is about one record.
func (l *ledger) take(record []byte, numbered map[uint32]*entry) bool {
	kind, fields := record[0], record[1:]
	switch kind {
	case identityRecord, syncedRecord:
		return true
	case bornRecord:
		l.born = true
		return true
	case denseRecord:
		return l.takeDense(fields)
	}
	if len(fields) < 4 {
		return false
	}
	number, fields := binary.LittleEndian.Uint32(fields), fields[4:]
	l.last = max(l.last, number)
	if kind == fileRecord {
		numbered[number] = &entry{name: string(fields), number: number, linked: true}
		return true
	}
	e := numbered[number]
	switch {
	case e == nil:
		return false
	case kind == goneRecord:
		delete(numbered, number)
		return true
	case kind == lengthRecord && len(fields) == 12:
		e.durable = proof{int64(binary.LittleEndian.Uint64(fields)), binary.LittleEndian.Uint32(fields[8:])}
		return true
	}
	return false
}
