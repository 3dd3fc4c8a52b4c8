package executor

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"zproxy/encoding/ordered"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// columnSorter sorts rows that come as columns. It keeps the columns as they are, and of each row its keys as bytes
// that are ordered as the rows are (normalized keys: Graefe, Implementing Sorting in Database Systems, 2006). When it
// holds too much it writes what it has to a file, in order, and goes on.
type columnSorter struct {
	frame
	by     []plan.SortKey
	keys   keyColumns
	wanted wantedRows
	kept   columnList
	arena  []byte // the keys, each behind its length
	items  []sortItem
	room   []sortItem // that sorting needs
	picked []int32    // the numbers of rows
	held   hold
	files  *sorter // of rows that went to files, each behind its key; nil: none did
}

// sortItem is a row to be sorted.
type sortItem struct {
	prefix uint64 // eight bytes of the key
	key    uint32 // where it is in the arena
	row    int32  // its number
}

const (
	lengthBytes   = 4 // bytes of the length of a key
	sortItemBytes = int64(unsafe.Sizeof(sortItem{}))
	mostKeyBytes  = math.MaxUint32 >> 1
)

// sortsColumns says whether the keys have bytes in their order, and may be computed for many rows at once.
func sortsColumns(keys []plan.SortKey) bool {
	return !slices.ContainsFunc(keys, func(k plan.SortKey) bool {
		return !k.Expr.Type().Kind().Ordered() || mayAct(k.Expr)
	})
}

// wantedRows are how many of the first rows are wanted, and what is known of the last of them.
type wantedRows struct {
	most int64
	last *atomic.Uint64 // the prefix of its first key, or of one behind it
}

func newColumnSorter(f frame, by []plan.SortKey, width int, wanted wantedRows) *columnSorter {
	s := &columnSorter{frame: f, by: by, wanted: wanted, kept: newColumnList(width), held: f.hold()}
	s.keys.by = f.env.Expr
	for _, k := range by {
		s.keys.keys = append(s.keys.keys, k.Expr)
	}
	return s
}

// close gives back what the sorter holds, and notes how much that was.
func (s *columnSorter) close() {
	s.keptAtMost(&s.held)
	if s.files != nil {
		s.files.close()
	}
}

// take takes the rows of a batch.
func (s *columnSorter) take(batch *types.Batch) error {
	if err := s.keys.load(batch); err != nil {
		return err
	}
	s.items = slices.Grow(s.items, batch.Len())
	row := int32(s.kept.count)
	s.kept.add(batch)
	for i := range batch.Len() {
		at := len(s.arena)
		s.arena = append(s.arena, make([]byte, lengthBytes)...)
		for k, v := range s.keys.of {
			s.arena = appendOrdered(s.arena, &s.by[k], v, i)
		}
		binary.LittleEndian.PutUint32(s.arena[at:], uint32(len(s.arena)-at-lengthBytes))
		s.items = append(s.items, sortItem{0, uint32(at), row + int32(i)})
	}
	if err := s.charge(); err != nil {
		return err
	}
	if s.held.bytes > s.workMemory() || s.kept.count > mostListed-types.BatchRows || len(s.arena) > mostKeyBytes {
		return s.flush()
	}
	if int64(s.kept.count)/2 >= s.wanted.most {
		return s.shrink()
	}
	return nil
}

// shrink forgets the rows that are not wanted.
func (s *columnSorter) shrink() error {
	if err := cmp.Or(s.sort(), s.held.add(s.size()/2)); err != nil { // until what is not wanted is forgotten
		return err
	}
	items, kept, arena := s.items[:s.wanted.most], newColumnList(s.kept.width()), s.arena[:0:0]
	batch := types.NewBatch(s.kept.width())
	for some := range slices.Chunk(items, s.kept.atOnce(0)) {
		s.pick(batch, some)
		kept.add(batch)
	}
	for n := range items {
		key := s.keyOf(&items[n])
		items[n].key, items[n].row = uint32(len(arena)), int32(n)
		arena = append(binary.LittleEndian.AppendUint32(arena, uint32(len(key))), key...)
	}
	s.items, s.kept, s.arena = items, kept, arena
	first := &s.by[0]
	v, err := first.Expr.Eval(s.env.Expr, kept.row(make(types.Row, kept.width()), len(items)-1))
	if err != nil {
		return err
	}
	s.wanted.last.Store(prefix(*first, v))
	s.held.note(s.profile())
	s.held.releaseTo(s.size())
	return s.canceled()
}

// pick makes a batch the rows of some items.
func (s *columnSorter) pick(to *types.Batch, items []sortItem) {
	s.picked = s.picked[:0]
	for i := range items {
		s.picked = append(s.picked, items[i].row)
	}
	for at := range to.Columns(s.kept.width()) {
		s.kept.pick(to.Column(at), at, s.picked)
	}
	to.Grow(len(items))
}

// appendOrdered appends the bytes of a value of a key.
func appendOrdered(dst []byte, k *plan.SortKey, v *types.Vector, i int) []byte {
	if v.IsNull(i) && k.NullsFirst != k.Desc {
		return ordered.AppendNullBelow(dst, k.Desc)
	}
	return ordered.Append(dst, v.Lent(i), k.Desc)
}

// charge makes what is held what is needed, and as much as sorting will need.
func (s *columnSorter) charge() error {
	size := s.size()
	if size <= s.held.bytes {
		return nil
	}
	return s.held.add(size - s.held.bytes)
}

func (s *columnSorter) size() int64 {
	return s.kept.bytes + int64(cap(s.arena)) + 2*int64(cap(s.items))*sortItemBytes
}

// keyOf is the key of an item.
func (s *columnSorter) keyOf(i *sortItem) []byte {
	p := s.arena[i.key:]
	return p[lengthBytes:][:binary.LittleEndian.Uint32(p)]
}

// sort sorts the items: by eight bytes that follow what all keys begin with, then those that are equal there.
func (s *columnSorter) sort() error {
	common, longest := s.common()
	for i := range s.items {
		var p [8]byte
		copy(p[:], s.keyOf(&s.items[i])[common:])
		s.items[i].prefix = binary.BigEndian.Uint64(p[:])
	}
	rest := func(a, b sortItem) int { return bytes.Compare(s.keyOf(&a), s.keyOf(&b)) }
	if longest <= common+8 {
		rest = nil
	}
	var err error
	s.room, err = sortItems(s.frame, s.items, s.room, rest)
	return err
}

// common is how many bytes all keys begin with, and how long the longest is.
func (s *columnSorter) common() (common, longest int) {
	if len(s.items) == 0 {
		return 0, 0
	}
	first := s.keyOf(&s.items[0])
	common = len(first)
	for i := range s.items {
		key := s.keyOf(&s.items[i])
		longest = max(longest, len(key))
		if common == 0 {
			continue
		}
		n := 0
		for n < min(common, len(key)) && key[n] == first[n] {
			n++
		}
		common = n
	}
	return common, longest
}

// flush writes the rows at hand to a file as a run.
func (s *columnSorter) flush() error {
	if s.files == nil {
		key := plan.SortKey{Expr: expr.Column{T: types.Bytea}}
		s.files = newSorter(s.frame, []plan.SortKey{key}, s.kept.width(), math.MaxInt64)
	}
	if err := s.sort(); err != nil {
		return err
	}
	row := make(types.Row, 1+s.kept.width())
	err := s.files.run(func(file *spill) error {
		for n := range s.items[:min(int64(len(s.items)), s.wanted.most)] {
			i := &s.items[n]
			row[0] = types.NewBytes(s.keyOf(i))
			s.kept.row(row[1:], int(i.row))
			if err := cmp.Or(s.canceledAt(n), file.append(row)); err != nil {
				return err
			}
		}
		return nil
	})
	s.kept, s.arena, s.items, s.room = newColumnList(s.kept.width()), nil, nil, nil
	s.keptAtMost(&s.held)
	return err
}

// deliver delivers all rows in their order.
func (s *columnSorter) deliver(out *output) error {
	if s.files != nil {
		if err := s.flush(); err != nil {
			return err
		}
		return s.files.merged(func(values types.Row) error { return out.append(values[1:]) })
	}
	if err := s.sort(); err != nil {
		return err
	}
	for some := range slices.Chunk(s.items, s.kept.atOnce(0)) {
		s.pick(out.batch, some)
		if err := out.flush(); err != nil {
			return err
		}
	}
	return nil
}
