package session

import (
	"slices"

	"zproxy/catalog"
	keypart "zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// mapKnots is how many knots a map learns from the rows; with 256 pieces the keys read for a box
// came within a few per cent of the best on skewed data.
const mapKnots = 257

// learnMaps decides how each dimension of a Z-order index that is to be built spreads its values:
// as was asked for, or else by quantiles of the rows that are there, or in a table without any
// by the bounds that its values are declared to have.
func (s *Session) learnMaps(t *catalog.Table, x *catalog.Index, stats catalog.Stats, samples map[uint32][]uint64) error {
	declared, err := s.declaredBounds(t)
	if err != nil {
		return err
	}
	curve := slices.Clone(x.Layout.Sort[0].Curve)
	for i := range curve {
		id := curve[i].Column
		learnMap(&curve[i], knownValues{
			t: t.Columns[t.Ordinal(id)].Type, declared: declared[id], stats: stats.Columns[id], codes: samples[id],
		})
	}
	x.Layout.Sort = slices.Clone(x.Layout.Sort)
	x.Layout.Sort[0].Curve = curve
	return nil
}

// samplesOf are codes of the sampled values of the columns that a Z-order index has as
// dimensions, by column ID.
func samplesOf(survey *executor.Survey, x *catalog.Index) map[uint32][]uint64 {
	samples := map[uint32][]uint64{}
	if x.Method == catalog.ZOrder {
		for _, id := range x.Layout.Columns() {
			samples[id] = survey.Codes(id)
		}
	}
	return samples
}

// bounds are the least and the greatest value that a column may have; NULL is none.
type bounds struct{ low, high types.Value }

// declaredBounds are the bounds of columns that conditions of the table say, by column ID.
func (s *Session) declaredBounds(t *catalog.Table) (map[uint32]bounds, error) {
	terms, err := s.declaredTerms(t)
	out := map[uint32]bounds{}
	for id, list := range terms {
		set, err := plan.Bound{Column: id, Terms: list}.Set(&expr.Context{Env: &types.Env{}})
		if err != nil || len(set.Intervals) == 0 {
			continue // no row can be written, so none need be spread
		}
		hull := set.Hull()
		out[id] = bounds{hull.Low, hull.High}
	}
	return out, err
}

// declaredTerms are what conditions of the table say of single columns, by column ID. A condition
// that changes with time holds only for the values that were written so far.
func (s *Session) declaredTerms(t *catalog.Table) (map[uint32][]plan.Term, error) {
	checks, err := s.planner(s.schema()).Checks(t)
	if err != nil {
		return nil, err
	}
	terms := map[uint32][]plan.Term{}
	for _, check := range checks {
		for _, cond := range expr.Conjuncts(check.Cond) {
			col, term, _, ok := plan.TermOf(cond)
			if ok && !expr.Any(cond, changes) {
				id := t.Columns[col].ID
				terms[id] = append(terms[id], term)
			}
		}
	}
	return terms, nil
}

// changes says whether an expression may have another value at another time.
func changes(e expr.Expr) bool {
	call, ok := e.(expr.Call)
	return ok && call.Fn.Volatility != expr.Immutable
}

// knownValues is what is known of the values of a column.
type knownValues struct {
	t        types.T
	declared bounds
	stats    catalog.ColumnStats
	codes    []uint64 // a sample
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
	d.Knots, d.Low, d.High = nil, "", ""
	// A boolean has a bit for each value, and of long values a map does not know enough.
	if (d.AutoBits || d.Bits <= catalog.MapBits) && known.t.Kind() != types.KindBool {
		m := known.learn(d.Map)
		d.Knots, d.Low, d.High = m.knots, shortText(m.of.low, known.t), shortText(m.of.high, known.t)
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

// learned is a map, and the values that it was made for; without knots it changes nothing.
type learned struct {
	kind  catalog.MapKind
	knots []uint64
	of    bounds
}

// learn makes the map that was asked for, or with none the best one.
func (k knownValues) learn(asked catalog.MapKind) learned {
	if asked == catalog.MapRaw {
		return learned{kind: asked}
	}
	low, high := k.finite()
	codes := slices.DeleteFunc(slices.Clone(k.codes), func(c uint64) bool { return c < low || c > high })
	slices.Sort(codes)
	several := len(codes) > 0 && codes[0] < codes[len(codes)-1]
	switch may := k.mayHave(); {
	case several && asked == catalog.MapRange:
		first, last := codes[0], codes[len(codes)-1]
		seen := k.seen(low, high)
		if !seen.low.IsNull() {
			first, last = min(first, keys.Code(seen.low, k.t)), max(last, keys.Code(seen.high, k.t))
		}
		return learned{asked, zorder.Bounds(first, last).Grown(low, high).Knots, seen}
	case several:
		return learned{catalog.MapQuantile, zorder.Quantiles(codes, min(mapKnots, len(codes))).Grown(low, high).Knots, k.seen(low, high)}
	case !may.low.IsNull() && !may.high.IsNull() && low < high:
		return learned{catalog.MapRange, zorder.Bounds(low, high).Knots, may}
	}
	return learned{}
}

// finite are the least and the greatest code that finite values of the column may have.
func (k knownValues) finite() (low, high uint64) {
	low, high = keys.FiniteCodes(k.t)
	may := k.mayHave()
	if !may.low.IsNull() {
		low = max(low, keys.Code(may.low, k.t))
	}
	if !may.high.IsNull() {
		high = min(high, keys.Code(may.high, k.t))
	}
	return low, high
}

// seen are the least and the greatest value that are there, and finite.
func (k knownValues) seen(low, high uint64) bounds {
	values := append([]types.Value{k.stats.Min, k.stats.Max}, k.stats.Histogram...)
	for _, c := range k.stats.Common {
		values = append(values, c.Value)
	}
	var out bounds
	for _, v := range values {
		if v.IsNull() || keys.Code(v, k.t) < low || keys.Code(v, k.t) > high {
			continue
		}
		if out.low.IsNull() || types.Compare(v, out.low) < 0 {
			out.low = v
		}
		if out.high.IsNull() || types.Compare(v, out.high) > 0 {
			out.high = v
		}
	}
	return out
}

// mayHave are the bounds that values are declared to have, by conditions or by their type.
func (k knownValues) mayHave() bounds {
	b := k.declared
	if k.t.Kind() == types.KindTime {
		if b.low.IsNull() {
			b.low = types.NewTime(0)
		}
		if b.high.IsNull() {
			b.high = types.NewTime(microsPerDay)
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
