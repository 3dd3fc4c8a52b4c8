package executor

import (
	"bytes"
	"encoding/binary"
	"slices"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// marks are those of the rows of one reader, which stand in a column behind the others, and where the reader goes on.
// Without a run nothing is marked, and all is read.
type marks struct {
	run     *Resume
	scan    int // its number among those of the plan
	reverse bool
	stream  int           // the number of the one that is read
	fetched []types.Value // the marks of the items that are fetched next
	after   *store.Key    // where a scan of a whole space goes on
}

// marksOf are those of a scan.
func marksOf(env *Env, scan plan.Scan) marks {
	if scan.Marked == 0 {
		return marks{}
	}
	return marks{run: env.Resume, scan: scan.Marked - 1, reverse: scan.Access.Reverse}
}

// wanted says whether rows have marks.
func (m *marks) wanted() bool { return m.run != nil }

// width is the number of columns that rows have for marks.
func (m *marks) width() int {
	if m.wanted() {
		return 1
	}
	return 0
}

// columns are those to ask the store for, with one that marks are put in.
func (m *marks) columns(columns []int) []int {
	if m.wanted() {
		return append(columns[:len(columns):len(columns)], store.NoColumn)
	}
	return columns
}

// mark is what a row carries.
func (m *marks) mark(k store.Key) types.Value {
	out := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(m.scan)), uint64(m.stream))
	out = binary.AppendUvarint(out, uint64(len(k.Partition)))
	return types.NewBytes(slices.Concat(out, k.Partition, k.Sort))
}

// ofScan lets a request tell the keys of its items, and gives what puts their marks into a batch.
func (m *marks) ofScan(request *store.Scan) func(*types.Batch) {
	if !m.wanted() {
		return func(*types.Batch) {}
	}
	var seen []store.Key
	request.Keys = func(k store.Key) { seen = append(seen, k) }
	return func(batch *types.Batch) {
		for i := range batch.Len() {
			batch.Row(i)[batch.Width()-1] = m.mark(seen[i])
		}
		seen = slices.Delete(seen, 0, batch.Len())
	}
}

// ofKeys makes the marks of the items at some keys, which are fetched next.
func (m *marks) ofKeys(keys []store.Key) {
	if !m.wanted() {
		return
	}
	m.fetched = m.fetched[:0]
	for _, k := range keys {
		m.fetched = append(m.fetched, m.mark(k))
	}
}

// ofEntry takes the mark off an entry, for the row that is fetched for it.
func (m *marks) ofEntry(entry types.Row) types.Row {
	if !m.wanted() {
		return entry
	}
	last := len(entry) - 1
	m.fetched = append(m.fetched, entry[last])
	return entry[:last]
}

// put marks a row that was fetched.
func (m *marks) put(i int, row types.Row) {
	if m.wanted() {
		row[len(row)-1] = m.fetched[i]
	}
}

// move puts the mark of a row into one that is made of it.
func (m *marks) move(to, from types.Row) {
	if m.wanted() {
		to[len(to)-1] = from[len(from)-1]
	}
}

// every is the stream of all keys.
func every([]byte) bool { return true }

// rest is what is left of ranges that are read one after the other. A store whose partitions have no order goes on
// by itself in a scan of a whole space.
func (m *marks) rest(ranges []store.Range, ordered bool) []store.Range {
	if !m.wanted() {
		return ranges
	}
	k, ok := m.run.begin(m.scan, m.stream, every, m.reverse)
	switch {
	case !ok:
		return ranges
	case !ordered && len(ranges) == 1 && ranges[0].Whole():
		m.after = &k
		return ranges
	}
	return behind(ranges, wholeKey(k), m.reverse)
}

// restOfKeys is what is left of whole keys that are read one after the other.
func (m *marks) restOfKeys(keys []store.Key) []store.Key {
	if !m.wanted() {
		return keys
	}
	k, ok := m.run.begin(m.scan, m.stream, every, m.reverse)
	if !ok {
		return keys
	}
	return slices.DeleteFunc(keys, func(key store.Key) bool {
		order := bytes.Compare(wholeKey(key), wholeKey(k))
		return order == 0 || order > 0 == m.reverse
	})
}

// restOfStreams is what is left of streams of ranges. The spans of each have equal values of the leading parts.
func (m *marks) restOfStreams(streams [][]store.Range, spans [][]span.Span, parts int,
	codec *keys.Codec) [][]store.Range {
	if !m.wanted() {
		return streams
	}
	out := make([][]store.Range, len(streams))
	for i, ranges := range streams {
		out[i] = ranges
		prefix := spans[i][0].Prefix
		all := codec.Range(span.Span{Prefix: prefix[:min(parts, len(prefix))]}, true)
		mine := func(key []byte) bool {
			low, high := sides(all, key)
			return low && high
		}
		if k, ok := m.run.begin(m.scan, i, mine, m.reverse); ok {
			out[i] = behind(ranges, wholeKey(k), m.reverse)
		}
		if len(out[i]) == 0 { // a stream has a range
			out[i] = []store.Range{empty(ranges[0])}
		}
	}
	return out
}

// empty is the range with no keys where a range begins.
func empty(g store.Range) store.Range {
	g.From = append(slices.Clone(g.From), 0)
	g.To = g.From
	return g
}

// behind are the parts of ranges, which are in order, that lie behind a key.
func behind(ranges []store.Range, key []byte, reverse bool) []store.Range {
	var out []store.Range
	for _, g := range ranges {
		switch low, high := sides(g, key); {
		case low && high: // the key is in the range
			out = append(out, g.Beyond(key[len(g.Partition):], reverse))
		case !low && !reverse, !high && reverse:
			out = append(out, g)
		}
	}
	return out
}

// sides says whether a range begins at or before a key, and whether it ends behind the key.
func sides(g store.Range, key []byte) (low, high bool) {
	if !bytes.HasPrefix(key, g.Partition) {
		before := bytes.Compare(g.Partition, key) < 0
		return before, !before
	}
	key = key[len(g.Partition):]
	return bytes.Compare(g.From, key) <= 0, g.To == nil || bytes.Compare(key, g.To) < 0
}
