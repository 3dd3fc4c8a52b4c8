package ranges

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"zproxy/sqlerr"
)

// Multirange is ranges in order, none of which is empty, overlaps another one or touches it.
type Multirange []Range

// Join is the multirange of all values of some ranges.
func Join(list ...Range) Multirange {
	list = slices.DeleteFunc(slices.Clone(list), func(r Range) bool { return r.Empty })
	slices.SortStableFunc(list, Compare)
	var out Multirange
	for _, r := range list {
		last := len(out) - 1
		if last >= 0 && (out[last].Overlaps(r) || out[last].Adjacent(r)) {
			out[last], _ = out[last].Union(r)
			continue
		}
		out = append(out, r)
	}
	return out
}

// CompareMulti orders multiranges: by their ranges one after the other.
func CompareMulti(a, b Multirange) int {
	for i := range min(len(a), len(b)) {
		if order := Compare(a[i], b[i]); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(a), len(b))
}

// The bytes that a held multirange has before all ranges, before each one, and behind the last one.
const (
	heldFixed = 'f' // keys have one length
	heldSelf  = 's' // keys end by themselves

	heldEnd  = 0
	heldMore = 1
)

// EncodeMulti appends what is held of a multirange, whose bytes are ordered as multiranges are.
func (s *Subtype) EncodeMulti(dst []byte, m Multirange) []byte {
	first := byte(heldFixed)
	if s.KeySize == 0 {
		first = heldSelf
	}
	dst = append(dst, first)
	for _, r := range m {
		dst = s.Encode(append(dst, heldMore), r)
	}
	return append(dst, heldEnd)
}

// DecodeMulti reads what EncodeMulti wrote.
func (s *Subtype) DecodeMulti(p []byte) Multirange {
	var out Multirange
	for p = p[1:]; p[0] == heldMore; {
		var r Range
		r, p = s.Decode(p[1:])
		out = append(out, r)
	}
	return out
}

// SelfDelimited says of a held multirange whether the keys in it end by themselves.
func SelfDelimited(p []byte) bool { return p[0] == heldSelf }

// AppendMultiText appends the text form, in which value writes values.
func AppendMultiText(dst []byte, m Multirange, value func(dst []byte, b Bound) []byte) []byte {
	dst = append(dst, '{')
	for i, r := range m {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendText(dst, r, value)
	}
	return append(dst, '}')
}

// AppendMultiBinary appends the binary form, in which value writes values.
func AppendMultiBinary(dst []byte, m Multirange, value func(dst []byte, b Bound) []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(m)))
	for _, r := range m {
		dst = appendCounted(dst, func(dst []byte) []byte { return AppendBinary(dst, r, value) })
	}
	return dst
}

// ParseMultiBinary reads the binary form, in which value reads values.
func (s *Subtype) ParseMultiBinary(p []byte, value func(p []byte) (Bound, error)) (Multirange, error) {
	if len(p) < 4 {
		return nil, short()
	}
	n := binary.BigEndian.Uint32(p)
	p = p[4:]
	var list []Range
	for range n {
		part, rest, err := counted(p)
		if err != nil {
			return nil, err
		}
		r, err := s.ParseBinary(part, value)
		if err != nil {
			return nil, err
		}
		list, p = append(list, r), rest
	}
	if len(p) > 0 {
		return nil, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid multirange data")
	}
	return Join(list...), nil
}

// ParseMulti reads the text form, in which value reads values.
func (s *Subtype) ParseMulti(text string, value func(text string) (Bound, error)) (Multirange, error) {
	r := &reader{text: text}
	fail := func(detail string) error { return malformed("multirange", text, detail) }
	if r.skip(); r.next() != '{' {
		return nil, fail("Missing left brace.")
	}
	r.at++
	var list []Range
	for first := true; ; first = false {
		r.skip()
		if r.next() == '}' && first {
			break
		}
		part, detail := r.part()
		if detail != "" {
			return nil, fail(detail)
		}
		one, err := s.Parse(part, value)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		if r.skip(); r.next() == '}' {
			break
		}
		if r.at >= len(text) {
			return nil, fail("Unexpected end of input.")
		}
		if r.next() != ',' {
			return nil, fail("Expected comma or end of multirange.")
		}
		r.at++
	}
	r.at++
	if r.skip(); r.at < len(text) {
		return nil, fail("Junk after closing right brace.")
	}
	return Join(list...), nil
}

// part cuts a range of a multirange, or says what is wrong with it.
func (r *reader) part() (text, detail string) {
	start := r.at
	const empty = "empty"
	switch c := r.next(); {
	case r.at >= len(r.text):
		return "", "Unexpected end of input."
	case c == '[' || c == '(':
	case len(r.text)-r.at >= len(empty) && strings.EqualFold(r.text[r.at:r.at+len(empty)], empty):
		r.at += len(empty)
		return empty, ""
	default:
		return "", "Expected range start."
	}
	quoted := false
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '\\':
			r.at++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ')' || c == ']'):
			r.at++
			return r.text[start:r.at], ""
		}
	}
	return "", "Unexpected end of input."
}
