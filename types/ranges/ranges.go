// Package ranges holds ranges and multiranges of values: their order, their operators, and their text and binary
// forms. Of the values that a range is over it knows only how they compare; package types gives it values of SQL, and
// writes and reads them. Read Range and Subtype first.
package ranges

import (
	"encoding/binary"
	"slices"

	"zproxy/sqlerr"
)

// Value is what ranges are over.
type Value[V any] interface {
	// Compare orders two values: it is below 0, 0 or above.
	Compare(o V) int
}

// Bound is an end of a range.
type Bound[V Value[V]] struct {
	Infinite  bool // no value bounds the range
	Inclusive bool
	Value     V
}

// Range is the values between two bounds, or none.
type Range[V Value[V]] struct {
	Empty        bool
	Lower, Upper Bound[V]
}

// Subtype is what making ranges over a type needs to know of it.
type Subtype[V Value[V]] struct {
	// Next is the value behind one, of types whose values are countable; nil for others. A value that has none is the
	// same again.
	Next func(v V) (V, error)
}

// compareBounds orders two lower or two upper bounds, or one of each.
func compareBounds[V Value[V]](a, b Bound[V], aLower, bLower bool) int {
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
	if order := a.Value.Compare(b.Value); order != 0 {
		return order
	}
	return side(a, aLower) - side(b, bLower)
}

// side is where a bound lies beside its value: an exclusive upper one before it, an exclusive lower one behind it.
func side[V Value[V]](b Bound[V], lower bool) int {
	switch {
	case b.Inclusive:
		return 0
	case lower:
		return 1
	}
	return -1
}

// Compare orders ranges as PostgreSQL does: an empty one first, then by lower and by upper bounds.
func Compare[V Value[V]](a, b Range[V]) int {
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
func (s *Subtype[V]) Make(lower, upper Bound[V]) (Range[V], error) {
	lower.Inclusive = lower.Inclusive && !lower.Infinite
	upper.Inclusive = upper.Inclusive && !upper.Infinite
	if !lower.Infinite && !upper.Infinite {
		order := lower.Value.Compare(upper.Value)
		if order > 0 {
			return Range[V]{}, sqlerr.New(sqlerr.DataException,
				"range lower bound must be less than or equal to range upper bound")
		}
		if order == 0 && !(lower.Inclusive && upper.Inclusive) {
			return Range[V]{Empty: true}, nil
		}
	}
	r := Range[V]{Lower: lower, Upper: upper}
	if s.Next == nil {
		return r, nil
	}
	if err := s.count(&r.Lower, false); err != nil {
		return r, err
	}
	if err := s.count(&r.Upper, true); err != nil {
		return r, err
	}
	if !r.Lower.Infinite && !r.Upper.Infinite && r.Lower.Value.Compare(r.Upper.Value) >= 0 &&
		!(r.Lower.Inclusive && r.Upper.Inclusive) {
		return Range[V]{Empty: true}, nil
	}
	return r, nil
}

// count moves a bound that is inclusive, or one that is not, to the next value, on the other side of which it is.
func (s *Subtype[V]) count(b *Bound[V], inclusive bool) error {
	if b.Infinite || b.Inclusive != inclusive {
		return nil
	}
	next, err := s.Next(b.Value)
	if err != nil {
		return err
	}
	if next.Compare(b.Value) != 0 {
		b.Value, b.Inclusive = next, !inclusive
	}
	return nil
}

// The flags of the binary form.
const (
	flagEmpty          = 0x01
	flagLowerInclusive = 0x02
	flagUpperInclusive = 0x04
	flagLowerInfinite  = 0x08
	flagUpperInfinite  = 0x10
)

// Flags is what a range says of its bounds, as the binary form begins.
func (r *Range[V]) Flags() byte {
	if r.Empty {
		return flagEmpty
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
	return flags
}

// WithFlags is the range of two values that has these flags.
func WithFlags[V Value[V]](flags byte, lower, upper V) Range[V] {
	if flags&flagEmpty != 0 {
		return Range[V]{Empty: true}
	}
	return Range[V]{
		Lower: Bound[V]{flags&flagLowerInfinite != 0, flags&flagLowerInclusive != 0, lower},
		Upper: Bound[V]{flags&flagUpperInfinite != 0, flags&flagUpperInclusive != 0, upper},
	}
}

// AppendBinary appends the binary form, in which value writes values.
func AppendBinary[V Value[V]](dst []byte, r Range[V], value func(dst []byte, v V) []byte) []byte {
	dst = append(dst, r.Flags())
	if r.Empty {
		return dst
	}
	for _, b := range []Bound[V]{r.Lower, r.Upper} {
		if !b.Infinite {
			dst = appendCounted(dst, func(dst []byte) []byte { return value(dst, b.Value) })
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

func long() error { return sqlerr.New(sqlerr.ProtocolViolation, "invalid message format") }

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
func (s *Subtype[V]) ParseBinary(p []byte, value func(p []byte) (V, error)) (Range[V], error) {
	if len(p) == 0 {
		return Range[V]{}, sqlerr.New(sqlerr.ProtocolViolation, "no data left in message")
	}
	flags := p[0]
	p = p[1:]
	bound := func(infinite, inclusive byte) (b Bound[V], err error) {
		if flags&(infinite|flagEmpty) != 0 {
			return Bound[V]{Infinite: true}, nil
		}
		var part []byte
		if part, p, err = counted(p); err != nil {
			return b, err
		}
		b.Value, err = value(slices.Clone(part))
		b.Inclusive = flags&inclusive != 0
		return b, err
	}
	lower, err := bound(flagLowerInfinite, flagLowerInclusive)
	if err != nil {
		return Range[V]{}, err
	}
	upper, err := bound(flagUpperInfinite, flagUpperInclusive)
	switch {
	case err != nil:
		return Range[V]{}, err
	case len(p) > 0:
		return Range[V]{}, long()
	case flags&flagEmpty != 0:
		return Range[V]{Empty: true}, nil
	}
	return s.Make(lower, upper)
}
