// Package hstore is the sets of pairs of the extension hstore: how they are held, read and printed. Keys and values are
// texts, a value may be NULL, and pairs are in the order of the lengths of their keys, then of the keys. They are held
// as bytes whose order is that of the type: the texts of all pairs, a zero byte, how many pairs there are, and where in
// the texts each key and each value ends. Begin with Pair, Set and Encode.
package hstore

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
	"unsafe"

	"zproxy/sqlerr"
)

// Pair is a key with its value.
type Pair struct {
	Key, Value string
	Null       bool // the value is NULL, and Value is empty
}

// pairBytes is the memory of a pair without its texts.
const pairBytes = int64(unsafe.Sizeof(Pair{}))

// entrySize is the length of an entry: where in the texts a key or a value ends, and in its last bit whether that is
// NULL.
const entrySize = 4

// CompareKeys orders keys: shorter ones first.
func CompareKeys(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

func compare(a, b Pair) int { return CompareKeys(a.Key, b.Key) }

// Unique is pairs in order, the first one of each key. It may change the slice.
func Unique(pairs []Pair) []Pair {
	slices.SortStableFunc(pairs, compare)
	return slices.CompactFunc(pairs, func(a, b Pair) bool { return a.Key == b.Key })
}

// Set is pairs as they are held.
type Set string

// Encode is a Set of pairs that are in order, each key once.
func Encode(pairs []Pair) []byte {
	size := 1 + entrySize*(1+2*len(pairs))
	for _, p := range pairs {
		size += len(p.Key) + len(p.Value)
	}
	out := make([]byte, 0, size)
	for _, p := range pairs {
		out = append(append(out, p.Key...), p.Value...)
	}
	out = binary.BigEndian.AppendUint32(append(out, 0), uint32(len(pairs)))
	end := 0
	for _, p := range pairs {
		end += len(p.Key)
		out = binary.BigEndian.AppendUint32(out, uint32(end)<<1)
		end += len(p.Value)
		entry := uint32(end) << 1
		if p.Null {
			entry |= 1
		}
		out = binary.BigEndian.AppendUint32(out, entry)
	}
	return out
}

// Len is how many pairs there are.
func (s Set) Len() int { return len(s.entries()) / (2 * entrySize) }

// entries are where the texts of the pairs end, behind their count.
func (s Set) entries() string { return string(s[strings.IndexByte(string(s), 0)+1+entrySize:]) }

func entry(entries string, i int) (end int, null bool) {
	e := entries[i*entrySize:]
	n := uint32(e[0])<<24 | uint32(e[1])<<16 | uint32(e[2])<<8 | uint32(e[3])
	return int(n >> 1), n&1 != 0
}

// pair is the one with a number. Its texts share the memory of the set.
func (s Set) pair(entries string, i int) Pair {
	from := 0
	if i > 0 {
		from, _ = entry(entries, 2*i-1)
	}
	middle, _ := entry(entries, 2*i)
	end, null := entry(entries, 2*i+1)
	return Pair{Key: string(s[from:middle]), Value: string(s[middle:end]), Null: null}
}

// Pairs are all pairs, in order. Their texts share the memory of the set.
func (s Set) Pairs() []Pair {
	entries := s.entries()
	out := make([]Pair, s.Len())
	for i := range out {
		out[i] = s.pair(entries, i)
	}
	return out
}

// Find is the pair of a key; it says false when there is none.
func (s Set) Find(key string) (Pair, bool) {
	entries := s.entries()
	at, found := sort.Find(s.Len(), func(i int) int { return CompareKeys(key, s.pair(entries, i).Key) })
	if !found {
		return Pair{}, false
	}
	return s.pair(entries, at), true
}

// OneSubscript is the error of more than one subscript.
func OneSubscript() error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "hstore allows only one subscript")
}

// Memory is that of the slice of all pairs.
func (s Set) Memory() int64 { return int64(s.Len()) * pairBytes }

// AppendImage appends the bytes that PostgreSQL holds on most machines, of which its hash is made.
func AppendImage(dst []byte, pairs []Pair) []byte {
	const isNew, isFirst, isNull = 1 << 31, 1 << 31, 1 << 30
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(pairs))|isNew)
	end := uint32(0)
	for i, p := range pairs {
		end += uint32(len(p.Key))
		key := end
		if i == 0 {
			key |= isFirst
		}
		end += uint32(len(p.Value))
		value := end
		if p.Null {
			value |= isNull
		}
		dst = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, key), value)
	}
	for _, p := range pairs {
		dst = append(append(dst, p.Key...), p.Value...)
	}
	return dst
}
