package executor

import (
	"cmp"
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/elements"
	"zproxy/types"
)

const (
	// histogramPieces is how many pieces a histogram has, and mostCommon how many common values
	// there are: PostgreSQL's default_statistics_target.
	histogramPieces = 100
	mostCommon      = 100
)

// seenValue is a value with its position among the sampled ones that are not NULL.
type seenValue struct {
	value    types.Value
	position int
}

// valueRun is equal values next to each other.
type valueRun struct{ from, count int }

// describe says of a column what the sample shows: how wide its values are, and where they have an
// order, which are common, how the others are spread, and how they follow the order of the rows.
func (s *Survey) describe(column measured, known *catalog.ColumnStats) {
	var values []seenValue
	var buf []byte
	width, measured := 0, 0
	for _, r := range s.sample {
		v, cut := column.value(r.row), column.lost(r)
		if column.computed != nil && cut > 0 {
			continue // it would have another value
		}
		if width += cut; v.IsNull() {
			measured += min(cut, 1) // it was too wide to be kept
			continue
		}
		buf = types.AppendBinary(buf[:0], v, column.Type)
		width, measured = width+len(buf), measured+1
		if len(buf) <= wideBytes && v.Kind().Ordered() {
			values = append(values, seenValue{v, len(values)})
		}
	}
	if measured > 0 {
		known.Width = float64(width) / float64(measured)
	}
	if elements.Has(column.Type) {
		known.Elements = elements.Collect(column.Type, s.valuesOf(column), s.Stats.Rows*(1-known.Nulls))
	}
	if len(values) == 0 {
		return
	}
	slices.SortFunc(values, func(a, b seenValue) int {
		return cmp.Or(types.Compare(a.value, b.value), cmp.Compare(a.position, b.position))
	})
	known.Correlation = correlation(values)
	runs := runsOf(values)
	common := s.common(runs, known)
	for _, c := range common {
		known.Common = append(known.Common, catalog.Common{
			Value: values[c.from].value, Share: float64(c.count) / float64(len(s.sample)),
		})
	}
	known.Histogram = s.histogram(values, len(runs), common, known)
}

// correlation is Pearson's of the positions of values in their order with those in the table.
func correlation(values []seenValue) float64 {
	n := float64(len(values))
	if n < 2 {
		return 0
	}
	products := 0.0
	for i, v := range values {
		products += float64(i) * float64(v.position)
	}
	sum, squares := n*(n-1)/2, n*(n-1)*(2*n-1)/6
	return (n*products - sum*sum) / (n*squares - sum*sum)
}

func runsOf(values []seenValue) []valueRun {
	var out []valueRun
	for i := range values {
		if i == 0 || types.Compare(values[i-1].value, values[i].value) != 0 {
			out = append(out, valueRun{from: i})
		}
		out[len(out)-1].count++
	}
	return out
}

// common are the values to be known with their shares, the most common first. Only those that were
// met twice are. If that is all there are, and they are few for so many rows, all are taken. Else,
// in a sample, those that are not clearly more common than the values that are left over do not count.
func (s *Survey) common(runs []valueRun, known *catalog.ColumnStats) []valueRun {
	list := slices.DeleteFunc(slices.Clone(runs), func(r valueRun) bool { return r.count < 2 })
	all := len(list) == len(runs) && float64(len(list)) >= known.Distinct && len(list) <= mostCommon
	slices.SortStableFunc(list, func(a, b valueRun) int { return cmp.Compare(b.count, a.count) })
	list = list[:min(len(list), mostCommon)]
	rows, sampled := s.Stats.Rows, float64(len(s.sample))
	if all && known.Distinct <= rows*manyDistinct || sampled == rows {
		return list
	}
	before := 0.0 // values that are more common than the last one
	for _, r := range list {
		before += float64(r.count)
	}
	for ; len(list) > 0; list = list[:len(list)-1] {
		last := float64(list[len(list)-1].count)
		before -= last
		others := math.Max(1, known.Distinct-float64(len(list)-1))
		expected := sampled * math.Max(0, 1-before/sampled-known.Nulls) / others
		if last > expected+2*deviation(last, sampled, rows)+0.5 {
			break
		}
	}
	return list
}

// manyDistinct is the share of rows beyond which the number of different values is taken to grow
// with the table.
const manyDistinct = 0.1

// deviation is the standard deviation of how often a sample has a value that all rows together have
// as often for their number as this one: a hypergeometric distribution.
func deviation(count, sampled, rows float64) float64 {
	of := rows * count / sampled
	return math.Sqrt(sampled * of * (rows - of) * (rows - sampled) / (rows * rows * (rows - 1)))
}

// histogram are bounds with equally many values between them, of those that are not common. The
// least and the greatest of all rows are its ends if they were not left out.
func (s *Survey) histogram(values []seenValue, distinct int, common []valueRun,
	known *catalog.ColumnStats) []types.Value {
	bounds := min(distinct-len(common), histogramPieces+1)
	if bounds < 2 {
		return nil
	}
	left := withoutRuns(values, common)
	out := make([]types.Value, bounds)
	for i := range out {
		out[i] = left[i*(len(left)-1)/(bounds-1)].value
	}
	isCommon := func(v types.Value) bool {
		return slices.ContainsFunc(known.Common, func(c catalog.Common) bool { return types.Compare(c.Value, v) == 0 })
	}
	if fits(known.Min) && !isCommon(known.Min) {
		out[0] = known.Min
	}
	if fits(known.Max) && !isCommon(known.Max) {
		out[bounds-1] = known.Max
	}
	return out
}

// fits says whether a bound of all rows is one of the sample's kind: known, and not too wide.
func fits(v types.Value) bool {
	switch v.Kind() {
	case types.KindNull:
		return false
	case types.KindText, types.KindBpchar, types.KindCitext, types.KindCollated, types.KindBytes, types.KindJSON:
		return len(v.Text()) <= wideBytes
	}
	return len(types.AppendKey(nil, v)) <= wideBytes
}

// withoutRuns are sorted values without some of their runs.
func withoutRuns(values []seenValue, runs []valueRun) []seenValue {
	sorted := slices.Clone(runs)
	slices.SortFunc(sorted, func(a, b valueRun) int { return cmp.Compare(a.from, b.from) })
	out := make([]seenValue, 0, len(values))
	at := 0
	for _, r := range sorted {
		out = append(out, values[at:r.from]...)
		at = r.from + r.count
	}
	return append(out, values[at:]...)
}
