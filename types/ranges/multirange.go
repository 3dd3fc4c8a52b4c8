package ranges

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// Multirange is ranges in order, none of which is empty, overlaps another one or touches it.
type Multirange[V Value[V]] []Range[V]

// Join is the multirange of all values of some ranges.
func Join[V Value[V]](list ...Range[V]) Multirange[V] {
	list = slices.DeleteFunc(slices.Clone(list), func(r Range[V]) bool { return r.Empty })
	slices.SortStableFunc(list, Compare[V])
	var out Multirange[V]
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
func CompareMulti[V Value[V]](a, b Multirange[V]) int {
	for i := range min(len(a), len(b)) {
		if order := Compare(a[i], b[i]); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(a), len(b))
}

// AppendMultiText appends the text form, in which value writes values.
func AppendMultiText[V Value[V]](dst []byte, m Multirange[V], value func(dst []byte, v V) []byte) []byte {
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
func AppendMultiBinary[V Value[V]](dst []byte, m Multirange[V], value func(dst []byte, v V) []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(m)))
	for _, r := range m {
		dst = appendCounted(dst, func(dst []byte) []byte { return AppendBinary(dst, r, value) })
	}
	return dst
}

// ParseMultiBinary reads the binary form, in which value reads values.
func (s *Subtype[V]) ParseMultiBinary(p []byte, value func(p []byte) (V, error)) (Multirange[V], error) {
	if len(p) < 4 {
		return nil, short()
	}
	n := binary.BigEndian.Uint32(p)
	p = p[4:]
	var list []Range[V]
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
		return nil, long()
	}
	return Join(list...), nil
}

// ParseMulti reads the text form, in which value reads values.
func (s *Subtype[V]) ParseMulti(text string, value func(text string) (V, error)) (Multirange[V], error) {
	r := &reader{text: text}
	fail := func(detail string) error { return malformed("multirange", text, detail) }
	if r.skip(); r.next() != '{' {
		return nil, fail("Missing left brace.")
	}
	r.at++
	var list []Range[V]
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
