package pebblestore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/block/blockkind"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// scan reads a table whose index or end cannot be read: block by block from the front, up to the first that is not
// one of rows. Each block ends with its checksum, which tells where that is.
func (t *table) scan(why error, yield func(version) bool) {
	f, err := t.source.fs.Open(t.source.fs.PathJoin(t.source.dir, t.file), vfs.SequentialReadsOption)
	if err != nil {
		t.lose(nil, nil, why)
		return
	}
	defer f.Close()
	content, _ := io.ReadAll(f) // up to where it can be read
	in, err := sstable.NewSimpleReadable(f)
	if err != nil {
		t.lose(nil, nil, why)
		return
	}
	var last []byte
	for at := 0; ; {
		n := blockAt(content[at:])
		if n < 0 {
			break
		}
		list, err := t.rowsAt(in, block.Handle{Offset: uint64(at), Length: uint64(n)}, last)
		if err != nil {
			break
		}
		for _, v := range list {
			last = v.key
			if bytes.Compare(v.key, t.lower) < 0 || !t.inside(v.key) {
				continue
			}
			if !yield(v) {
				return
			}
		}
		at += n + block.TrailerLen
	}
	if t.bounded && !t.open && bytes.Equal(last, t.upper) {
		return // nothing is behind it
	}
	t.lose(last, nil, why)
}

// maskDelta is what Pebble adds to a checksum that it has rotated.
const maskDelta = 0xa282ead8

// blockAt is the length of the block at the front, without its trailer; -1: there is none that is whole.
func blockAt(content []byte) int {
	sum := uint32(0)
	for n := 0; n+block.TrailerLen <= len(content); n++ {
		sum = crc32.Update(sum, castagnoli, content[n:n+1]) // the trailer begins with a byte that counts, too
		if n > 0 && bits.RotateLeft32(sum, 17)+maskDelta == binary.LittleEndian.Uint32(content[n+1:]) {
			return n
		}
	}
	return -1
}

// errNoRows means that a block is of another kind, or that its keys do not follow those before.
var errNoRows = errors.New("no block of rows")

// rowsAt decodes a block of rows behind a key.
func (t *table) rowsAt(in objstorage.Readable, h block.Handle, last []byte) (list []version, err error) {
	defer func() {
		if p := recover(); p != nil {
			list, err = nil, fmt.Errorf("%w: %v", errNoRows, p)
		}
	}()
	o := &pebble.Options{Logger: silent{}}
	o.EnsureDefaults()
	schema := o.KeySchemas[o.KeySchema]
	var r block.Reader
	r.Init(in, block.ReaderOptions{}, block.ChecksumTypeCRC32c)
	b, err := r.Read(context.Background(), block.NoReadEnv, nil, h, blockkind.SSTableData,
		func(m *block.Metadata, data []byte) error {
			return colblk.InitDataBlockMetadata(schema, m, data)
		})
	if err != nil {
		return nil, err
	}
	var it colblk.DataBlockIter
	it.InitOnce(schema, o.Comparer, nil)
	if err := it.InitHandle(o.Comparer, b, block.NoTransforms); err != nil {
		return nil, err
	}
	defer it.Close()
	for kv := it.First(); kv != nil; kv = it.Next() {
		value, _, err := kv.Value(nil)
		if err != nil {
			return nil, err
		}
		v := version{bytes.Clone(kv.K.UserKey), kv.SeqNum(), kv.Kind(), bytes.Clone(value), t.order}
		if bytes.Compare(v.key, last) < 0 {
			return nil, errNoRows
		}
		list, last = append(list, v), v.key
	}
	return list, it.Error()
}
