package ordered

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types"
	"zproxy/types/interval"
)

// Decode reads the first value of a key and returns what follows it. The type says
// which of the kinds that are encoded alike it is. A numeric loses trailing zeros, a char(n) its blanks,
// a citext its case, a range what its bounds lose, a text of a collation that is not deterministic all but its sort
// key.
func Decode(key []byte, t types.T, desc bool) (types.Value, []byte, error) {
	n, err := Len(key, desc)
	if err != nil {
		return types.Null, nil, err
	}
	enc := key[:n]
	if desc {
		enc = bytes.Clone(enc)
		invert(enc)
	}
	v, err := decode(enc, t)
	if err == nil && !v.IsNull() && v.Kind() != t.Kind() {
		err = errCorrupt
	}
	if err != nil {
		return types.Null, nil, err
	}
	return v, key[n:], nil
}

// Len is the number of bytes of the first value of a key.
func Len(key []byte, desc bool) (int, error) {
	flip := flipped(desc)
	if len(key) == 0 {
		return 0, errCorrupt
	}
	n := 1
	switch tag := key[0] ^ flip; {
	case tag == tagFalse, tag == tagTrue, tag == Null, tag == NullBelow,
		tag == tagNegInf, tag == tagZero, tag == tagPosInf, tag == tagNaN:
	case tag >= tagIntZero-8 && tag <= tagIntZero+8:
		n += max(int(tag)-tagIntZero, tagIntZero-int(tag))
	case tag == tagFloat:
		n += 8
	case tag == tagUUID:
		n += 16
	case tag == tagBytes:
		return bytesLen(key, flip)
	case tag == tagPair, tag == tagCollated:
		return pairLen(key, desc)
	case tag == tagArray:
		return arrayLen(key, desc)
	case tag == tagRecord:
		return recordLen(key, desc)
	case tag == tagRange, tag == tagRanges:
		return rangeLen(key, desc)
	case tag == tagJSON:
		return documentLen(key, desc)
	case tag == tagPositive, tag == tagNegative:
		end := flip
		if tag == tagNegative {
			end = ^flip
		}
		if len(key) < 5 {
			return 0, errCorrupt
		}
		i := bytes.IndexByte(key[5:], end)
		if i < 0 {
			return 0, errCorrupt
		}
		n += 4 + i + 1
	default:
		return 0, errCorrupt
	}
	if n > len(key) {
		return 0, errCorrupt
	}
	return n, nil
}

// pairLen is the length of a tag and two values.
func pairLen(key []byte, desc bool) (int, error) {
	n := 1
	for range 2 {
		m, err := Len(key[n:], desc)
		if err != nil {
			return 0, err
		}
		n += m
	}
	return n, nil
}

func bytesLen(key []byte, flip byte) (int, error) {
	for i := 1; i+1 < len(key); i++ {
		if key[i] != flip {
			continue
		}
		switch key[i+1] ^ flip {
		case 1:
			return i + 2, nil
		case 0xff:
			i++
		default:
			return 0, errCorrupt
		}
	}
	return 0, errCorrupt
}

// decode reads one whole ascending encoding.
func decode(enc []byte, t types.T) (types.Value, error) {
	switch tag := enc[0]; {
	case tag == Null, tag == NullBelow:
		return types.Null, nil
	case tag == tagFalse, tag == tagTrue:
		return types.NewBool(tag == tagTrue), nil
	case tag >= tagIntZero-8 && tag <= tagIntZero+8:
		return decodeInt(enc, t.Kind())
	case tag == tagPair:
		return decodePair(enc, t.Kind())
	case tag == tagFloat:
		return types.NewFloat(FloatOf(binary.BigEndian.Uint64(enc[1:]))), nil
	case tag == tagUUID:
		return types.NewUUID([16]byte(enc[1:])), nil
	case tag == tagBytes:
		p := bytes.ReplaceAll(enc[1:len(enc)-2], []byte{0, 0xff}, []byte{0})
		switch t.Kind() {
		case types.KindBytes:
			return types.NewBytes(p), nil
		case types.KindBpchar:
			return types.NewBpchar(string(p)), nil
		case types.KindCitext:
			return types.NewCitext(string(p)), nil
		case types.KindEnum:
			return t.Labelled(types.NewEnum(string(p), "")), nil
		case types.KindCollated:
			if t.Collation.Order.Deterministic() {
				return types.Null, errCorrupt // they have texts behind their sort keys
			}
			return t.OfSortKey(p), nil
		}
		return types.NewText(string(p)), nil
	case tag == tagCollated:
		return decodeCollated(enc, t)
	case tag == tagArray:
		return decodeArray(enc, t)
	case tag == tagRecord:
		return decodeRecord(enc, t)
	case tag == tagRange, tag == tagRanges:
		return decodeRange(enc, t)
	case tag == tagJSON:
		return decodeDocument(enc)
	default:
		return decodeNumeric(enc)
	}
}

func decodeInt(enc []byte, kind types.Kind) (types.Value, error) {
	v := uint64(0)
	if enc[0] < tagIntZero {
		v = math.MaxUint64
	}
	for _, c := range enc[1:] {
		v = v<<8 | uint64(c)
	}
	switch kind {
	case types.KindDate:
		if int64(v) != int64(int32(v)) {
			return types.Null, errCorrupt
		}
		return types.NewDate(int32(v)), nil
	case types.KindTimestamp:
		return types.NewTimestamp(int64(v)), nil
	case types.KindTime:
		return types.NewTime(int64(v)), nil
	default:
		return types.NewInt(int64(v)), nil
	}
}

// decodePair reads a timetz or an interval; an interval may come back with more months
// and fewer days, which are equal.
func decodePair(enc []byte, kind types.Kind) (types.Value, error) {
	var parts [2]int64
	enc = enc[1:]
	for i := range parts {
		n, err := Len(enc, false)
		if err != nil {
			return types.Null, err
		}
		v, err := decode(enc[:n], types.Int8)
		if err != nil || v.Kind() != types.KindInt {
			return types.Null, errCorrupt
		}
		parts[i], enc = v.Int(), enc[n:]
	}
	switch {
	case kind == types.KindInterval:
		return types.NewInterval(interval.OfOrdered(parts[0], parts[1])), nil
	case kind == types.KindTimetz && parts[1] == int64(int32(parts[1])):
		return types.NewTimetz(parts[0]-parts[1]*1_000_000, int32(parts[1])), nil
	}
	return types.Null, errCorrupt
}

// FloatOf undoes the order of the bits of a float.
func FloatOf(b uint64) float64 {
	switch {
	case b == math.MaxUint64:
		return math.NaN()
	case b>>63 != 0:
		return math.Float64frombits(b &^ (1 << 63))
	default:
		return math.Float64frombits(^b)
	}
}

// maxDigits is more than a numeric has on either side of its point, so that no bytes
// make a number that fills the memory.
const maxDigits = 1 << 18

func decodeNumeric(enc []byte) (types.Value, error) {
	d := &apd.Decimal{}
	switch enc[0] {
	case tagNaN:
		d.Form = apd.NaN
	case tagNegInf, tagPosInf:
		d.Form, d.Negative = apd.Infinite, enc[0] == tagNegInf
	case tagZero:
	default:
		body := enc[1:]
		if enc[0] == tagNegative {
			body = bytes.Clone(body)
			invert(body)
			d.Negative = true
		}
		exponent := int64(binary.BigEndian.Uint32(body)) - 1<<31
		digits := make([]byte, 0, 2*len(body))
		for _, pair := range body[4 : len(body)-1] {
			if pair == 0 || pair > 100 {
				return types.Null, errCorrupt
			}
			digits = append(digits, '0'+(pair-1)/10, '0'+(pair-1)%10)
		}
		for int64(len(digits)) < min(exponent, maxDigits) {
			digits = append(digits, '0') // a scale is never below 0
		}
		scale := int64(len(digits)) - exponent
		if scale < 0 || scale > maxDigits {
			return types.Null, errCorrupt
		}
		if _, ok := d.Coeff.SetString(string(digits), 10); !ok {
			return types.Null, errCorrupt
		}
		d.Exponent = int32(-scale)
	}
	return types.NewNumeric(d), nil
}
