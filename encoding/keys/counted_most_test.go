package keys

import (
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/span"
)

// TestCountedAtMost counts out as many values as may be, and no more.
func TestCountedAtMost(t *testing.T) {
	hash := func(digits int, behind ...catalog.Part) catalog.Part {
		return catalog.Part{Kind: part.Text, Pieces: append([]catalog.Part{{Kind: part.Prefix, Count: digits,
			Pieces: []catalog.Part{{Column: 1}}}}, behind...)}
	}
	literal, column := catalog.Part{Kind: part.Literal, Text: "x"}, catalog.Part{Column: 1}
	month := catalog.Part{Kind: part.Bucket, Column: 1, Unit: part.Month}
	for _, c := range []struct {
		what       string
		scale      scale
		part       catalog.Part
		first      int64
		values     int64
		partitions int // 0: they are not counted out
	}{
		{"integers", integers, column, -500, 1000, 1000},
		{"integers, one too many", integers, column, -500, 1001, 0},
		{"days", daily, column, -500, 1000, 1000},
		{"days, one too many", daily, column, -500, 1001, 0},
		{"texts", integers, catalog.Part{Kind: part.Text, Pieces: []catalog.Part{column, literal}}, 7, 1000, 1000},
		{"texts, one too many", integers, catalog.Part{Kind: part.Text, Pieces: []catalog.Part{column, literal}}, 7, 1001, 0},
		{"minutes", minutes, catalog.Part{Kind: part.Bucket, Column: 1, Unit: part.Minute}, -500, 1000, 1000},
		{"minutes, one too many", minutes, catalog.Part{Kind: part.Bucket, Column: 1, Unit: part.Minute}, -500, 1001, 0},
		{"buckets of numerics", cents, catalog.Part{Kind: part.NumberBucket, Column: 1, Size: "0.25"}, -500, 25_000, 1000},
		{"buckets of numerics, one too many", cents, catalog.Part{Kind: part.NumberBucket, Column: 1, Size: "0.25"}, -500, 25_001, 0},
		{"months", daily, month, 0, 30_436, 1000},
		{"months, one too many", daily, month, 0, 30_437, 0},
		{"prefixes of too many values", integers, hash(2), 0, 5000, 256},
		{"prefixes of too many values before a literal", integers, hash(1, literal), 0, 5000, 16},
		{"too many prefixes", integers, hash(3), 0, 5000, 0},
		{"prefixes before the column", integers, hash(1, column), 0, 5000, 0},
	} {
		codec, err := NewCodec(table(c.scale.typ),
			&catalog.Layout{Partition: []catalog.Part{c.part}, Sort: []catalog.Part{{Column: 1}}, Unique: true})
		if err != nil {
			t.Fatal(err)
		}
		set := span.Of(span.Interval{Low: c.scale.value(c.first), High: c.scale.value(c.first + c.values - 1)})
		spans := codec.Spans(Walk{Parts: 1, Counted: 1}, func(uint32) span.Set { return set })
		if n, ok := Partitions(spans, 1); ok != (c.partitions > 0) || n != c.partitions {
			t.Errorf("%s: %d partitions, %t, want %d", c.what, n, ok, c.partitions)
		}
	}
}
