package keys

import (
	"bytes"
	"slices"

	"zproxy/encoding/zorder"
)

// Cover is the ranges of Z-addresses, in order and apart from each other, that together hold
// all of the boxes: at most o.Most, but no fewer than boxes that lie apart.
func (b *Boxes) Cover(o zorder.CoverOptions) []zorder.Range {
	o.Most = max(1, o.Most/max(1, len(b.List)))
	var all []zorder.Range
	for i := range b.List {
		all = append(all, b.List[i].Cover(o)...)
	}
	slices.SortFunc(all, func(a, b zorder.Range) int { return bytes.Compare(a.Lo, b.Lo) })
	var out []zorder.Range
	for _, r := range all {
		if n := len(out) - 1; n >= 0 && bytes.Compare(r.Lo, out[n].Hi) <= 0 {
			out[n] = union(out[n], r)
			continue
		}
		out = append(out, r)
	}
	return out
}

// union is the range of two of which the second begins in the first. One that ends there, too,
// leaves the first as it is.
func union(a, b zorder.Range) zorder.Range {
	if bytes.Compare(b.Hi, a.Hi) <= 0 {
		return a
	}
	return zorder.Range{Lo: a.Lo, Hi: b.Hi, Inside: a.Inside && b.Inside}
}
