package keys

import (
	"bytes"
	"slices"

	"zproxy/encoding/span"
)

// Union is spans in key order that hold what some spans do, those that overlap made one.
func (c *Codec) Union(spans []span.Span) []span.Span {
	type ranged struct {
		span.Span
		from, to []byte
	}
	all := make([]ranged, len(spans))
	for i, s := range spans {
		from, to, _ := c.ends(s)
		all[i] = ranged{s, from, to}
	}
	slices.SortStableFunc(all, func(a, b ranged) int { return bytes.Compare(a.from, b.from) })
	out := make([]span.Span, 0, len(all))
	var end []byte
	for i, r := range all {
		switch {
		case i == 0 || end != nil && bytes.Compare(end, r.from) <= 0:
			out = append(out, r.Span)
		case end == nil || r.to != nil && bytes.Compare(r.to, end) <= 0:
			continue // the last one holds all of it
		default:
			out[len(out)-1] = c.joined(out[len(out)-1], r.Span)
		}
		end = r.to
	}
	return out
}

// joined is a span from the beginning of one to the end of another, which overlap and so
// are intervals of one part, unless the other holds all of the one.
func (c *Codec) joined(a, b span.Span) span.Span {
	if a.Last == nil || b.Last == nil || len(a.Prefix) != len(b.Prefix) {
		return b
	}
	last := *a.Last
	if c.parts[len(a.Prefix)].Desc {
		last.Low, last.LowOpen = b.Last.Low, b.Last.LowOpen
	} else {
		last.High, last.HighOpen = b.Last.High, b.Last.HighOpen
	}
	a.Last = &last
	return a
}
