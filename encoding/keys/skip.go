package keys

import (
	"bytes"
	"slices"
	"sort"

	"zproxy/catalog/part"
	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/encoding/zorder"
	"zproxy/store"
	"zproxy/types"
)

// skipper jumps over the keys that are outside of a box. It is BIGMIN of Tropf and Herzog
// ("Multidimensional range search in dynamically balanced trees", 1981) on digits of any kind:
// a key is digits one after the other, of which each has a set to be in. The next key in the box
// rises at a digit as far right as possible, and has the least digits behind that. A column of a
// composite key is one digit; so is a whole Z-address, in which bits are the digits.
type skipper struct{ digits []digit }

// digit is the set of values that one part of a key may have.
type digit interface {
	// size is how many bytes of a key, from there on, are of the part; 0 if they are not all there.
	size(key []byte) int
	holds(d []byte) bool
	// least appends the least value of the set that is not below d; nil is below all. It says false
	// if there is none. What is appended may be a bound below that value and above all other
	// values below it; whole says that it is the value itself.
	least(dst, d []byte) (out []byte, whole, ok bool)
	// above is least for values above d, which the set holds.
	above(dst, d []byte) (out []byte, whole, ok bool)
}

// Skipper leaves out keys of which one of the first parts of the layout has a value that is not
// in the set of its column. Computed parts may have any. The bytes that it sees are those that
// the bounds of a range are made of: the whole key, or what is behind the partition.
func (c *Codec) Skipper(parts int, sets Sets, whole bool) store.Skipper {
	from := len(c.partition)
	if whole {
		from = 0
	}
	s := &skipper{}
	for i := from; i < parts; i++ {
		p := &c.parts[i]
		set := span.Everything
		if p.Of == nil {
			set = sets(p.ID)
		}
		s.digits = append(s.digits, newValues(set, p))
	}
	return s
}

// Wanted implements store.Skipper. A key that cannot be read is left to its decoder.
func (s *skipper) Wanted(key []byte) bool {
	for _, g := range s.digits {
		n := g.size(key)
		if n == 0 {
			return true
		}
		if !g.holds(key[:n]) {
			return false
		}
		key = key[n:]
	}
	return true
}

// Even implements store.EvenSkipper: no two types of columns lie equally densely.
func (s *skipper) Even() bool {
	_, curve := s.digits[0].(*zcells)
	return curve
}

// WantsAll implements store.EvenSkipper.
func (s *skipper) WantsAll(from, to []byte, _ int) bool {
	z, curve := s.digits[0].(*zcells)
	return curve && len(s.digits) == 1 && slices.ContainsFunc(z.boxes, func(b zorder.Box) bool {
		return holdsAll(&b, z.bits, from, to)
	})
}

// holdsAll says whether a box has all addresses from one to another.
func holdsAll(b *zorder.Box, bits int, from, to []byte) bool {
	n := (bits + 7) / 8
	return len(from) >= n && len(to) >= n && b.ContainsCell(from, to)
}

// Next implements store.Skipper.
func (s *skipper) Next(dst, key []byte) ([]byte, bool) {
	start := len(dst)
	var buf [8]int
	ends := buf[:0] // of the digits so far, all of which are in their sets
	at := 0
	for i, g := range s.digits {
		n := g.size(key[at:])
		if n > 0 && g.holds(key[at:at+n]) {
			at += n
			ends = append(ends, at)
			continue
		}
		if n == 0 {
			n = len(key) - at
		}
		out, whole, ok := g.least(append(dst[:start], key[:at]...), key[at:at+n])
		if ok {
			return s.lows(out, i+1, whole), true
		}
		return s.rise(out[:start], key, ends)
	}
	return append(dst, key...), true
}

// rise goes on above the last of some digits that has another value above.
func (s *skipper) rise(dst, key []byte, ends []int) ([]byte, bool) {
	for i := len(ends) - 1; i >= 0; i-- {
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		out, whole, ok := s.digits[i].above(append(dst, key[:from]...), key[from:ends[i]])
		if ok {
			return s.lows(out, i+1, whole), true
		}
	}
	return dst, false
}

// lows appends the least values of the digits from one on, as far as they are known.
func (s *skipper) lows(dst []byte, from int, whole bool) []byte {
	for _, g := range s.digits[from:] {
		if !whole {
			break
		}
		var ok bool
		if dst, whole, ok = g.least(dst, nil); !ok {
			break
		}
	}
	return dst
}

// zcells are the Z-addresses in one of several boxes.
type zcells struct {
	boxes []zorder.Box // in ascending order of their lowest corners, none of them empty
	bits  int          // of an address
}

// skipper leaves out the addresses outside of the boxes.
func (z *zcells) skipper() store.Skipper {
	if len(z.boxes) == 1 {
		return &boxSkipper{z.boxes[0], (z.bits + 7) / 8}
	}
	return &skipper{digits: []digit{z}}
}

// boxSkipper is the commonest skipper, that of a single box, which is asked for every key.
type boxSkipper struct {
	box    zorder.Box
	length int // of an address
}

// Wanted implements store.Skipper.
func (s *boxSkipper) Wanted(key []byte) bool { return len(key) < s.length || s.box.Contains(key) }

// Next implements store.Skipper.
func (s *boxSkipper) Next(dst, key []byte) ([]byte, bool) {
	if len(key) >= s.length && s.box.Contains(key) {
		return append(dst, key...), true
	}
	return s.box.Next(dst, key)
}

// Even implements store.EvenSkipper.
func (*boxSkipper) Even() bool { return true }

// WantsAll implements store.EvenSkipper.
func (s *boxSkipper) WantsAll(from, to []byte, _ int) bool {
	return holdsAll(&s.box, 8*s.length, from, to)
}

func (z *zcells) size(key []byte) int {
	n := (z.bits + 7) / 8
	if len(key) < n {
		return 0
	}
	return n
}

func (z *zcells) holds(d []byte) bool {
	for i := range z.boxes {
		if z.boxes[i].Contains(d) {
			return true
		}
	}
	return false
}

func (z *zcells) least(dst, d []byte) ([]byte, bool, bool) {
	start, found := len(dst), false
	var buf [64]byte
	for i := range z.boxes {
		if found && bytes.Compare(z.boxes[i].Min(), dst[start:]) >= 0 {
			break
		}
		next, ok := z.boxes[i].Next(buf[:0], d)
		if ok && (!found || bytes.Compare(next, dst[start:]) < 0) {
			dst, found = append(dst[:start], next...), true
		}
	}
	return dst, true, found
}

func (z *zcells) above(dst, d []byte) ([]byte, bool, bool) {
	next, ok := zorder.After(nil, d, z.bits)
	if !ok {
		return dst, false, false
	}
	return z.least(dst, next)
}

func (z *zcells) min() []byte { return z.boxes[0].Min() }

func (z *zcells) max() []byte {
	high := z.boxes[0].Max()
	for i := range z.boxes {
		if bytes.Compare(z.boxes[i].Max(), high) > 0 {
			high = z.boxes[i].Max()
		}
	}
	return high
}

// values are the encodings of the values of a column.
type values struct {
	ranges   []valueRange // in the order of keys, apart from each other
	t        types.T
	desc     bool
	discrete bool // between two values that follow each other there is none
}

// valueRange is an interval of encodings, from one on to below another; a nil to has no end.
type valueRange struct {
	from, to []byte
	whole    bool // from is the encoding of a value, which is in
}

func newValues(set span.Set, p *part.Bound) *values {
	v := &values{t: p.Type, desc: p.Desc}
	switch p.Type.Kind() {
	case types.KindInt, types.KindDate, types.KindTimestamp, types.KindTime:
		v.discrete = true
	}
	for _, in := range set.Intervals {
		from, to := bounds(nil, in, p)
		first, open := in.Low, in.LowOpen
		if p.Desc {
			first, open = in.High, in.HighOpen
		}
		v.ranges = append(v.ranges, valueRange{from, to, !first.IsNull() && !open})
	}
	if set.Null {
		null := p.Append(nil, types.Null)
		v.ranges = append(v.ranges, valueRange{null, ordered.Successor(null), true})
	}
	slices.SortFunc(v.ranges, func(a, b valueRange) int { return bytes.Compare(a.from, b.from) })
	return v
}

func (v *values) size(key []byte) int {
	n, err := ordered.Len(key, v.desc)
	if err != nil {
		return 0
	}
	return n
}

// at is the first range that does not end below or at d.
func (v *values) at(d []byte) int {
	if len(v.ranges) == 1 {
		if to := v.ranges[0].to; to != nil && bytes.Compare(to, d) <= 0 {
			return 1
		}
		return 0
	}
	return sort.Search(len(v.ranges), func(i int) bool {
		return v.ranges[i].to == nil ||
			bytes.Compare(v.ranges[i].to, d) > 0
	})
}

func (v *values) holds(d []byte) bool {
	i := v.at(d)
	return i < len(v.ranges) && bytes.Compare(v.ranges[i].from, d) <= 0
}

func (v *values) least(dst, d []byte) ([]byte, bool, bool) {
	i := v.at(d)
	if i == len(v.ranges) {
		return dst, false, false
	}
	if r := v.ranges[i]; bytes.Compare(r.from, d) > 0 || d == nil {
		return append(dst, r.from...), r.whole, true
	}
	return append(dst, d...), false, true
}

func (v *values) above(dst, d []byte) ([]byte, bool, bool) {
	if next, ok := v.following(d); ok {
		out, whole, ok := v.least(dst, next)
		return out, whole || ok && bytes.Equal(out[len(dst):], next), ok
	}
	end := ordered.Successor(d)
	if end == nil {
		return dst, false, false
	}
	return v.least(dst, end)
}

// following is the encoding of the value that follows one, where there is none between.
func (v *values) following(d []byte) ([]byte, bool) {
	if !v.discrete {
		return nil, false
	}
	value, _, err := ordered.Decode(d, v.t, v.desc)
	if err != nil || value.IsNull() {
		return nil, false
	}
	if next, ok := span.Neighbour(value, !v.desc); ok {
		return ordered.Append(nil, next, v.desc), true
	}
	return nil, false
}
