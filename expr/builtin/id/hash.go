package id

import (
	"encoding/binary"
	"math/bits"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// hashFunctions are those that PostgreSQL's hash tables use. People take them to make
// numbers of texts, for advisory locks for example, so they must give the same ones. See
// Bob Jenkins, "lookup3.c", 2006, from which PostgreSQL's differ in how they begin.
var hashFunctions = []*expr.Function{
	{Name: "hashtext", Args: pg.Sig{pg.Text}, Result: pg.Int4, Doc: "Hash of a text, as PostgreSQL computes it.", Fn1: hashText},
	{Name: "hashtextextended", Args: pg.Sig{pg.Text, pg.Int8}, Result: pg.Int8, Doc: "Hash of a text with a seed, as PostgreSQL computes it.", Fn2: hashTextSeeded},
	{Name: "hashint2", Args: pg.Sig{pg.Int2}, Result: pg.Int4, Doc: "Hash of a number, as PostgreSQL computes it.", Fn1: hashInt},
	{Name: "hashint4", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Hash of a number, as PostgreSQL computes it.", Fn1: hashInt},
	{Name: "hashint8", Args: pg.Sig{pg.Int8}, Result: pg.Int4, Doc: "Hash of a number, as PostgreSQL computes it; of a small one that of an int4.", Fn1: hashInt8},
}

// hashState are the three words of lookup3.
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
func lookup3(c *expr.Context, s string, seed uint64) (*hashState, error) {
	h := newHash(len(s), seed)
	var piece [12]byte
	for ; len(s) >= 12; s = s[12:] {
		if err := c.Tick(len(piece)); err != nil {
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

func hashWord(word uint32) types.Value {
	h := newHash(4, 0)
	h.a += word
	h.finish()
	return types.NewInt(int64(int32(h.c)))
}

func hashText(c *expr.Context, a types.Value) (types.Value, error) {
	h, err := lookup3(c, a.Text(), 0)
	if err != nil {
		return types.Null, err
	}
	return types.NewInt(int64(int32(h.c))), nil
}

func hashTextSeeded(c *expr.Context, a, seed types.Value) (types.Value, error) {
	h, err := lookup3(c, a.Text(), uint64(seed.Int()))
	if err != nil {
		return types.Null, err
	}
	return types.NewInt(int64(uint64(h.b)<<32 | uint64(h.c))), nil
}

func hashInt(_ *expr.Context, a types.Value) (types.Value, error) {
	return hashWord(uint32(a.Int())), nil
}

func hashInt8(_ *expr.Context, a types.Value) (types.Value, error) {
	low, high := uint32(a.Int()), uint32(a.Int()>>32)
	if a.Int() < 0 {
		high = ^high
	}
	return hashWord(low ^ high), nil
}
