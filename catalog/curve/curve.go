// Package curve learns how the dimensions of Z-order indexes spread the values of their columns over the codes that
// an address is made of: a map of each dimension, and how many bits it has. Rows that are skewed make a bad curve
// unless codes follow them. What a map is to keys is in encoding/keys and encoding/zorder; who reads the rows to
// learn from is in catalog/ddl/index and in the builds of indexes.
package curve

import (
	"math"
	"slices"

	"zproxy/catalog"
	keypart "zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/planner/declared"
	"zproxy/types"
)

// mapKnots is how many knots a map learns from the rows; with 256 pieces the keys read for a box
// came within a few per cent of the best on skewed data.
const mapKnots = 257

// Learn decides how each dimension of a layout in Z-order that is to be filled spreads its values: as was asked for, or
// else by quantiles of the sampled codes of its rows, by column ID, or in a table without any by the bounds that its
// values are declared to have.
func Learn(t *catalog.Table, l *catalog.Layout, of Rows) {
	curve := slices.Clone(l.Curve())
	for i := range curve {
		id := curve[i].Column
		learnMap(&curve[i], knownValues{
			t: t.Source(id).Type, declared: of.Declared[id], stats: of.Stats.Columns[id],
			sample: of.Samples[id],
		})
	}
	l.Sort = slices.Clone(l.Sort)
	l.Sort[0].Curve = curve
}

// Rows is what is known of the rows of a table, by column ID.
type Rows struct {
	Declared map[uint32]declared.Bounds
	Stats    catalog.Stats
	Samples  map[uint32][]types.Value // which are not NULL
}

// Samples are sampled values of the columns that a layout in Z-order has as dimensions, by column ID. Another
// layout has none.
func Samples(l *catalog.Layout, sample func(column uint32) []types.Value) map[uint32][]types.Value {
	out := map[uint32][]types.Value{}
	for _, d := range l.Curve() {
		out[d.Column] = sample(d.Column)
	}
	return out
}

// knownValues is what is known of the values of a column.
type knownValues struct {
	t        types.T
	declared declared.Bounds
	stats    catalog.ColumnStats
	sample   []types.Value
	prefix   []byte // what is left out of texts before they are coded
}

// learnMap decides how one dimension spreads its values, and how many bits it has, as far as
// no statement has asked for it. Where nothing is known to learn from, a map that was asked for
// is none until the index is built again.
func learnMap(d *catalog.Dimension, known knownValues) {
	d.AutoMap, d.AutoBits = d.AutoMap || d.Map == "", d.AutoBits || d.Bits == 0
	if d.AutoMap {
		d.Map = ""
	}
	d.Version++
	d.Knots, d.Prefix, d.Low, d.High = nil, nil, "", ""
	if d.Form != "" {
		known = known.normalized(*d)
	}
	// A boolean has a bit for each value, and of long values a map does not know enough.
	if (d.AutoBits || d.Bits <= catalog.MapBits) && known.t.Kind() != types.KindBool {
		if d.Map != catalog.MapRaw {
			known.prefix = commonPrefix(known.sample, known.t)
		}
		m := known.learn(d.Map)
		if d.Knots = m.knots; d.Knots != nil {
			d.Prefix = known.prefix
		}
		d.Low, d.High = shortText(m.of.Low, known.t), shortText(m.of.High, known.t)
		if d.AutoMap {
			d.Map = m.kind
		}
	}
	if d.Map == "" {
		d.Map = catalog.MapRaw
	}
	switch {
	case !d.AutoBits:
	case d.Knots != nil:
		d.Bits = keypart.LearnedBits(known.t)
	default:
		d.Bits = keypart.RawBits(known.t)
	}
}

// normalized is what is known of texts in a normal form: of the bounds of the others nothing follows for them.
func (k knownValues) normalized(d catalog.Dimension) knownValues {
	sample := make([]types.Value, len(k.sample))
	for i, v := range k.sample {
		sample[i] = keys.Normalized(v, d)
	}
	return knownValues{t: k.t, stats: k.stats, sample: sample}
}

// learned is a map, and the values that it was made for; without knots it changes nothing.
type learned struct {
	kind  catalog.MapKind
	knots []uint64
	of    declared.Bounds
}

// learn makes the map that was asked for, or with none the best one.
func (k knownValues) learn(asked catalog.MapKind) learned {
	if asked == catalog.MapRaw {
		return learned{kind: asked}
	}
	low, high := k.finite()
	var codes []uint64
	for _, v := range k.sample {
		if c := k.code(v); c >= low && c <= high {
			codes = append(codes, c)
		}
	}
	slices.Sort(codes)
	several := len(codes) > 0 && codes[0] < codes[len(codes)-1]
	switch may := k.mayHave(); {
	case several && asked == catalog.MapRange:
		first, last := codes[0], codes[len(codes)-1]
		seen := k.seen(low, high)
		if !seen.Low.IsNull() {
			first, last = min(first, k.code(seen.Low)), max(last, k.code(seen.High))
		}
		first, last = keys.Grown(first, last, [2]uint64{low, high}, k.t)
		return learned{asked, keys.Even(first, last, k.t).Knots, seen}
	case several:
		return learned{catalog.MapQuantile, zorder.Quantiles(codes, min(mapKnots, len(codes))).
			Grown(low, high).Knots, k.seen(low, high)}
	case !may.Low.IsNull() && !may.High.IsNull() && low < high:
		return learned{catalog.MapRange, keys.Even(low, high, k.t).Knots, may}
	}
	return learned{}
}

// code is the code of a value that a map is learned from.
func (k knownValues) code(v types.Value) uint64 { return keys.CodeBehind(v, k.t, k.prefix) }

// finite are the least and the greatest code that finite values of the column may have, and that texts have behind
// their prefix.
func (k knownValues) finite() (low, high uint64) {
	low, high = keys.FiniteCodes(k.t)
	if len(k.prefix) > 0 {
		low, high = 1, math.MaxUint64-1
	}
	may := k.mayHave()
	if !may.Low.IsNull() {
		low = max(low, k.code(may.Low))
	}
	if !may.High.IsNull() {
		high = min(high, k.code(may.High))
	}
	return low, high
}

// seen are the least and the greatest value that are there, and finite.
func (k knownValues) seen(low, high uint64) declared.Bounds {
	values := append([]types.Value{k.stats.Min, k.stats.Max}, k.stats.Histogram...)
	for _, c := range k.stats.Common {
		values = append(values, c.Value)
	}
	var out declared.Bounds
	for _, v := range values {
		if v.IsNull() || k.code(v) < low || k.code(v) > high {
			continue
		}
		if out.Low.IsNull() || types.Compare(v, out.Low) < 0 {
			out.Low = v
		}
		if out.High.IsNull() || types.Compare(v, out.High) > 0 {
			out.High = v
		}
	}
	return out
}

// mayHave are the bounds that values are declared to have, by conditions or by their type.
func (k knownValues) mayHave() declared.Bounds {
	b := k.declared
	if k.t.Kind() == types.KindTime {
		if b.Low.IsNull() {
			b.Low = types.NewTime(0)
		}
		if b.High.IsNull() {
			b.High = types.NewTime(microsPerDay)
		}
	}
	return b
}

const microsPerDay = 24 * 60 * 60 * 1_000_000

// shortTextRunes is how much of a value the catalog keeps to show it.
const shortTextRunes = 40

// shortText is the text of a value, or what a long one begins with.
func shortText(v types.Value, t types.T) string {
	if v.IsNull() {
		return ""
	}
	text := []rune(types.FormatText(v, t, &types.Env{}))
	if len(text) > shortTextRunes {
		return string(text[:shortTextRunes-3]) + "..."
	}
	return string(text)
}
