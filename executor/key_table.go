package executor

import (
	"bytes"
	"hash/maphash"
	mathbits "math/bits"

	"zproxy/types"
)

// keyTable numbers different keys from 0 as they come: open addressing with linear probing
// (Knuth, The Art of Computer Programming, volume 3, 6.4, algorithm L). Keys are either all
// whole numbers or all bytes. At most half of the slots are taken.
type keyTable struct {
	slots  []keySlot
	count  int
	shift  uint
	common uint // how many bits of their spread hashes all keys have in common
	seed   maphash.Seed
	arena  []byte // the bytes of all keys, one behind the other
	ends   []int  // of each key in arena
}

// keySlot is a slot of a table.
type keySlot struct {
	key    int64 // the number, or the hash of the bytes
	number int32 // counted from 1; 0 is no key
	first  int32 // of a hashTable: the first row of the key, counted from 1
}

const minSlots = 8

// ofInt is the number of a whole number, and whether it was there. A new one is added, or
// else its number is negative.
func (t *keyTable) ofInt(key int64, add bool) (int, bool) {
	if t.slots == nil || add && 2*t.count >= len(t.slots) {
		t.grow()
	}
	p := t.intSlot(key)
	if p.number == 0 {
		return t.take(p, key, add), false
	}
	return int(p.number) - 1, true
}

// intSlot is the slot of a whole number, or the free one where it would be. There is a free slot.
func (t *keyTable) intSlot(key int64) *keySlot {
	for i := t.start(key); ; i = (i + 1) & (len(t.slots) - 1) {
		if p := &t.slots[i]; p.number == 0 || p.key == key {
			return p
		}
	}
}

// ofBytes is ofInt for bytes, which it copies.
func (t *keyTable) ofBytes(key []byte, add bool) (int, bool) {
	return t.ofHashed(key, t.hash(key), add)
}

// hash is that of bytes.
func (t *keyTable) hash(key []byte) int64 {
	if t.slots == nil {
		t.grow()
	}
	return int64(maphash.Bytes(t.seed, key))
}

// ofHashed is ofBytes where the hash is known.
func (t *keyTable) ofHashed(key []byte, hash int64, add bool) (int, bool) {
	if add && 2*t.count >= len(t.slots) {
		t.grow()
	}
	p := t.hashedSlot(key, hash)
	if p.number == 0 {
		number := t.take(p, hash, add)
		if add {
			t.keep(key)
		}
		return number, false
	}
	return int(p.number) - 1, true
}

// hashedSlot is intSlot for bytes whose hash is known.
func (t *keyTable) hashedSlot(key []byte, hash int64) *keySlot {
	for i := t.start(hash); ; i = (i + 1) & (len(t.slots) - 1) {
		p := &t.slots[i]
		if p.number == 0 || p.key == hash && bytes.Equal(t.bytes(int(p.number)-1), key) {
			return p
		}
	}
}

// added is the slot of a key, a whole number or bytes with their hash, which is added if it is not there.
func (t *keyTable) added(key int64, of []byte, whole bool) *keySlot {
	if 2*t.count >= len(t.slots) {
		t.grow()
	}
	var p *keySlot
	if whole {
		p = t.intSlot(key)
	} else {
		p = t.hashedSlot(of, key)
	}
	if p.number == 0 {
		t.take(p, key, true)
		if !whole {
			t.keep(of)
		}
	}
	return p
}

// keep keeps the bytes of a new key.
func (t *keyTable) keep(key []byte) {
	t.arena = append(t.arena, key...)
	t.ends = append(t.ends, len(t.arena))
}

// bytes is the key of a number.
func (t *keyTable) bytes(number int) []byte {
	from := 0
	if number > 0 {
		from = t.ends[number-1]
	}
	return t.arena[from:t.ends[number]]
}

// take gives a new key its number.
func (t *keyTable) take(p *keySlot, key int64, add bool) int {
	if !add {
		return -1
	}
	t.count++
	*p = keySlot{key: key, number: int32(t.count)}
	return t.count - 1
}

// start spreads keys by a multiplication (the same, 6.4).
func (t *keyTable) start(key int64) int {
	return int(spread(key) << t.common >> t.shift)
}

func spread(key int64) uint64 { return uint64(key) * 0x9E3779B97F4A7C15 }

// reserve makes room for so many keys.
func (t *keyTable) reserve(keys int) {
	if slots := 1 << mathbits.Len(uint(2*keys-2)); slots > len(t.slots) {
		t.resize(max(slots, minSlots))
	}
}

func (t *keyTable) grow() { t.resize(max(2*len(t.slots), minSlots)) }

// resize moves the keys to so many slots, a power of two.
func (t *keyTable) resize(slots int) {
	if t.seed == (maphash.Seed{}) {
		t.seed = maphash.MakeSeed()
	}
	old := t.slots
	t.slots, t.shift = make([]keySlot, slots), uint(64-mathbits.TrailingZeros(uint(slots)))
	for _, p := range old {
		if p.number == 0 {
			continue
		}
		i := t.start(p.key)
		for t.slots[i].number != 0 {
			i = (i + 1) & (len(t.slots) - 1)
		}
		t.slots[i] = p
	}
}

// wholeNumber says whether values of a type are equal when their integers are.
func wholeNumber(t types.T) bool {
	k := t.Kind()
	return k == types.KindInt || k == types.KindDate || k == types.KindTimestamp || k == types.KindTime
}

// rowSet numbers the different rows that were added to it. NULLs equal each other.
type rowSet struct {
	table keyTable
	whole bool // a row is one whole number
	null  int  // the number of NULL as such a row, counted from 1
	key   []byte
	keys  keyBatch
	held  *hold
}

// newRowSet makes a set of rows of these types.
func newRowSet(held *hold, of ...types.T) rowSet {
	return rowSet{held: held, whole: len(of) == 1 && wholeNumber(of[0])}
}

// at is the number of a row, and whether it was there. A new one is added, or else its
// number is negative.
func (s *rowSet) at(row types.Row, add bool) (number int, there bool) {
	switch {
	case !s.whole:
		s.key = s.key[:0]
		for _, v := range row {
			s.key = types.AppendKey(s.key, v)
		}
		return s.table.ofBytes(s.key, add)
	case !row[0].IsNull():
		return s.table.ofInt(row[0].Int(), add)
	}
	return s.ofNull(add)
}

// load prepares to look up the rows of columns.
func (s *rowSet) load(k *keyColumns, rows int) {
	if s.whole {
		return
	}
	s.keys.load(k, rows, s.table.hash)
	if len(s.table.slots) > cachedSlots {
		s.keys.fetch(func(int64) *keyTable { return &s.table })
	}
}

// atColumns is at for row i of columns that were loaded.
func (s *rowSet) atColumns(k *keyColumns, i int, add bool) (number int, there bool) {
	if !s.whole {
		s.key = s.keys.key(i)
		return s.table.ofHashed(s.key, s.keys.hashes[i], add)
	}
	return s.ofWhole(k.of[0], i, add)
}

// ofWhole is at for row i of a column, where rows are whole numbers.
func (s *rowSet) ofWhole(v *types.Vector, i int, add bool) (number int, there bool) {
	if v.IsNull(i) {
		return s.ofNull(add)
	}
	return s.table.ofInt(v.Int(i), add)
}

// ofNull is at for NULL, where rows are whole numbers.
func (s *rowSet) ofNull(add bool) (number int, there bool) {
	switch {
	case s.null > 0:
		return s.null - 1, true
	case !add:
		return -1, false
	}
	s.table.count++
	s.null = s.table.count
	return s.null - 1, false
}

// find is the number of a row, and whether it is there.
func (s *rowSet) find(row types.Row) (int, bool) { return s.at(row, false) }

// number is the number of a row, and whether it is new.
func (s *rowSet) number(row types.Row) (int, bool, error) {
	n, there := s.at(row, true)
	if there {
		return n, false, nil
	}
	return n, true, s.hold()
}

// hold takes what the key needs that was added last.
func (s *rowSet) hold() error {
	return s.held.add(int64(len(s.key)) + rowOverhead)
}

// add says whether a row is new.
func (s *rowSet) add(row types.Row) (bool, error) {
	_, added, err := s.number(row)
	return added, err
}
