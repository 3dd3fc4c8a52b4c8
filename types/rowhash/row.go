package rowhash

import (
	"encoding/binary"
	"math"
	"strings"

	"zproxy/types"
)

// seedOfPartitions is what the hashes of partition keys begin with.
const seedOfPartitions = 0x7A5B22367996DCFD

// Row is the hash of the values of a partition key. NULL leaves it as it is.
func Row(values []types.Value) uint64 {
	var out uint64
	for _, v := range values {
		if !v.IsNull() {
			out ^= value(v, seedOfPartitions) + 0x49a0f4dd15e5a8e3 + out<<54 + out>>7
		}
	}
	return out
}

// Takes says whether the hash of values of a partition key leaves a remainder.
func Takes(values []types.Value, modulus, remainder int) bool {
	return Row(values)%uint64(modulus) == uint64(remainder)
}

// Hashable says whether values of a type have the hash here that they have in PostgreSQL.
func Hashable(t types.T) bool {
	switch t.Kind() {
	case types.KindInt:
		return t.OID != types.OIDMoney
	case types.KindBool, types.KindFloat, types.KindNumeric, types.KindText, types.KindBpchar, types.KindCitext,
		types.KindCollated, types.KindDate, types.KindTimestamp, types.KindTime, types.KindTimetz, types.KindUUID:
		return true
	case types.KindBytes:
		return t.OID == types.OIDBytea
	}
	return false
}

// value is the hash of a value that is not NULL.
func value(v types.Value, seed uint64) uint64 {
	switch v.Kind() {
	case types.KindBool:
		n := uint32(0)
		if v.Bool() {
			n = 1
		}
		return Word(n, seed)
	case types.KindInt:
		return Long(v.Int(), seed)
	case types.KindDate:
		return Word(uint32(v.Days()), seed)
	case types.KindTimestamp, types.KindTime:
		return Long(v.Micros(), seed)
	case types.KindTimetz:
		return Long(v.Micros(), seed) ^ Word(uint32(v.West()), seed)
	case types.KindFloat:
		return double(v.Float(), seed)
	case types.KindNumeric:
		return decimal(v, seed)
	case types.KindBytes:
		return text(string(v.Bytes()), seed)
	case types.KindUUID:
		id := v.UUID()
		return text(string(id[:]), seed)
	default:
		if v.Kind() == types.KindCollated && !v.Order().Deterministic() {
			return text(string(v.SortKey()), seed)
		}
		return text(v.Compared(), seed)
	}
}

func text(s string, seed uint64) uint64 {
	h, _ := Text(s, seed, func(int) error { return nil })
	return h
}

// double is the hash of a float: of 0 and -0 the same, of all that are not a number the same.
func double(f float64, seed uint64) uint64 {
	if f == 0 {
		return seed
	}
	n := math.Float64bits(f)
	if math.IsNaN(f) {
		n = 0x7ff8000000000000
	}
	return text(string(binary.LittleEndian.AppendUint64(nil, n)), seed)
}

// decimal is the hash of a numeric, of its digits to the base 10000 without zeros at the ends, and of the weight of the
// first.
func decimal(v types.Value, seed uint64) uint64 {
	d := v.Numeric()
	if d.Form != 0 {
		return seed
	}
	if d.IsZero() {
		return seed - 1
	}
	digits := d.Coeff.String()
	point := len(digits) + int(d.Exponent) // how many digits stand before the point
	weight := (point+3)/4 - 1
	if point <= 0 {
		weight = -(-point)/4 - 1
	}
	// So many zeros before the first digit let groups of four begin at the point.
	digits = strings.Repeat("0", (weight+1)*4-point) + digits
	digits += strings.Repeat("0", (4-len(digits)%4)%4)
	var groups []byte
	for ; digits != ""; digits = digits[4:] {
		n := 0
		for _, c := range digits[:4] {
			n = n*10 + int(c-'0')
		}
		if n == 0 && len(groups) == 0 {
			weight--
			continue
		}
		groups = binary.LittleEndian.AppendUint16(groups, uint16(n))
	}
	for len(groups) > 1 && groups[len(groups)-1] == 0 && groups[len(groups)-2] == 0 {
		groups = groups[:len(groups)-2]
	}
	return text(string(groups), seed) ^ uint64(int64(weight))
}
