package syscat

import (
	"math"

	"zproxy/catalog"
	"zproxy/types"
)

// The kinds of what pg_statistic has in its slots.
const (
	commonKind      = 1
	histogramKind   = 2
	correlationKind = 3
	slots           = 3 // of five, that are used
)

// statisticCatalogs tell what ANALYZE has found. pg_stats shows it to those who may read the
// columns.
func statisticCatalogs() []definition {
	return []definition{{
		name: "pg_statistic", rows: statistics, columns: "starelid staattnum stanullfrac stawidth stadistinct " +
			"stakind1 stakind2 stakind3 stanumbers1 stanumbers2 stanumbers3 stavalues1 stavalues2 stavalues3",
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
	var kinds, numbers, values [slots]types.Value
	for i := range kinds {
		kinds[i] = number(0)
	}
	used := 0
	slot := func(kind int, n []types.Value, v []types.Value) {
		kinds[used] = number(kind)
		if n != nil {
			numbers[used] = types.NewItems(types.OIDFloat4, n)
		}
		if v != nil {
			values[used] = types.NewItems(c.Type.OID, v)
		}
		used++
	}
	if known.Common != nil {
		var common, shares []types.Value
		for _, m := range known.Common {
			common, shares = append(common, m.Value), append(shares, float4(m.Share))
		}
		slot(commonKind, shares, common)
	}
	if known.Histogram != nil {
		slot(histogramKind, nil, known.Histogram)
	}
	if hasOrder(c.Type) && (1-known.Nulls)*t.Stats.Rows > 1 {
		slot(correlationKind, []types.Value{float4(known.Correlation)}, nil)
	}
	distinct := 0.0
	if hasOrder(c.Type) {
		distinct = statedDistinct(known, t.Stats.Rows)
	}
	r.add(number(t.ID), number(c.ID), float4(known.Nulls), number(r.statedWidth(c.Type, known)), float4(distinct),
		kinds[0], kinds[1], kinds[2], numbers[0], numbers[1], numbers[2], values[0], values[1], values[2])
}

func float4(x float64) types.Value { return types.NewFloat(float64(float32(x))) }

// hasOrder says whether values of a type have an order. Of others little is known.
func hasOrder(t types.T) bool {
	switch t.Kind() {
	case types.KindPoint, types.KindJSON, types.KindJSONPath:
		return false
	}
	return true
}

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
	switch length := r.relations.forms[t.OID].length; {
	case length > 0:
		return int(length)
	case known.Nulls == 1:
		return 0
	case t.Kind() == types.KindNumeric:
		return int(known.Width - numeric + header)
	}
	return int(known.Width + header)
}
