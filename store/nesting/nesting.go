// Package nesting tells items apart that lie in one space though they are of several. An item may lie behind that of
// its parent, in the same partition: so a parent and its children are one range. A scan of one of the spaces leaves
// out the items of the others by their keys, and jumps over them.
package nesting

import (
	"bytes"
	"slices"

	"zproxy/encoding/ordered"
)

// Host is the space in which the items of a space lie, and how to know them there: the key of an item is that of its
// parent, a marker, and parts of its own. A space in which others lie is its own host.
type Host struct {
	ID   uint64
	Name string
	// Partition is how many of the Parts make the partition key.
	Partition int
	Parts     []Part // of a whole key, in order
	// With are the parts of keys of other spaces, whose items a scan has, too.
	With [][]Part `json:",omitempty"`
}

// Part is a part of a key: the encoding of a value, or a marker.
type Part struct {
	Desc   bool   `json:",omitempty"`
	Marker []byte `json:",omitempty"` // nil: a value
}

// In is a whole key of the space as one of another space, whose keys differ from these in their markers alone; nil: it
// is no key of the space.
func (h *Host) In(to *Host, key []byte) []byte {
	var out []byte
	for i := range h.Parts {
		n := h.Parts[i].size(key)
		if n == 0 {
			return nil
		}
		own := key[:n]
		if h.Parts[i].Marker != nil {
			own = to.Parts[i].Marker
		}
		out, key = append(out, own...), key[n:]
	}
	return append(out, key...)
}

// Keys knows which keys are those of the items of a scan of the space. It sees whole keys or sort keys.
func (h *Host) Keys(whole bool) *Keys {
	front := h.Partition
	if whole {
		front = 0
	}
	k := &Keys{shapes: []shape{h.Parts[front:]}}
	for _, with := range h.With {
		k.shapes = append(k.shapes, with[front:])
	}
	return k
}

// Keys are the keys that have one of some shapes. It is a store.Skipper.
type Keys struct{ shapes []shape }

// shape is the parts of a key, just these.
type shape []Part

// size is how many bytes of a key are of a part that the key goes on with; 0: it does not go on with one.
func (p *Part) size(key []byte) int {
	if p.Marker != nil {
		if bytes.HasPrefix(key, p.Marker) {
			return len(p.Marker)
		}
		return 0
	}
	if len(key) == 0 {
		return 0
	}
	n, err := ordered.Len(key, p.Desc)
	if err != nil {
		return 0
	}
	return n
}

// Wanted implements store.Skipper.
func (k *Keys) Wanted(key []byte) bool {
	for _, s := range k.shapes {
		if s.has(key) {
			return true
		}
	}
	return false
}

// Next appends the least key that may be wanted and is not below another.
func (k *Keys) Next(dst, key []byte) ([]byte, bool) {
	front, found := len(dst), false
	for _, s := range k.shapes {
		from := len(dst)
		next, ok := s.next(dst, key)
		switch {
		case !ok:
		case !found:
			dst, found = next, true
		case bytes.Compare(next[from:], next[front:from]) < 0:
			dst = slices.Delete(next, front, from)
		}
	}
	return dst, found
}

// has says whether a key has the shape.
func (s shape) has(key []byte) bool {
	for i := range s {
		n := s[i].size(key)
		if n == 0 {
			return false
		}
		key = key[n:]
	}
	return len(key) == 0
}

// next appends the least key that may have the shape and is not below another. Behind an item that is nested
// deeper comes what is not nested in the same parent.
func (s shape) next(dst, key []byte) ([]byte, bool) {
	at := 0
	for i := range s {
		p := &s[i]
		if n := p.size(key[at:]); n > 0 {
			at += n
			continue
		}
		switch {
		case p.Marker == nil: // the key is a bound, or an ancestor's: it is below all keys that go on with a value
			return append(dst, key...), true
		case bytes.Compare(key[at:], p.Marker) < 0:
			return append(append(dst, key[:at]...), p.Marker...), true
		}
		return behind(dst, key[:at])
	}
	if at == len(key) {
		return append(dst, key...), true
	}
	return behind(dst, key[:at])
}

// behind appends the least key that does not begin with a prefix.
func behind(dst, prefix []byte) ([]byte, bool) {
	next := ordered.Successor(prefix)
	return append(dst, next...), next != nil
}
