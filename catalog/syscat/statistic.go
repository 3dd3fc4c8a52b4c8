package syscat

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/elements"
	"zproxy/types"
)

// The kinds of what pg_statistic has in its slots.
const (
	commonKind      = 1
	histogramKind   = 2
	correlationKind = 3
	elementsKind    = 4
	countsKind      = 5
	slots           = 5
)

// statisticCatalogs tell what ANALYZE has found. pg_stats shows it to those who may read the
// columns.
func statisticCatalogs() []definition {
	return []definition{{
		name: "pg_statistic", rows: statistics, columns: "starelid staattnum stainherit stanullfrac stawidth stadistinct " +
			"stakind1 stakind2 stakind3 stakind4 stakind5 stanumbers1 stanumbers2 stanumbers3 stanumbers4 stanumbers5 " +
			"stavalues1 stavalues2 stavalues3 stavalues4 stavalues5",
	}}
}

func statistics(r *rows) {
	for _, t := range r.Catalog.Tables() {
		if t.Stats.Rows == 0 {
			continue
		}
		for i := range t.Columns {
			c := &t.Columns[i]
			if known, ok := t.Stats.Columns[c.ID]; ok && !c.Hidden {
				r.statistic(t, c, &known)
			}
		}
	}
}

func (r *rows) statistic(t *catalog.Table, c *catalog.Column, known *catalog.ColumnStats) {
	s := slotsOf(c.Type, known, t.Stats.Rows)
	row := []types.Value{number(t.ID), number(c.ID), boolean(t.Partitioning != nil), float4(known.Nulls),
		number(r.statedWidth(c.Type, known)), float4(s.distinct)}
	for i := range slots {
		row = append(row, number(s.kinds[i]))
	}
	row = append(append(row, s.numbers[:]...), s.values[:]...)
	r.add(row...)
}

// slotsOf is what is known of the values of a type in so many rows.
func slotsOf(of types.T, known *catalog.ColumnStats, rows float64) *slotted {
	s := &slotted{}
	if known.Common != nil {
		var common, shares []types.Value
		for _, m := range known.Common {
			common, shares = append(common, of.Labelled(m.Value)), append(shares, float4(m.Share))
		}
		s.add(commonKind, shares, types.NewItems(of.OID, common))
	}
	if known.Histogram != nil {
		bounds := make([]types.Value, len(known.Histogram))
		for i, v := range known.Histogram {
			bounds[i] = of.Labelled(v)
		}
		s.add(histogramKind, nil, types.NewItems(of.OID, bounds))
	}
	if of.Kind().Ordered() && (1-known.Nulls)*rows > 1 {
		s.add(correlationKind, []types.Value{float4(known.Correlation)}, types.Null)
	}
	if known.Elements != nil {
		s.elements(of, known.Elements)
	}
	if of.Kind().Ordered() { // of others little is known
		s.distinct = statedDistinct(known, rows)
	}
	return s
}

// slotted is what pg_statistic has of a column in its slots, of which some are used.
type slotted struct {
	kinds           [slots]int
	numbers, values [slots]types.Value
	used            int
	distinct        float64
}

// of is what is in the slot of a kind.
func (s *slotted) of(kind int) (numbers, values types.Value) {
	if at := slices.Index(s.kinds[:], kind); at >= 0 {
		return s.numbers[at], s.values[at]
	}
	return types.Null, types.Null
}

func (s *slotted) add(kind int, numbers []types.Value, values types.Value) {
	s.kinds[s.used], s.values[s.used] = kind, values
	if numbers != nil {
		s.numbers[s.used] = types.NewItems(types.OIDFloat4, numbers)
	}
	s.used++
}

// elements adds what is known of elements, in PostgreSQL's form: in the order of the elements, with the least and the
// greatest share and that of NULL behind the shares, and the mean behind the counts. Of documents it has none.
func (s *slotted) elements(of types.T, known *elements.Stats) {
	element, isArray := types.ElementOf(of)
	if !isArray {
		return
	}
	if n := len(known.Common); n > 0 {
		most, least := known.Common[0].Share, known.Common[n-1].Share
		var values, shares []types.Value
		for _, c := range slices.SortedStableFunc(slices.Values(known.Common),
			func(a, b elements.Common) int { return types.Compare(a.Value, b.Value) }) {
			values, shares = append(values, element.Labelled(c.Value)), append(shares, float4(c.Share))
		}
		shares = append(shares, float4(least), float4(most), float4(known.Nulls))
		s.add(elementsKind, shares, types.NewItems(element.OID, values))
	}
	var counts []types.Value
	for _, n := range known.Counts {
		counts = append(counts, float4(float64(n)))
	}
	s.add(countsKind, append(counts, float4(known.Mean())), types.Null)
}

func float4(x float64) types.Value { return types.NewFloat(float64(float32(x))) }

// statedDistinct is how many different values there are: where they are more than a tenth of the
// rows, less than nothing and as a share of them, since they are taken to grow with the table.
func statedDistinct(known *catalog.ColumnStats, rows float64) float64 {
	const many = 0.1
	if known.Distinct > many*rows {
		return -math.Min(known.Distinct/rows, 1-known.Nulls)
	}
	return math.Round(known.Distinct)
}

// statedWidth is how many bytes a value takes in PostgreSQL, on average.
func (r *rows) statedWidth(t types.T, known *catalog.ColumnStats) int {
	const (
		header  = 1 // of a value of any length that is not long
		numeric = 6 // bytes that are in the binary form of a numeric, and not in the stored one
	)
	switch length := r.relations.formOf(t.OID).length; {
	case length > 0:
		return int(length)
	case known.Nulls == 1:
		return 0
	case t.Kind() == types.KindNumeric:
		return int(known.Width - numeric + header)
	}
	return int(known.Width + header)
}
