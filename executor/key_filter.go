package executor

import (
	"encoding/binary"
	mathbits "math/bits"

	"zproxy/types"
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
	f.words = make([]uint64, 1<<mathbits.Len(uint(t.numbers.count/wordKeys)))
	if !t.whole {
		for i := range t.numbers.count {
			word, mask := f.bits(foldBytes(t.numbers.bytes(i)))
			*word |= mask
		}
		return f
	}
	for _, slot := range t.numbers.slots {
		if slot.number != 0 {
			word, mask := f.bits(uint64(slot.key))
			*word |= mask
		}
	}
	return f
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

// keyProbe asks a filter for the keys of batches, in one goroutine.
type keyProbe struct {
	set    *keyFilter
	keys   keyColumns
	key    []byte
	sel    []int32
	asked  int // rows
	passed int
}

// trialRows is after how many rows a filter is given up that keeps most of them.
const trialRows = 1 << 14

// keep leaves the rows of a batch whose keys may be in the set, and says how many it took out.
func (p *keyProbe) keep(batch *types.Batch) (int, error) {
	rows := batch.Len()
	if p.asked >= trialRows && p.passed > p.asked/4*3 {
		return 0, nil
	}
	if err := p.keys.load(batch); err != nil {
		return 0, err
	}
	p.sel = p.sel[:0]
	for i := range rows {
		if p.may(i) {
			p.sel = append(p.sel, int32(i))
		}
	}
	p.asked, p.passed = p.asked+rows, p.passed+len(p.sel)
	batch.Select(p.sel)
	return rows - len(p.sel), nil
}

// may says whether the key of a row may be in the set.
func (p *keyProbe) may(i int) bool {
	if p.set.whole {
		if p.keys.of[0].IsNull(i) {
			return false
		}
		word, mask := p.set.bits(uint64(p.keys.of[0].Int(i)))
		return *word&mask == mask
	}
	for at, v := range p.keys.of {
		if !p.set.nulls[at] && v.IsNull(i) {
			return false
		}
	}
	p.key = p.keys.appendKey(p.key[:0], i)
	word, mask := p.set.bits(foldBytes(p.key))
	return *word&mask == mask
}
