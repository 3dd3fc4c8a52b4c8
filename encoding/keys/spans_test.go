package keys

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/internal/valuetest"
	"zproxy/store"
	"zproxy/types"
)

// table has the columns a, b, c, ... with the IDs 1, 2, 3, ...
func table(columns ...types.T) *catalog.Table {
	t := &catalog.Table{}
	for i, typ := range columns {
		t.Columns = append(t.Columns, catalog.Column{ID: uint32(i + 1), Name: string(rune('a' + i)), Type: typ})
	}
	return t
}

// small is a type with a domain so small that all rows can be tried.
type small struct {
	typ    types.T
	domain []types.Value
}

var smalls = []small{
	{types.Int4, []types.Value{types.Null, types.NewInt(-1), types.NewInt(0), types.NewInt(256)}},
	{types.Text, []types.Value{types.Null, types.NewText(""), types.NewText("a"), types.NewText("a\x00")}},
	{types.Bool, []types.Value{types.Null, types.NewBool(false), types.NewBool(true)}},
	{types.Bytea, []types.Value{types.Null, types.NewBytes([]byte{0xff}), types.NewBytes([]byte{0xff, 0xff})}},
}

// randomLayout is over one to four columns, the last of which may be a tie-breaker.
func randomLayout(r *rand.Rand) (*catalog.Table, *catalog.Layout, [][]types.Value) {
	var columns []types.T
	var domains [][]types.Value
	var parts []catalog.Part
	n := 1 + r.IntN(4)
	for i := range n {
		s := smalls[r.IntN(len(smalls))]
		columns, domains = append(columns, s.typ), append(domains, s.domain)
		parts = append(parts, catalog.Part{Column: uint32(i + 1), Desc: r.IntN(2) == 0, NullsSwapped: r.IntN(2) == 0})
	}
	l := &catalog.Layout{Unique: r.IntN(2) == 0, NullsEqual: r.IntN(3) == 0}
	if n > 1 && r.IntN(2) == 0 {
		parts, l.Tie = parts[:n-1], parts[n-1:]
	}
	split := 1 + r.IntN(len(parts))
	l.Partition, l.Sort = parts[:split], parts[split:]
	return table(columns...), l, domains
}

// rowsOf is every row that the domains can make.
func rowsOf(domains [][]types.Value) []types.Row {
	rows := []types.Row{{}}
	for _, d := range domains {
		var next []types.Row
		for _, row := range rows {
			for _, v := range d {
				next = append(next, append(slices.Clone(row), v))
			}
		}
		rows = next
	}
	return rows
}

// randomSet is points, an interval, both ends of the domain, or everything.
func randomSet(r *rand.Rand, domain []types.Value) span.Set {
	pick := func() types.Value { return domain[r.IntN(len(domain))] }
	s := span.Everything
	switch r.IntN(5) {
	case 0, 1:
		s = span.Points(pick(), pick())
	case 2:
		low, high := pick(), pick()
		s = span.Of(span.Interval{Low: low, High: high, LowOpen: !low.IsNull() && r.IntN(2) == 0,
			HighOpen: !high.IsNull() && r.IntN(2) == 0})
	case 3:
		s = span.Set{Intervals: []span.Interval{{High: domain[1]}, {Low: domain[2], LowOpen: true}}}
	}
	s.Null = r.IntN(3) == 0
	return s
}

func inRange(g store.Range, k store.Key) bool {
	at := slices.Concat(k.Partition, k.Sort)
	if g.Partition != nil {
		if !bytes.Equal(g.Partition, k.Partition) {
			return false
		}
		at = k.Sort
	}
	return bytes.Compare(at, g.From) >= 0 && (g.To == nil || bytes.Compare(at, g.To) < 0)
}

// inSpan says whether a row is in a span of a layout, by values.
func inSpan(s span.Span, parts []catalog.Part, row types.Row) bool {
	for i, v := range s.Prefix {
		if valuetest.Compare(row[parts[i].Column-1], v, false) != 0 {
			return false
		}
	}
	if s.Last == nil {
		return true
	}
	v := row[parts[len(s.Prefix)].Column-1]
	return !v.IsNull() && s.Last.Contains(v)
}

// TestSpansHoldWhatTheSetsHold tries every row of small domains: it is in the spans
// exactly if its columns are in the sets, as far as the spans tell, and its key is in
// the range of exactly the spans that it is in.
func TestSpansHoldWhatTheSetsHold(t *testing.T) {
	r := newRand(t)
	for range 400 {
		tab, l, domains := randomLayout(r)
		codec, err := NewCodec(tab, l)
		if err != nil {
			t.Fatal(err)
		}
		sets := make([]span.Set, len(domains))
		for i, d := range domains {
			sets[i] = randomSet(r, d)
		}
		parts := l.Parts()
		if !l.Unique {
			parts = append(parts, l.Tie...)
		}
		n := r.IntN(len(parts) + 1)
		spans := codec.Spans(Walk{Parts: n}, func(c uint32) span.Set { return sets[c-1] })
		used := slices.IndexFunc(parts[:n], func(p catalog.Part) bool { return !sets[p.Column-1].Discrete() }) + 1
		if used == 0 {
			used = n
		}
		for _, row := range rowsOf(domains) {
			want := 0
			if !slices.ContainsFunc(parts[:used],
				func(p catalog.Part) bool { return !sets[p.Column-1].Contains(row[p.Column-1]) }) {
				want = 1
			}
			if got := countSpans(t, codec, spans, parts, row); got != want {
				t.Fatalf("row %v is in %d spans, want %d: %+v", row, got, want, spans)
			}
		}
		checkRanges(t, codec, spans, len(l.Partition))
	}
}

// countSpans says how many of the spans a row is in, and wants its key in just their ranges.
func countSpans(t *testing.T, c *Codec, spans []span.Span, parts []catalog.Part, row types.Row) int {
	t.Helper()
	key := c.Key(row)
	got := 0
	for _, s := range spans {
		in := inSpan(s, parts, row)
		if in {
			got++
		}
		if inRange(c.Range(s, true), key) != in {
			t.Fatalf("row %v, key %x %x: in span %+v is %t, in its range is not", row, key.Partition, key.Sort, s, in)
		}
		g := c.Range(s, false)
		if in && !inRange(g, key) {
			t.Fatalf("row %v: outside of the range of %+v where partitions have no order", row, s)
		}
		if g.Partition == nil && (g.From != nil || g.To != nil) {
			t.Fatalf("span %+v has bounds over partitions that have no order", s)
		}
	}
	return got
}

// checkRanges wants the ranges of spans in key order, and apart from each other.
func checkRanges(t *testing.T, c *Codec, spans []span.Span, partition int) {
	t.Helper()
	var last []byte
	for i, s := range spans {
		g := c.Range(s, true)
		from, to := slices.Concat(g.Partition, g.From), g.To
		switch {
		case g.To != nil:
			to = slices.Concat(g.Partition, g.To)
		case g.Partition != nil:
			to = ordered.Successor(g.Partition)
		}
		if i > 0 && (last == nil || bytes.Compare(from, last) < 0) {
			t.Fatalf("the range of %+v begins before the one before it ends", s)
		}
		if to != nil && bytes.Compare(from, to) > 0 {
			t.Fatalf("the range of %+v ends before it begins", s)
		}
		if (g.Partition != nil) != (len(s.Prefix) >= partition) {
			t.Fatalf("the range of %+v has partition %x", s, g.Partition)
		}
		last = to
	}
}

// TestKeysStayInTheirPartition checks that no partition begins with another one, and
// that keys of different rows differ where the layout is unique by value.
func TestKeysStayInTheirPartition(t *testing.T) {
	r := newRand(t)
	for range 100 {
		tab, l, domains := randomLayout(r)
		codec, err := NewCodec(tab, l)
		if err != nil {
			t.Fatal(err)
		}
		keys := map[string]types.Row{}
		var partitions [][]byte
		for _, row := range rowsOf(domains) {
			k := codec.Key(row)
			at := fmt.Sprintf("%x", slices.Concat(k.Partition, k.Sort))
			if other, there := keys[at]; there && (!l.Unique || codec.KeyHasNull(row)) {
				t.Fatalf("rows %v and %v share the key %s", row, other, at)
			}
			keys[at] = row
			partitions = append(partitions, k.Partition)
		}
		slices.SortFunc(partitions, bytes.Compare)
		partitions = slices.CompactFunc(partitions, bytes.Equal)
		for i := 1; i < len(partitions); i++ {
			if bytes.HasPrefix(partitions[i], partitions[i-1]) {
				t.Fatalf("partition %x begins with partition %x", partitions[i], partitions[i-1])
			}
		}
	}
}
