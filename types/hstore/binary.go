package hstore

import (
	"encoding/binary"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// AppendBinary appends the binary format: how many pairs there are, then keys and values, each behind its length.
func (s Set) AppendBinary(dst []byte) []byte {
	pairs := s.Pairs()
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(pairs)))
	for _, p := range pairs {
		dst = appendCounted(dst, p.Key)
		if p.Null {
			dst = binary.BigEndian.AppendUint32(dst, 1<<32-1)
		} else {
			dst = appendCounted(dst, p.Value)
		}
	}
	return dst
}

func appendCounted(dst []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(s))), s...)
}

// mostPairs is how many pairs PostgreSQL has memory for.
const mostPairs = 26843545

// ParseBinary reads the binary format.
func ParseBinary(p []byte) ([]byte, error) {
	r := message{rest: p}
	n, err := r.int32()
	switch {
	case err != nil:
		return nil, err
	case n < 0 || n > mostPairs:
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded,
			"number of pairs (%d) exceeds the maximum allowed (%d)", n, mostPairs)
	}
	var pairs []Pair
	for range n {
		pair, err := r.pair()
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
	}
	return Encode(Unique(pairs)), form.CheckLength(r.rest, 0)
}

// message is what is left of a binary format.
type message struct{ rest []byte }

func (m *message) int32() (int, error) {
	if len(m.rest) < 4 {
		return 0, form.TooShort()
	}
	n := int(int32(binary.BigEndian.Uint32(m.rest)))
	m.rest = m.rest[4:]
	return n, nil
}

func (m *message) pair() (p Pair, err error) {
	if p.Key, p.Null, err = m.text(); err != nil {
		return p, err
	}
	if p.Null {
		return p, NullKey()
	}
	p.Value, p.Null, err = m.text()
	return p, err
}

// text reads a text behind its length; null says that the length is that of none.
func (m *message) text() (s string, null bool, err error) {
	n, err := m.int32()
	switch {
	case err != nil || n < 0:
		return "", true, err
	case n > len(m.rest):
		return "", false, form.TooShort()
	}
	s, m.rest = string(m.rest[:n]), m.rest[n:]
	return s, false, form.CheckUTF8(s)
}

// NullKey is the error of NULL as a key.
func NullKey() error {
	return sqlerr.New(sqlerr.NullValueNotAllowed, "null value not allowed for hstore key")
}
