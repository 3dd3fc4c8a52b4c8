package extent

import (
	"cmp"
	"math"
	"slices"

	"github.com/axiomhq/hyperloglog"

	"zproxy/types"
)

const (
	// precision is the binary logarithm of how many registers a sketch of distinct values has: 4 KB, and an error of
	// 1.6 %.
	precision = 12
	// enough is how many rows must have been written to tell of all, unless these are the leastShare of them.
	enough, leastShare = 1000, 0.1
	// manyDistinct is the share of rows with a value of their own above which there are more values in more rows, as in
	// PostgreSQL.
	manyDistinct = 0.1
	// recounted is by which factor rows may grow until values are counted again, which takes some microseconds.
	recounted = 1.05
	// widest is how many bytes a value may have to be sampled.
	widest = 256
	// pieces is how many pieces a histogram has, of so many values at least.
	pieces, leastPerPiece = 64, 4
	// A common value is in the sample leastCommon times, and by surprising standard deviations more often than if all
	// values were as common.
	leastCommon, surprising = 8, 6
)

// Column is what is known of the values of a column, as catalog.ColumnStats says it.
type Column struct {
	Distinct  float64
	Nulls     float64 // the share of rows that are NULL
	Common    []Common
	Histogram []types.Value
}

// Common is a value that many rows have.
type Common struct {
	Value types.Value
	Share float64 // of all rows
}

// written is what was written of a column.
type written struct {
	sketch      *hyperloglog.Sketch
	rows, nulls float64
	sample      *reservoir[types.Value] // not NULL; nil: values are too wide to keep, or have no order
	counted     float64                 // rows when values were summed up the last time
	summary     Column
}

func newWritten() *written {
	sketch, err := hyperloglog.NewSketch(precision, false)
	if err != nil {
		panic(err) // it has all precisions between 4 and 18
	}
	return &written{sketch: sketch, sample: newReservoir(types.Compare)}
}

func (w *written) add(hash uint64, v types.Value) {
	w.rows++
	if v.IsNull() {
		w.nulls++
		return
	}
	w.sketch.InsertHash(hash)
	fits := true
	if w.sample != nil {
		w.sample.add(func() types.Value {
			fits = sampleable(v)
			return v
		})
	}
	if !fits {
		w.sample = nil
	}
}

// sampleable says whether a value has an order, in which it lies on a line, and is not too wide to keep.
func sampleable(v types.Value) bool {
	return v.Kind().Ordered() && v.Kind() != types.KindJSONB && len(types.AppendKey(nil, v)) <= widest
}

// tells says whether so many rows that were written tell of all, as far as these are known.
func tells(rows, known float64) bool {
	return rows >= enough || rows >= leastShare*math.Max(known, rows)
}

// column is what is thought of all rows of the table, of which so many are known.
func (w *written) column(known float64) (Column, bool) {
	if !tells(w.rows, known) {
		return Column{}, false
	}
	if w.rows > w.counted*recounted {
		w.counted, w.summary = w.rows, w.sumUp()
	}
	out := w.summary
	if out.Distinct > manyDistinct*w.rows {
		out.Distinct *= math.Max(known, w.rows) / w.rows
	}
	return out, true
}

// sumUp makes of what was written what is known.
func (w *written) sumUp() Column {
	out := Column{Nulls: w.nulls / w.rows}
	out.Distinct = math.Max(1, math.Min(float64(w.sketch.Estimate()), w.rows-w.nulls))
	if w.sample == nil {
		return out
	}
	values := w.sample.inOrder()
	usual := float64(len(values)) / out.Distinct
	common := math.Max(leastCommon, usual+surprising*math.Sqrt(usual))
	var others []types.Value
	for len(values) > 0 {
		n := 1
		for n < len(values) && types.Compare(values[0], values[n]) == 0 {
			n++
		}
		if float64(n) >= common {
			share := (1 - out.Nulls) * float64(n) / float64(len(w.sample.list))
			out.Common = append(out.Common, Common{values[0], share})
		} else {
			others = append(others, values[:n]...)
		}
		values = values[n:]
	}
	slices.SortStableFunc(out.Common, func(a, b Common) int { return cmp.Compare(b.Share, a.Share) })
	out.Histogram = bounds(others)
	return out
}

// bounds are those of a histogram of values in ascending order; nil: they are too few.
func bounds(values []types.Value) []types.Value {
	n := min(pieces, len(values)/leastPerPiece)
	if n == 0 {
		return nil
	}
	out := make([]types.Value, n+1)
	for i := range out {
		out[i] = values[i*(len(values)-1)/n]
	}
	return out
}
