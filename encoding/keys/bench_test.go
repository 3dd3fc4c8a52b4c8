package keys

import (
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/span"
	"zproxy/types"
)

// BenchmarkShards makes the ranges of 16 shards, from a key on.
func BenchmarkShards(b *testing.B) {
	c, err := NewCodec(table(types.Int8), &catalog.Layout{
		Partition: []catalog.Part{{Kind: part.Shard, Of: []uint32{1}, Count: 16}}, Sort: []catalog.Part{{Column: 1}},
		Unique: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	from := func(uint32) span.Set { return span.Of(span.Interval{Low: types.NewInt(50_000)}) }
	b.ReportAllocs()
	for b.Loop() {
		spans := c.Spans(Walk{Parts: 2}, from)
		if got := c.Ranges(spans, true); len(got) != 16 {
			b.Fatal(got)
		}
	}
}
