package keys

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"zproxy/catalog"
	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/types"
)

// part is a part of the layout with its columns found.
type part struct {
	source         // of a part that is a column
	t      types.T // of the value that stands in the key
	desc   bool
	curve  *curve   // of a Z-address
	of     computed // of a part that is computed from columns
}

// source is a column that parts are made from.
type source struct {
	column int // place in the row
	id     uint32
	domain int  // of a random one: its values are those from 0 on below it; 0: any
	filled bool // it is never NULL
}

// computed is how the value of a part comes from columns.
type computed interface {
	// value is that of a row.
	value(row types.Row) types.Value
	// choices are the values that it can have on a way, each on the way that goes on from
	// there. It says false when they are not few single ones: intervals of columns may
	// be counted out to no more than most values.
	choices(w *walker, from way, most int) ([]choice, bool)
	// rest is what the value is among where there are no choices.
	rest(w *walker, from way, most int) span.Set
}

func (p *part) choices(w *walker, from way, most int) ([]choice, bool) {
	if p.of != nil {
		return p.of.choices(w, from, most)
	}
	if from.bound[p.column] {
		return []choice{{from, from.row[p.column]}}, true
	}
	values, ok := w.values(p.source, most)
	out := make([]choice, len(values))
	for i, v := range values {
		out[i] = choice{from.bind(p.column, v), v}
	}
	return out, ok
}

func (p *part) rest(w *walker, from way, most int) span.Set {
	if p.of != nil {
		return p.of.rest(w, from, most)
	}
	return w.set(p.source)
}

// value is that of a row.
func (p *part) value(row types.Row) types.Value {
	if p.of != nil {
		return p.of.value(row)
	}
	return row[p.column]
}

// preparer finds the columns of parts in a table.
type preparer struct{ t *catalog.Table }

func (p preparer) parts(in []catalog.Part) ([]part, error) {
	out := make([]part, len(in))
	for i := range in {
		var err error
		if out[i], err = p.part(&in[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p preparer) part(in *catalog.Part) (part, error) {
	switch in.Kind {
	case catalog.ColumnPart:
		src := p.source(in.Column)
		src.domain = in.Count
		return part{source: src, t: p.t.Columns[src.column].Type, desc: in.Desc}, nil
	case catalog.ZAddressPart:
		c, err := newCurve(p.t, in.Curve)
		return part{curve: c, t: types.Of(types.OIDBytea)}, err
	case catalog.ShardPart:
		return part{of: &shard{of: p.sources(in.Of), count: in.Count}, t: types.Int8}, nil
	case catalog.BucketPart:
		if in.Format != "" {
			return p.pattern(in)
		}
		return p.bucket(in.Column, in.Unit), nil
	case catalog.PrefixPart, catalog.TextPart:
		pieces, err := p.pieces(in.Pieces)
		if in.Kind == catalog.TextPart {
			return part{of: &text{pieces: pieces}, t: types.Text}, err
		}
		return part{of: &prefix{of: p.sources(in.Columns()), text: text{pieces: pieces}, digits: in.Count}, t: types.Text}, err
	}
	return part{}, fmt.Errorf("key part of kind %d", in.Kind)
}

func (p preparer) source(id uint32) source {
	column := p.t.Ordinal(id)
	return source{column: column, id: id, filled: p.t.Columns[column].NotNull}
}

func (p preparer) sources(ids []uint32) []source {
	out := make([]source, len(ids))
	for i, id := range ids {
		out[i] = p.source(id)
	}
	return out
}

// computeAll goes the ways on which all columns of a part are known, and computes it.
func computeAll(w *walker, from way, sources []source, most int, c computed) ([]choice, bool) {
	ways, ok := w.fork(from, sources, most)
	out := make([]choice, len(ways))
	for i, to := range ways {
		out[i] = choice{to, c.value(to.row)}
	}
	return out, ok
}

// shard is a hash of columns modulo a count.
type shard struct {
	of    []source
	count int
}

func (s *shard) value(row types.Row) types.Value {
	var buf [64]byte
	key := buf[:0]
	for _, c := range s.of {
		key = ordered.Append(key, row[c.column], false)
	}
	h := fnv.New64a()
	h.Write(key)
	return types.NewInt(int64(mix(h.Sum64()) % uint64(s.count)))
}

// mix spreads the bits of a hash over each other: those of FNV alone depend too little on
// the last bytes (the finaliser of MurmurHash3).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// choices are the shards of the values that columns have, where these are fewer than all
// shards.
func (s *shard) choices(w *walker, from way, _ int) ([]choice, bool) {
	if out, ok := computeAll(w, from, s.of, s.count-1, s); ok {
		return out, true
	}
	out := make([]choice, s.count)
	for i := range out {
		out[i] = choice{from, types.NewInt(int64(i))}
	}
	return out, true
}

func (s *shard) rest(*walker, way, int) span.Set { return span.Everything }

// bucket prepares the units that a column lies in. A date lies in none shorter than a day.
func (p preparer) bucket(column uint32, unit catalog.BucketUnit) part {
	src := p.source(column)
	t := p.t.Columns[src.column].Type
	if t.Kind() == types.KindDate && (unit == catalog.Minute || unit == catalog.Hour) {
		unit = catalog.Day
	}
	return part{of: &bucket{source: src, unit: unit}, t: t}
}

// bucket is the unit of time that a column lies in.
type bucket struct {
	source
	unit catalog.BucketUnit
}

func (b *bucket) value(row types.Row) types.Value { return bucketOf(b.unit, row[b.column]) }

func (b *bucket) choices(w *walker, from way, most int) ([]choice, bool) {
	if out, ok := computeAll(w, from, []source{b.source}, 0, b); ok {
		return out, true
	}
	set := w.set(b.source)
	starts, ok := bucketsOf(b.unit, set, most)
	if set.Null {
		starts = append(starts, types.Null)
	}
	out := make([]choice, len(starts))
	for i, v := range starts {
		out[i] = choice{from, v}
	}
	return out, ok
}

func (b *bucket) rest(w *walker, _ way, _ int) span.Set {
	set := w.set(b.source)
	out := span.Of(bucketInterval(b.unit, set))
	out.Null = set.Null
	return out
}

// topBits is the leading bits of a Z-address.
type topBits struct {
	curve *curve
	bits  int
}

func (z *topBits) value(row types.Row) types.Value {
	return types.NewInt(int64(z.cell(z.curve.appendAddress(nil, row))))
}

// cell is the number that the leading bits of an address make.
func (z *topBits) cell(address []byte) uint64 {
	return cell(address, 0) >> (64 - z.bits)
}

// first is the lowest address of a cell.
func (z *topBits) first(cell uint64) []byte {
	address := make([]byte, max(z.curve.curve.Len(), 8))
	binary.BigEndian.PutUint64(address, cell<<(64-z.bits))
	return address[:z.curve.curve.Len()]
}

func (z *topBits) choices(*walker, way, int) ([]choice, bool) { return nil, false }

func (z *topBits) rest(*walker, way, int) span.Set { return span.Everything }
