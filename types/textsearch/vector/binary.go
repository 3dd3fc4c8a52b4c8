package vector

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"zproxy/types/form"
)

// AppendBinary appends the binary form of a tsvector: the number of lexemes, and for each its text up to a zero byte,
// the number of its positions, and the positions.
func AppendBinary(dst, held []byte) []byte {
	v := Decode(held)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v)))
	for _, e := range v {
		dst = append(append(dst, e.Lexeme...), 0)
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(e.Positions)))
		for _, p := range e.Positions {
			dst = binary.BigEndian.AppendUint16(dst, uint16(p))
		}
	}
	return dst
}

// ParseBinary reads the binary form of a tsvector.
func ParseBinary(p []byte) ([]byte, error) {
	if len(p) < 4 {
		return nil, form.TooShort()
	}
	n := int32(binary.BigEndian.Uint32(p))
	if n < 0 {
		return nil, form.InvalidBinary("invalid size of tsvector")
	}
	p = p[4:]
	var v Vector
	for range n {
		e, rest, err := receiveEntry(p)
		if err != nil {
			return nil, err
		}
		v, p = append(v, e), rest
		if v.textSize() > maxText {
			return nil, form.InvalidBinary("invalid tsvector: maximum total lexeme length exceeded")
		}
	}
	if err := form.CheckLength(p, 0); err != nil {
		return nil, err
	}
	slices.SortStableFunc(v, func(a, b Entry) int { return strings.Compare(a.Lexeme, b.Lexeme) })
	return Encode(v), nil
}

func receiveEntry(p []byte) (e Entry, rest []byte, err error) {
	end := bytes.IndexByte(p, 0)
	switch {
	case end < 0:
		return e, nil, form.Unended()
	case len(p) < end+3:
		return e, nil, form.TooShort()
	case end > MaxLexeme:
		return e, nil, form.InvalidBinary("invalid tsvector: lexeme too long")
	}
	e.Lexeme = string(p[:end])
	if err := form.CheckUTF8(e.Lexeme); err != nil {
		return e, nil, err
	}
	n := int(binary.BigEndian.Uint16(p[end+1:]))
	rest = p[end+3:]
	switch {
	case n > maxPositions:
		return e, nil, form.InvalidBinary("unexpected number of tsvector positions")
	case len(rest) < 2*n:
		return e, nil, form.TooShort()
	}
	for i := range n {
		p := Position(binary.BigEndian.Uint16(rest[2*i:]))
		if i > 0 && p.Number() <= e.Positions[i-1].Number() {
			return e, nil, form.InvalidBinary("position information is misordered")
		}
		e.Positions = append(e.Positions, p)
	}
	return e, rest[2*n:], nil
}
