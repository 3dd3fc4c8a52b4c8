package executor

import (
	"context"
	"math"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
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
	columns := make([]columnSurvey, len(t.Columns))
	for i := range columns {
		columns[i].before = t.Stats.Columns[t.Columns[i].ID].Max
	}
	rows, sample := 0, newReservoir(sampleRows, sampleBytes)
	deleted := celltime.DeletedAt(t)
	cut := false
	for batch, err := range everything(ctx, txn, tables, t, nil) {
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
				columns[c].add(row[c])
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
		known.Grown = columns[c].grown(float64(rows)-t.Stats.Rows, t.Stats.Columns[t.Columns[c].ID].Grown)
		out.describe(c, &known)
		out.Stats.Columns[t.Columns[c].ID] = known
	}
	return out, nil
}

// Sample are the sampled values of a column that are not NULL.
func (s *Survey) Sample(column uint32) []types.Value {
	at := s.table.Ordinal(column)
	var out []types.Value
	for _, r := range s.sample {
		if v := r.row[at]; !v.IsNull() {
			out = append(out, v)
		}
	}
	return out
}

// columnSurvey is what has been seen of a column.
type columnSurvey struct {
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
	return catalog.ColumnStats{
		Min: s.min, Max: s.max, Distinct: s.distinct.estimate(), Nulls: float64(s.nulls) / math.Max(float64(rows), 1),
	}
}
