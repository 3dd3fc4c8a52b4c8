package executor

import (
	"context"
	"math"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/celltime"
	"zproxy/catalog/part"
	"zproxy/store"
	"zproxy/types"
)

// Survey is what one read of all rows of a table has shown.
type Survey struct {
	Stats catalog.Stats
	// Cut says that it did not come to the end of the table, which others own and may be large.
	Cut    bool
	table  *catalog.Table
	sample []sampledRow
}

// mostForeign is how many rows of a table that others own are read.
const mostForeign = 10_000

// Statistics reads a table once and says what its rows are like: how many there are, how many
// values are NULL or different, and the least and the greatest, of all rows; the rest of a sample.
func Statistics(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table, seen *Seen) (*Survey, error) {
	columns := surveysOf(t)
	rows, sample := 0, newReservoir(sampleRows, sampleBytes)
	deleted := celltime.DeletedAt(t)
	cut := false
	for batch, err := range inSegments(ctx, txn, tables, t) {
		if err != nil {
			return nil, err
		}
		seen.add(batch.Len())
		for i := range batch.Len() {
			row := batch.Row(i)
			if deleted >= 0 && !row[deleted].IsNull() {
				continue
			}
			rows++
			for c := range columns {
				columns[c].add(columns[c].of.value(row))
			}
			sample.add(row)
		}
		if cut = t.Foreign != nil && rows >= mostForeign; cut {
			break
		}
	}
	out := &Survey{Cut: cut, table: t, sample: sample.ordered()}
	out.Stats = catalog.Stats{Known: true, Rows: float64(rows), Columns: map[uint32]catalog.ColumnStats{}}
	for c := range columns {
		known := columns[c].stats(rows)
		of := columns[c].of
		known.Grown = columns[c].grown(float64(rows)-t.Stats.Rows, t.Stats.Columns[of.ID].Grown)
		out.describe(of, &known)
		out.Stats.Columns[of.ID] = known
	}
	return out, nil
}

// measured is a column that is surveyed, or an axis of one.
type measured struct{ part.Source }

func (s measured) value(row types.Row) types.Value { return axis.Coordinate(s.ID, row[s.Ordinal]) }

// surveysOf are those of the columns of a table, and behind them the axes of columns of points.
func surveysOf(t *catalog.Table) []columnSurvey {
	var out []columnSurvey
	add := func(id uint32) {
		out = append(out, columnSurvey{of: measured{t.Source(id)}, before: t.Stats.Columns[id].Max})
	}
	for _, c := range t.Columns {
		add(c.ID)
	}
	for _, c := range t.Columns {
		for _, axis := range axis.Of(c.ID, c.Type) {
			add(axis)
		}
	}
	return out
}

// Sample are the sampled values of a column, or of an axis of one, that are not NULL.
func (s *Survey) Sample(column uint32) []types.Value {
	of := measured{s.table.Source(column)}
	var out []types.Value
	for _, r := range s.sample {
		if v := of.value(r.row); !v.IsNull() {
			out = append(out, v)
		}
	}
	return out
}

// columnSurvey is what has been seen of a column.
type columnSurvey struct {
	of       measured
	min, max types.Value
	before   types.Value // the greatest value of the statistics before; NULL: not known
	above    int         // values above that
	nulls    int
	distinct distinctCount
	key      []byte
}

func (s *columnSurvey) add(v types.Value) {
	if v.IsNull() {
		s.nulls++
		return
	}
	s.key = types.AppendKey(s.key[:0], v)
	s.distinct.add(hash(s.key))
	switch v.Kind() {
	case types.KindPoint, types.KindJSON, types.KindJSONB:
		return // no index is ordered by them
	}
	if !s.before.IsNull() && types.Compare(v, s.before) > 0 {
		s.above++
	}
	if s.min.IsNull() || types.Compare(v, s.min) < 0 {
		s.min = v
	}
	if s.max.IsNull() || types.Compare(v, s.max) > 0 {
		s.max = v
	}
}

// leastAdded is how many rows must have come since the statistics before to say whether values grow.
const leastAdded = 100

// grown is Grown of the column where so many rows were added, or what it was if they are few.
func (s *columnSurvey) grown(added, was float64) float64 {
	if s.before.IsNull() || added < leastAdded {
		return was
	}
	return math.Min(float64(s.above)/added, 1)
}

func (s *columnSurvey) stats(rows int) catalog.ColumnStats {
	known := catalog.ColumnStats{
		Distinct: s.distinct.estimate(), Nulls: float64(s.nulls) / math.Max(float64(rows), 1),
	}
	if fits(s.min) && fits(s.max) { // others would make the descriptor of the table too large for a store
		known.Min, known.Max = s.min, s.max
	}
	return known
}
