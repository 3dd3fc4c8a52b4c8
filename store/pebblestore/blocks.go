package pebblestore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/block/blockkind"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// mostOpenBlocks is how many tables are open to read their blocks, besides those that are being read.
const mostOpenBlocks = 256

// blockTables are tables of the database that are open to read their blocks. These share the cache with those that
// Pebble reads, but each has its own there.
type blockTables struct {
	after   int    // how many items of a snapshot are read by iterators before blocks are
	least   uint64 // bytes of a table that is read by its blocks
	options sstable.ReaderOptions
	fs      vfs.FS
	dir     string
	mu      sync.Mutex
	tables  map[uint64]*blockTable // by the number of the file
	clock   uint64
}

// blockTable is an open table.
type blockTable struct {
	reader  *sstable.Reader
	plain   bool // it has nothing but items that are stored whole
	handles []block.Handle
	keys    []byte   // of each block one that no key of it is above, and all keys of the next one are
	ends    []uint32 // of these in keys
	zones   zoneMaps
	users   int
	used    uint64 // the clock when it was last taken
	deleted bool
}

// opened is called when the database of a store was opened.
func (b *blockTables) opened(s *Store, cache *pebble.Cache) {
	b.after, b.least = byBlocksAfter, leastStretch
	b.mu.Lock()
	defer b.mu.Unlock()
	b.options, b.tables = s.tables.MakeReaderOptions(), map[uint64]*blockTable{}
	b.options.CacheOpts.CacheHandle = cache.NewHandle()
	b.fs, b.dir = s.loadFS, s.room.dir
}

// tableName is the name of the file of a table.
func tableName(t *pebble.SSTableInfo) string { return fmt.Sprintf("%06d.sst", uint64(t.BackingSSTNum)) }

func (b *blockTables) path(t *pebble.SSTableInfo) string { return b.fs.PathJoin(b.dir, tableName(t)) }

// take opens a table until release. The file may be gone.
func (b *blockTables) take(t *pebble.SSTableInfo) (*blockTable, error) {
	number := uint64(t.BackingSSTNum)
	if known := b.known(number); known != nil {
		return known, nil
	}
	opened, err := b.read(t)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.tables[number]; known != nil {
		opened.close()
		b.touch(known)
		return known, nil
	}
	b.touch(opened)
	_, gone := b.fs.Stat(b.path(t))
	if opened.deleted = gone != nil; !opened.deleted { // else it was forgotten before it was known
		b.tables[number] = opened
		b.closeOldest()
	}
	return opened, nil
}

func (b *blockTables) known(number uint64) *blockTable {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.tables[number]
	if known != nil {
		b.touch(known)
	}
	return known
}

func (b *blockTables) touch(t *blockTable) {
	b.clock++
	t.users, t.used = t.users+1, b.clock
}

// closeOldest closes the table that has not been read for longest, if there are many.
func (b *blockTables) closeOldest() {
	if len(b.tables) <= mostOpenBlocks {
		return
	}
	var oldest uint64
	for number, t := range b.tables {
		if o := b.tables[oldest]; t.users == 0 && (o == nil || t.used < o.used) {
			oldest = number
		}
	}
	if t := b.tables[oldest]; t != nil {
		delete(b.tables, oldest)
		t.close()
	}
}

// release ends the use of a table.
func (b *blockTables) release(t *blockTable) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.users--; t.users == 0 && t.deleted {
		t.close()
	}
}

// forget is called when a file is deleted. A table that is open can be read on.
func (b *blockTables) forget(info pebble.TableDeleteInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	number := uint64(info.FileNum)
	t := b.tables[number]
	if t == nil {
		return
	}
	delete(b.tables, number)
	b.options.CacheOpts.CacheHandle.EvictFile(info.FileNum)
	if t.deleted = true; t.users == 0 {
		t.close()
	}
}

// close closes all tables, when no one reads.
func (b *blockTables) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tables {
		t.close()
	}
	b.tables = nil // files are still deleted
	b.options.CacheOpts.CacheHandle.Close()
}

// read opens a table and reads where its blocks are.
func (b *blockTables) read(info *pebble.SSTableInfo) (t *blockTable, err error) {
	file, err := b.fs.Open(b.path(info))
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	o := b.options
	o.CacheOpts.FileNum = info.BackingSSTNum
	t = &blockTable{}
	if t.reader, err = sstable.NewReader(context.Background(), readable, o); err != nil {
		_ = readable.Close()
		return nil, err
	}
	if err := t.prepare(); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *blockTable) close() { _ = t.reader.Close() }

// prepare reads the properties and the index of a table.
func (t *blockTable) prepare() error {
	p, err := t.reader.ReadPropertiesBlock(context.Background(), nil)
	if err != nil {
		return err
	}
	format, err := t.reader.TableFormat()
	if err != nil {
		return err
	}
	const beyond = sstable.AttributeValueBlocks | sstable.AttributeBlobValues | sstable.AttributeRangeDels |
		sstable.AttributeRangeKeySets | sstable.AttributeRangeKeyUnsets | sstable.AttributeRangeKeyDels
	if t.plain = format.BlockColumnar() && p.NumDeletions == 0 && !t.reader.Attributes.Intersects(beyond); !t.plain {
		return nil
	}
	layout, err := t.reader.Layout()
	if err != nil {
		return err
	}
	for _, h := range layout.Index {
		if err := t.addIndex(h); err != nil {
			return err
		}
	}
	t.handles, t.keys, t.ends = slices.Clip(t.handles), slices.Clip(t.keys), slices.Clip(t.ends)
	return nil
}

// addIndex adds the blocks of a block of the index.
func (t *blockTable) addIndex(h block.Handle) error {
	b, err := t.reader.BlockReader().Read(context.Background(), block.NoReadEnv, nil, h, blockkind.Metadata,
		colblk.InitIndexBlockMetadata)
	if err != nil {
		return err
	}
	defer b.Release()
	var it colblk.IndexIter
	if err := it.Init(t.reader.Comparer, b.BlockData(), block.NoTransforms); err != nil {
		return err
	}
	for more := it.First(); more; more = it.Next() {
		data, err := it.BlockHandleWithProperties()
		if err != nil {
			return err
		}
		t.handles = append(t.handles, data.Handle)
		t.keys = append(t.keys, it.Separator()...)
		t.ends = append(t.ends, uint32(len(t.keys)))
	}
	return nil
}

// blockOf is the position of the first block that may have keys from one on.
func (t *blockTable) blockOf(key []byte) int {
	return sort.Search(len(t.handles), func(i int) bool { return bytes.Compare(t.lastKey(i), key) >= 0 })
}

// lastKey is a key that no key of a block is above, and all keys of the next one are.
func (t *blockTable) lastKey(i int) []byte {
	if i == 0 {
		return t.keys[:t.ends[0]]
	}
	return t.keys[t.ends[i-1]:t.ends[i]]
}

// Columns of a block of a table, behind the two of Pebble's own split of keys, of which the second is empty.
const (
	keyColumn = iota
	_
	_
	_
	valueColumn
	_
	obsoleteColumn
	blockHeaderBytes = 4
)

// itemBlock is a block that is held until it is released, and then no more to be looked at.
type itemBlock struct {
	held block.BufferHandle
	*blockItems
}

// blockItems is the items of a block. They are in the metadata that the cache keeps of it, so that a block is decoded
// once.
type blockItems struct {
	items    int
	keys     colblk.PrefixBytes
	values   colblk.RawBytes
	obsolete colblk.Bitmap // an older version of the item before
	bundle   int           // how many keys share a prefix at a time
}

const _ uint = block.MetadataSize - uint(unsafe.Sizeof(blockItems{}))

// read reads a block.
func (t *blockTable) read(ctx context.Context, i int) (b itemBlock, err error) {
	b.held, err = t.reader.BlockReader().Read(ctx, block.NoReadEnv, nil, t.handles[i], blockkind.SSTableData,
		decodeItems)
	if err == nil {
		b.blockItems = block.CastMetadata[blockItems](b.held.BlockMetadata())
	}
	return b, err
}

// decodeItems puts the items of a block into its metadata.
func decodeItems(m *block.Metadata, data []byte) error {
	b := block.CastMetadataZero[blockItems](m)
	var d colblk.BlockDecoder
	d.Init(data, blockHeaderBytes)
	b.items = d.Rows()
	b.keys, b.values, b.obsolete = d.PrefixBytes(keyColumn), d.RawBytes(valueColumn), d.Bitmap(obsoleteColumn)
	for b.bundle = 1; (b.items+b.bundle-1)/b.bundle > b.keys.BundleCount(); b.bundle *= 2 {
	}
	return nil
}

// from is the position of the first item whose key is not below one.
func (b *blockItems) from(key []byte) int {
	at, _ := b.keys.Search(key)
	return at
}

// appendKey appends the key of an item.
func (b *blockItems) appendKey(dst []byte, i int) []byte {
	return append(b.appendPrefix(dst, i), b.keys.RowSuffix(i)...)
}

// appendPrefix appends what the keys of the bundle of an item begin with.
func (b *blockItems) appendPrefix(dst []byte, i int) []byte {
	return append(append(dst, b.keys.SharedPrefix()...), b.keys.RowBundlePrefix(i)...)
}

// bundleOf is the first item of the bundle of one.
func (b *blockItems) bundleOf(i int) int { return i &^ (b.bundle - 1) }

// keysBytes is how long the keys of some items are, none of which is obsolete. The ends of the keys of a bundle lie one
// behind the other.
func (b *blockItems) keysBytes(at, to int) int {
	total := (to - at) * len(b.keys.SharedPrefix())
	for at < to {
		end := min(to, b.bundleOf(at)+b.bundle)
		first, last := b.keys.RowSuffix(at), b.keys.RowSuffix(end-1)
		total += (end-at)*len(b.keys.RowBundlePrefix(at)) + len(last) +
			int(uintptr(unsafe.Pointer(unsafe.SliceData(last)))-uintptr(unsafe.Pointer(unsafe.SliceData(first))))
		at = end
	}
	return total
}
