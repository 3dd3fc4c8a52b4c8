package pebblestore

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// logBlock is what a log is made of. No record's part goes over its end.
const logBlock = 32 << 10

// logHead is what a part of a record begins with. What a log ends with is not longer.
const logHead = 19

// version is one that a key had, or that it was deleted.
type version struct {
	key   []byte
	seq   pebble.SeqNum
	kind  pebble.InternalKeyKind
	value []byte
	from  int // of two with the same number the one with the higher from is meant
}

// deletion is one of all keys from one up to another.
type deletion struct {
	from, to []byte
	seq      pebble.SeqNum
}

// byKey orders versions, those of a key from the last to the first.
func byKey(a, b version) int {
	return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.seq, a.seq), cmp.Compare(b.from, a.from))
}

// sortWritten keeps the last version of each key that the logs have.
func (s *source) sortWritten() {
	slices.SortStableFunc(s.written, byKey)
	s.written = slices.CompactFunc(s.written, func(a, b version) bool { return bytes.Equal(a.key, b.key) })
}

// readLog reads the commits of a log. Where it is not as the ledger has it, or where what comes later shows that
// it is damaged, reading goes on with the next block; otherwise it ends where a process had stopped to write.
func (s *source) readLog(name string) error {
	f, err := s.fs.Open(s.fs.PathJoin(s.dir, name), vfs.SequentialReadsOption)
	if err != nil {
		s.lose(name, nil, nil, "%s, a log: commits are missing", cause(err))
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	number, err := strconv.ParseUint(strings.TrimSuffix(name, ".log"), 10, 64)
	if err != nil {
		return nil // no log of a store
	}
	e := s.entry(name)
	damaged, end := e != nil && !s.whole(e, name), info.Size()
	if damaged {
		end = e.durable.length
	}
	first, last := int64(-1), int64(0)
	for base := int64(0); base < info.Size() && s.ctx.Err() == nil; {
		at, err := s.readRecords(io.NewSectionReader(f, base, info.Size()-base), number)
		at += base
		ends := err == io.EOF || errors.Is(err, record.ErrUnexpectedEOF)
		if ends && (!damaged || at+logHead > end) {
			break
		}
		if first < 0 {
			first = at
		}
		base = (at/logBlock + 1) * logBlock
		last = min(base, end)
	}
	if damaged && first < 0 {
		first, last = min(info.Size(), end), end
	}
	if first >= 0 {
		s.lose(name, nil, nil, "the log is damaged between its bytes %d and %d: commits are missing", first,
			max(last, first))
	}
	return nil
}

// readRecords reads up to what is not a record, and says where that is.
func (s *source) readRecords(in io.Reader, number uint64) (at int64, err error) {
	r := numberedReader(record.NewReader, in, number)
	for {
		at = r.Offset()
		one, err := r.Next()
		if err != nil {
			return at, err
		}
		body, err := io.ReadAll(one)
		if err != nil {
			return at, err
		}
		s.take(body)
	}
}

// numberedReader calls record.NewReader, whose type of numbers has no name here.
func numberedReader[N ~uint64](open func(io.Reader, N) *record.Reader, in io.Reader, n uint64) *record.Reader {
	return open(in, N(n))
}

// take takes the writes of a batch.
func (s *source) take(body []byte) {
	head, ok := batchrepr.ReadHeader(body)
	if !ok {
		return
	}
	seq := head.SeqNum
	for r := batchrepr.Read(body); ; {
		kind, key, value, ok, err := r.Next()
		if !ok || err != nil {
			return
		}
		switch kind {
		case pebble.InternalKeyKindLogData:
			continue // has no number
		case pebble.InternalKeyKindRangeKeyDelete: // deletes nothing, see AlterSpace
		case pebble.InternalKeyKindRangeDelete:
			s.gone = append(s.gone, deletion{bytes.Clone(key), bytes.Clone(value), seq})
		default:
			s.written = append(s.written, version{key: bytes.Clone(key), seq: seq, kind: kind,
				value: bytes.Clone(value)})
		}
		seq++
	}
}
