package keys

import (
	"slices"

	"zproxy/encoding/span"
	"zproxy/store"
)

// Ranges are the ranges of bytes of spans, in their order. In a store whose partitions have
// no order a span that does not name its partition can only be read as everything; then
// that is the one range, since no row is to be read twice.
func (c *Codec) Ranges(spans []span.Span, ordered bool) []store.Range {
	ranges := make([]store.Range, len(spans))
	for i, s := range spans {
		ranges[i] = c.Range(s, ordered)
	}
	if slices.ContainsFunc(ranges, store.Range.Whole) {
		return []store.Range{{}}
	}
	return ranges
}
