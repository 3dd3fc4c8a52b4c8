// Package ranges holds ranges and multiranges of values: their order, their operators, and their text and binary
// forms. Values of the type that a range is over are here bytes in the order of the type, which package types makes
// and reads. What is held of a range, and of a multirange, is again bytes in order, so keys of indexes have them as
// they are. Read Range and Encode first.
package ranges

import (
	"bytes"
	"encoding/binary"
	"slices"

	"zproxy/sqlerr"
)

// Bound is an end of a range.
type Bound struct {
	Infinite  bool // no value bounds the range
	Inclusive bool
	Key       []byte // the value, in order
	Form      []byte // what of the value is not in Key, such as the scale of a number
}

// Range is the values between two bounds, or none.
type Range struct {
	Empty        bool
	Lower, Upper Bound
}

// Subtype is what ranges over a type need to know of it.
type Subtype struct {
	// KeySize is the length of keys; 0: they end by themselves, which End finds.
	KeySize int
	End     func(p []byte) int
	// FormSize is the length of Form.
	FormSize int
	// Next is the value behind one, of types whose values are countable; nil for others. A value that has none is the
	// same again.
	Next func(key []byte) ([]byte, error)
}

// compareBounds orders two lower or two upper bounds, or one of each.
func compareBounds(a, b Bound, aLower, bLower bool) int {
	switch {
	case a.Infinite && b.Infinite:
		switch {
		case aLower == bLower:
			return 0
		case aLower:
			return -1
		}
		return 1
	case a.Infinite:
		if aLower {
			return -1
		}
		return 1
	case b.Infinite:
		if bLower {
			return 1
		}
		return -1
	}
	if order := bytes.Compare(a.Key, b.Key); order != 0 {
		return order
	}
	return side(a, aLower) - side(b, bLower)
}

// side is where a bound lies beside its value: an exclusive upper one before it, an exclusive lower one behind it.
func side(b Bound, lower bool) int {
	switch {
	case b.Inclusive:
		return 0
	case lower:
		return 1
	}
	return -1
}

// Compare orders ranges as PostgreSQL does: an empty one first, then by lower and by upper bounds.
func Compare(a, b Range) int {
	switch {
	case a.Empty && b.Empty:
		return 0
	case a.Empty:
		return -1
	case b.Empty:
		return 1
	}
	if order := compareBounds(a.Lower, b.Lower, true, true); order != 0 {
		return order
	}
	return compareBounds(a.Upper, b.Upper, false, false)
}

// Make is the range between two bounds in its canonical form.
func (s *Subtype) Make(lower, upper Bound) (Range, error) {
	lower.Inclusive = lower.Inclusive && !lower.Infinite
	upper.Inclusive = upper.Inclusive && !upper.Infinite
	if !lower.Infinite && !upper.Infinite {
		order := bytes.Compare(lower.Key, upper.Key)
		if order > 0 {
			return Range{}, sqlerr.New(sqlerr.DataException,
				"range lower bound must be less than or equal to range upper bound")
		}
		if order == 0 && !(lower.Inclusive && upper.Inclusive) {
			return Range{Empty: true}, nil
		}
	}
	r := Range{Lower: lower, Upper: upper}
	if s.Next == nil {
		return r, nil
	}
	if err := s.count(&r.Lower, false); err != nil {
		return r, err
	}
	if err := s.count(&r.Upper, true); err != nil {
		return r, err
	}
	if !r.Lower.Infinite && !r.Upper.Infinite && bytes.Compare(r.Lower.Key, r.Upper.Key) >= 0 &&
		!(r.Lower.Inclusive && r.Upper.Inclusive) {
		return Range{Empty: true}, nil
	}
	return r, nil
}

// count moves a bound that is inclusive, or one that is not, to the next value, on the other side of which it is.
func (s *Subtype) count(b *Bound, inclusive bool) error {
	if b.Infinite || b.Inclusive != inclusive {
		return nil
	}
	next, err := s.Next(b.Key)
	if err != nil {
		return err
	}
	if !bytes.Equal(next, b.Key) {
		b.Key, b.Inclusive = next, !inclusive
	}
	return nil
}

// The bytes that a held range has beside keys, in order.
const (
	heldEmpty         = 0
	heldLowerInfinite = 1
	heldLower         = 2

	heldUpper         = 1
	heldUpperInfinite = 2

	heldBefore = 1 // of a value: an inclusive lower bound, an exclusive upper one
	heldBehind = 2
)

// Encode appends what is held of a range. Bytes of ranges are ordered as ranges are.
func (s *Subtype) Encode(dst []byte, r Range) []byte {
	if r.Empty {
		return append(dst, heldEmpty)
	}
	if r.Lower.Infinite {
		dst = append(dst, heldLowerInfinite)
	} else {
		dst = append(append(dst, heldLower), r.Lower.Key...)
		dst = append(dst, heldSide(!r.Lower.Inclusive))
	}
	if r.Upper.Infinite {
		dst = append(dst, heldUpperInfinite)
	} else {
		dst = append(append(dst, heldUpper), r.Upper.Key...)
		dst = append(dst, heldSide(r.Upper.Inclusive))
	}
	if !r.Lower.Infinite {
		dst = append(dst, r.Lower.Form...)
	}
	if !r.Upper.Infinite {
		dst = append(dst, r.Upper.Form...)
	}
	return dst
}

func heldSide(behind bool) byte {
	if behind {
		return heldBehind
	}
	return heldBefore
}

// Decode reads what Encode wrote, and is what is behind it.
func (s *Subtype) Decode(p []byte) (r Range, rest []byte) {
	if p[0] == heldEmpty {
		return Range{Empty: true}, p[1:]
	}
	if r.Lower.Infinite = p[0] == heldLowerInfinite; r.Lower.Infinite {
		p = p[1:]
	} else {
		p = s.key(&r.Lower, p[1:])
		r.Lower.Inclusive, p = p[0] == heldBefore, p[1:]
	}
	if r.Upper.Infinite = p[0] == heldUpperInfinite; r.Upper.Infinite {
		p = p[1:]
	} else {
		p = s.key(&r.Upper, p[1:])
		r.Upper.Inclusive, p = p[0] == heldBehind, p[1:]
	}
	if !r.Lower.Infinite {
		r.Lower.Form, p = p[:s.FormSize], p[s.FormSize:]
	}
	if !r.Upper.Infinite {
		r.Upper.Form, p = p[:s.FormSize], p[s.FormSize:]
	}
	return r, p
}

func (s *Subtype) key(b *Bound, p []byte) []byte {
	n := s.KeySize
	if n == 0 {
		n = s.End(p)
	}
	b.Key = p[:n:n]
	return p[n:]
}

// The flags of the binary form.
const (
	flagEmpty          = 0x01
	flagLowerInclusive = 0x02
	flagUpperInclusive = 0x04
	flagLowerInfinite  = 0x08
	flagUpperInfinite  = 0x10
)

// AppendBinary appends the binary form, in which value writes values.
func AppendBinary(dst []byte, r Range, value func(dst []byte, b Bound) []byte) []byte {
	if r.Empty {
		return append(dst, flagEmpty)
	}
	flags := byte(0)
	for _, f := range []struct {
		set bool
		as  byte
	}{
		{r.Lower.Inclusive, flagLowerInclusive}, {r.Upper.Inclusive, flagUpperInclusive},
		{r.Lower.Infinite, flagLowerInfinite}, {r.Upper.Infinite, flagUpperInfinite},
	} {
		if f.set {
			flags |= f.as
		}
	}
	dst = append(dst, flags)
	for _, b := range []Bound{r.Lower, r.Upper} {
		if !b.Infinite {
			dst = appendCounted(dst, func(dst []byte) []byte { return value(dst, b) })
		}
	}
	return dst
}

func appendCounted(dst []byte, write func(dst []byte) []byte) []byte {
	start := len(dst)
	dst = write(append(dst, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

func short() error {
	return sqlerr.New(sqlerr.ProtocolViolation, "insufficient data left in message")
}

// counted cuts what stands behind its length.
func counted(p []byte) (part, rest []byte, err error) {
	if len(p) < 4 {
		return nil, nil, short()
	}
	n := int(int32(binary.BigEndian.Uint32(p)))
	if p = p[4:]; n < 0 || n > len(p) {
		return nil, nil, short()
	}
	return p[:n], p[n:], nil
}

// ParseBinary reads the binary form, in which value reads values.
func (s *Subtype) ParseBinary(p []byte, value func(p []byte) (Bound, error)) (Range, error) {
	if len(p) == 0 {
		return Range{}, short()
	}
	flags := p[0]
	p = p[1:]
	bound := func(infinite, inclusive byte) (b Bound, err error) {
		if flags&(infinite|flagEmpty) != 0 {
			return Bound{Infinite: true}, nil
		}
		var part []byte
		if part, p, err = counted(p); err != nil {
			return b, err
		}
		b, err = value(slices.Clone(part))
		b.Inclusive = flags&inclusive != 0
		return b, err
	}
	lower, err := bound(flagLowerInfinite, flagLowerInclusive)
	if err != nil {
		return Range{}, err
	}
	upper, err := bound(flagUpperInfinite, flagUpperInclusive)
	switch {
	case err != nil:
		return Range{}, err
	case len(p) > 0:
		return Range{}, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid range data")
	case flags&flagEmpty != 0:
		return Range{Empty: true}, nil
	}
	return s.Make(lower, upper)
}
