package types

import (
	"encoding/binary"
	"math"
)

// Abbreviate makes a number of a value that is not NULL such that of two values of one kind
// the lesser one never has the greater number. Equal numbers say nothing.
func Abbreviate(v Value) uint64 {
	switch v.kind {
	case KindInt, KindDate, KindTimestamp, KindTime:
		return v.a ^ signBit
	case KindBool, KindUUID:
		return v.a
	case KindFloat:
		return abbreviateFloat(v.Float())
	case KindNumeric:
		return abbreviateFloat(nearestFloat(v))
	case KindText, KindBytes, KindJSON, KindEnum:
		return firstBytes(v.Text())
	case KindBpchar, KindCitext:
		return firstBytes(v.Compared())
	case KindCollated:
		return firstBytes(string(v.SortKey()))
	}
	return 0
}

const signBit = 1 << 63

func abbreviateFloat(f float64) uint64 {
	switch b := math.Float64bits(f); {
	case f != f:
		return math.MaxUint64
	case f == 0: // also -0, which equals it
		return signBit
	case f < 0:
		return ^b
	default:
		return b | signBit
	}
}

// exactTens are the powers of ten that are floats.
var exactTens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// nearestFloat is the float that is nearest to a numeric: the same one for numerics that are equal, and no lesser one
// for a greater one.
func nearestFloat(v Value) float64 {
	const exact = 1 << 53 // up to here whole numbers are floats, so that the quotient is rounded once
	s, small := v.Small()
	if small && -exact < s.Coefficient && s.Coefficient < exact && 0 <= s.Scale && int(s.Scale) < len(exactTens) {
		return float64(s.Coefficient) / exactTens[s.Scale]
	}
	f, _ := v.Numeric().Float64() // one beyond all floats is infinity
	return f
}

// firstBytes are the first eight bytes of a text, as a number.
func firstBytes(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}
