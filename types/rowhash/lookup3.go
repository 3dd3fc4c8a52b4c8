// Package rowhash computes PostgreSQL's hashes: of numbers and texts, of values of other types, and of the rows of a
// table with hash partitions. They must be the same as there, since people take them for advisory locks, and since a
// dump of partitions says which rows are in which. Read Row first.
package rowhash

import (
	"encoding/binary"
	"math/bits"
)

// hashState are the three words of lookup3, which is Bob Jenkins', of 2006. PostgreSQL's differs in how it begins.
type hashState struct{ a, b, c uint32 }

func newHash(length int, seed uint64) *hashState {
	start := uint32(0x9e3779b9) + uint32(length) + 3923095
	h := &hashState{start, start, start}
	if seed != 0 {
		h.a += uint32(seed >> 32)
		h.b += uint32(seed)
		h.mix()
	}
	return h
}

func (h *hashState) mix() {
	a, b, c := h.a, h.b, h.c
	a -= c
	a ^= bits.RotateLeft32(c, 4)
	c += b
	b -= a
	b ^= bits.RotateLeft32(a, 6)
	a += c
	c -= b
	c ^= bits.RotateLeft32(b, 8)
	b += a
	a -= c
	a ^= bits.RotateLeft32(c, 16)
	c += b
	b -= a
	b ^= bits.RotateLeft32(a, 19)
	a += c
	c -= b
	c ^= bits.RotateLeft32(b, 4)
	b += a
	h.a, h.b, h.c = a, b, c
}

func (h *hashState) finish() {
	a, b, c := h.a, h.b, h.c
	c ^= b
	c -= bits.RotateLeft32(b, 14)
	a ^= c
	a -= bits.RotateLeft32(c, 11)
	b ^= a
	b -= bits.RotateLeft32(a, 25)
	c ^= b
	c -= bits.RotateLeft32(b, 16)
	a ^= c
	a -= bits.RotateLeft32(c, 4)
	b ^= a
	b -= bits.RotateLeft32(a, 14)
	c ^= b
	c -= bits.RotateLeft32(b, 24)
	h.a, h.b, h.c = a, b, c
}

// lookup3 takes twelve bytes at a time. The last, shorter piece leaves the lowest byte
// of c alone, which once held the length.
func lookup3(s string, seed uint64, tick func(int) error) (*hashState, error) {
	h := newHash(len(s), seed)
	var piece [12]byte
	for ; len(s) >= 12; s = s[12:] {
		if err := tick(len(piece)); err != nil {
			return nil, err
		}
		copy(piece[:], s[:12])
		h.a += binary.LittleEndian.Uint32(piece[:])
		h.b += binary.LittleEndian.Uint32(piece[4:])
		h.c += binary.LittleEndian.Uint32(piece[8:])
		h.mix()
	}
	piece = [12]byte{}
	copy(piece[:8], s)
	if len(s) > 8 {
		copy(piece[9:], s[8:])
	}
	h.a += binary.LittleEndian.Uint32(piece[:])
	h.b += binary.LittleEndian.Uint32(piece[4:])
	h.c += binary.LittleEndian.Uint32(piece[8:])
	h.finish()
	return h, nil
}

func (h *hashState) long() uint64 { return uint64(h.b)<<32 | uint64(h.c) }

// Word is the hash of a number of 32 bits. Its lower half is that of the functions without a seed.
func Word(word uint32, seed uint64) uint64 {
	h := newHash(4, seed)
	h.a += word
	h.finish()
	return h.long()
}

// Long is the hash of a number of 64 bits, which for a small one is that of 32 bits.
func Long(n int64, seed uint64) uint64 {
	low, high := uint32(n), uint32(n>>32)
	if n < 0 {
		high = ^high
	}
	return Word(low^high, seed)
}

// Text is the hash of a text. It ticks as it goes on.
func Text(s string, seed uint64, tick func(int) error) (uint64, error) {
	h, err := lookup3(s, seed, tick)
	if err != nil {
		return 0, err
	}
	return h.long(), nil
}
