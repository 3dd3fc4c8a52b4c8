package keys

import (
	"bytes"
	"slices"

	"zproxy/encoding/zorder"
)

// Cover is the ranges of Z-addresses, in order and apart from each other, that together hold
// every row whose columns are in any of the sets. All of it has at most o.Most ranges, but one
// at least for each of them.
func (c *Codec) Cover(alternatives []Sets, o zorder.CoverOptions) []zorder.Range {
	o.Most = max(1, o.Most/max(1, len(alternatives)))
	var all []zorder.Range
	for _, sets := range alternatives {
		if _, skip, some := c.Box(sets); some {
			box := skip.(*boxSkipper).box
			all = append(all, box.Cover(o)...)
		}
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
