package types

import (
	"encoding/binary"
	"math"
)

// Abbreviate makes a number of a value that is not NULL such that of two values of one kind
// the lesser one never has the greater number. Equal numbers say nothing.
func Abbreviate(v Value) uint64 {
	const sign = 1 << 63
	switch v.kind {
	case KindInt, KindDate, KindTimestamp, KindTime:
		return v.a ^ sign
	case KindBool, KindUUID:
		return v.a
	case KindFloat:
		switch f := v.Float(); {
		case f != f:
			return math.MaxUint64
		case f == 0: // also -0, which equals it
			return sign
		case f < 0:
			return ^v.a
		}
		return v.a | sign
	case KindText, KindBytes, KindJSON, KindEnum:
		return firstBytes(v.Text())
	case KindBpchar, KindCitext:
		return firstBytes(v.Compared())
	case KindCollated:
		return firstBytes(string(v.SortKey()))
	}
	return 0
}

// firstBytes are the first eight bytes of a text, as a number.
func firstBytes(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}
