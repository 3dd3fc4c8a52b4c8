package executor

import (
	"encoding/binary"
	mathbits "math/bits"
)

// keyFilter is a set of keys that seems to have some others, too: a Bloom filter all of whose bits for a key are in one
// word (Putze, Sanders, Singler: Cache-, hash- and space-efficient Bloom filters, 2007). Several goroutines may ask it.
// Which others it seems to have is the same in each run.
type keyFilter struct {
	words []uint64
	whole bool   // keys are whole numbers
	nulls []bool // which NULLs are keys
}

// wordKeys is how many keys there are for each word at the most: 16 bits for each.
const wordKeys = 4

// newKeyFilter makes the set of the keys of a table.
func newKeyFilter(t *hashTable) *keyFilter {
	f := &keyFilter{whole: t.whole, nulls: t.nulls}
	f.words = make([]uint64, 1<<mathbits.Len(uint(t.different()/wordKeys)))
	for i := range t.parts {
		f.add(&t.parts[i].table)
	}
	return f
}

// add adds the keys of a table.
func (f *keyFilter) add(t *keyTable) {
	for _, slot := range t.slots {
		if slot.number == 0 {
			continue
		}
		key := uint64(slot.key)
		if !f.whole {
			key = foldBytes(t.bytes(int(slot.number) - 1))
		}
		word, mask := f.bits(key)
		*word |= mask
	}
}

// bits are those of a key, and the word that they are in.
func (f *keyFilter) bits(key uint64) (*uint64, uint64) {
	h := fold(key ^ 0x9E3779B97F4A7C15)
	return &f.words[h&uint64(len(f.words)-1)], 1<<(h>>40&63) | 1<<(h>>46&63) | 1<<(h>>52&63) | 1<<(h>>58)
}

// fold mixes the bits of a number by a multiplication, of whose product both halves count.
func fold(x uint64) uint64 {
	high, low := mathbits.Mul64(x, 0xD6E8FEB86659FD93)
	return high ^ low
}

// foldBytes makes a number of bytes, eight at a time.
func foldBytes(key []byte) uint64 {
	h := uint64(len(key))
	for ; len(key) >= 8; key = key[8:] {
		h = fold(h ^ binary.LittleEndian.Uint64(key))
	}
	var last [8]byte
	copy(last[:], key)
	return fold(h ^ binary.LittleEndian.Uint64(last[:]))
}

// asks makes the test of whether the keys of a row may be in the set, for one goroutine.
func (f *keyFilter) asks(keys *keyColumns) func(i int) bool {
	if f.whole {
		return func(i int) bool {
			if keys.of[0].IsNull(i) {
				return false
			}
			word, mask := f.bits(uint64(keys.of[0].Int(i)))
			return *word&mask == mask
		}
	}
	var key []byte
	return func(i int) bool {
		for at, v := range keys.of {
			if !f.nulls[at] && v.IsNull(i) {
				return false
			}
		}
		key = keys.appendKey(key[:0], i)
		word, mask := f.bits(foldBytes(key))
		return *word&mask == mask
	}
}
