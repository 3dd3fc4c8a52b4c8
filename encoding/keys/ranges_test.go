package keys

import (
	"testing"

	"zproxy/catalog"
	"zproxy/encoding/span"
	"zproxy/types"
)

// TestRanges reads spans as they come, and everything once where one of them cannot name
// its partition.
func TestRanges(t *testing.T) {
	parts := []catalog.Part{{Column: 1}, {Column: 2}}
	c, err := NewCodec(table(types.Int4, types.Int4),
		&catalog.Layout{Partition: parts[:1], Sort: parts[1:], Unique: true})
	if err != nil {
		t.Fatal(err)
	}
	one := func(n int64) span.Span { return span.Span{Prefix: []types.Value{types.NewInt(n)}} }
	low := span.Span{Last: &span.Interval{High: types.NewInt(0)}}
	for _, tc := range []struct {
		name    string
		spans   []span.Span
		ordered bool
		ranges  int
		whole   bool
	}{
		{"no spans", nil, false, 0, false},
		{"partitions", []span.Span{one(1), one(2)}, false, 2, false},
		{"an interval and a partition, ordered", []span.Span{low, one(1)}, true, 2, false},
		{"an interval and a partition, unordered", []span.Span{low, one(1)}, false, 1, true},
		{"everything", []span.Span{{}}, true, 1, true},
	} {
		got := c.Ranges(tc.spans, tc.ordered)
		if len(got) != tc.ranges || tc.ranges == 1 && got[0].Whole() != tc.whole {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}
