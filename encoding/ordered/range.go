package ordered

import (
	"zproxy/types"
)

// What a range has but for its bounds, in the order of ranges: an empty one is the first, then the lower bounds come
// and behind each of them the upper ones. A multirange has its ranges one after the other, and an end below all.
const (
	rangesEnd     = 0x01
	rangeEmpty    = 0x02
	lowerInfinite = 0x03
	lowerBound    = 0x04
	upperBound    = 0x05
	upperInfinite = 0x06
	beforeValue   = 0x07 // of a value: an inclusive lower bound, an exclusive upper one
	afterValue    = 0x08
)

func appendRange(dst []byte, r *types.RangeValue) []byte {
	if !r.Multi {
		return appendBounds(append(dst, tagRange), &r.Ranges[0])
	}
	dst = append(dst, tagRanges)
	for i := range r.Ranges {
		dst = appendBounds(dst, &r.Ranges[i])
	}
	return append(dst, rangesEnd)
}

func appendBounds(dst []byte, r *types.Range) []byte {
	if r.Empty {
		return append(dst, rangeEmpty)
	}
	dst = appendBound(dst, r.Lower, lowerBound, lowerInfinite, !r.Lower.Inclusive)
	return appendBound(dst, r.Upper, upperBound, upperInfinite, r.Upper.Inclusive)
}

func appendBound(dst []byte, b types.RangeBound, finite, infinite byte, behind bool) []byte {
	if b.Infinite {
		return append(dst, infinite)
	}
	dst = appendAscending(append(dst, finite), b.Value)
	if behind {
		return append(dst, afterValue)
	}
	return append(dst, beforeValue)
}

// rangeLen is the number of bytes of the encoding of a range or a multirange.
func rangeLen(key []byte, desc bool) (int, error) {
	flip := flipped(desc)
	several := key[0]^flip == tagRanges
	for n := 1; n < len(key); {
		switch head := key[n] ^ flip; {
		case head == rangesEnd && several:
			return n + 1, nil
		case head == rangeEmpty, head == upperInfinite, head == lowerInfinite:
			if n++; !several && head != lowerInfinite {
				return n, nil
			}
		case head == lowerBound, head == upperBound:
			size, err := Len(key[n+1:], desc)
			if err != nil {
				return 0, err
			}
			if n += size + 2; n > len(key) {
				return 0, errCorrupt
			}
			if !several && head == upperBound {
				return n, nil
			}
		default:
			return 0, errCorrupt
		}
	}
	return 0, errCorrupt
}

// decodeRange reads one whole ascending encoding.
func decodeRange(enc []byte, t types.T) (types.Value, error) {
	of := t.Range()
	if of == nil {
		return types.Null, errCorrupt
	}
	var list types.Multirange
	for rest := enc[1:]; len(rest) > 0 && rest[0] != rangesEnd; {
		var r types.Range
		var err error
		if r, rest, err = decodeBounds(rest, of.Subtype); err != nil {
			return types.Null, err
		}
		list = append(list, r)
	}
	switch {
	case enc[0] == tagRanges && t.OID == of.Multirange:
		return of.MultiValue(list), nil
	case enc[0] == tagRange && t.OID == of.OID && len(list) == 1:
		return of.Value(list[0]), nil
	}
	return types.Null, errCorrupt
}

func decodeBounds(enc []byte, of types.T) (r types.Range, rest []byte, err error) {
	if enc[0] == rangeEmpty {
		return types.Range{Empty: true}, enc[1:], nil
	}
	if r.Lower, rest, err = decodeBound(enc, of, lowerBound, lowerInfinite); err != nil {
		return r, nil, err
	}
	r.Lower.Inclusive = !r.Lower.Inclusive && !r.Lower.Infinite
	r.Upper, rest, err = decodeBound(rest, of, upperBound, upperInfinite)
	return r, rest, err
}

// decodeBound reads a bound, which is inclusive if it lies behind its value.
func decodeBound(enc []byte, of types.T, finite, infinite byte) (b types.RangeBound, rest []byte, err error) {
	switch {
	case len(enc) == 0:
		return b, nil, errCorrupt
	case enc[0] == infinite:
		return types.RangeBound{Infinite: true}, enc[1:], nil
	case enc[0] != finite:
		return b, nil, errCorrupt
	}
	if b.Value, rest, err = Decode(enc[1:], of.Base(), false); err != nil {
		return b, nil, err
	}
	if len(rest) == 0 || b.Value.IsNull() {
		return b, nil, errCorrupt
	}
	b.Inclusive = rest[0] == afterValue
	return b, rest[1:], nil
}
