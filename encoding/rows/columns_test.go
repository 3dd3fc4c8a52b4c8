package rows

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/types"
)

// TestColumns reads random rows into columns and as rows: also rows with fields of other columns, with values of other
// kinds than the column's, and damaged ones, behind which a batch ends.
func TestColumns(t *testing.T) {
	rng, all := rand.New(rand.NewPCG(testseed.Of(t), 0)), samples(t)
	kinds := []types.T{types.Int8, types.Date, types.Timestamp, types.Time, types.Float8, types.Numeric, types.Text,
		types.Bpchar, types.Bool, types.UUID}
	for range 120 {
		cols := make([]store.Column, 1+rng.IntN(6))
		for i := range cols {
			cols[i] = store.Column{ID: uint32(i * (1 + rng.IntN(3))), Type: kinds[rng.IntN(len(kinds))]}
			if i > 0 {
				cols[i].ID = cols[i-1].ID + 1 + uint32(rng.IntN(3))
			}
			if rng.IntN(4) == 0 {
				cols[i].Missing = sampleOf(rng, all, cols[i].Type)
			}
		}
		wanted := make([]int, 1+rng.IntN(6))
		for i := range wanted {
			wanted[i] = rng.IntN(len(cols)+1) - 1 // -1 is NoColumn
		}
		checkColumns(t, rng, cols, wanted, randomRows(rng, cols, all))
	}
}

// randomRows are the bytes of some rows.
func randomRows(rng *rand.Rand, cols []store.Column, all []types.Value) [][]byte {
	out := make([][]byte, rng.IntN(30))
	odd := rng.IntN(3) == 0
	for i := range out {
		written := slices.Clone(cols)
		if rng.IntN(8) == 0 {
			written = written[:rng.IntN(len(cols)+1)]
		}
		values := make([]types.Value, len(written))
		for at := range values {
			if values[at] = sampleOf(rng, all, written[at].Type); odd && rng.IntN(20) == 0 {
				values[at] = all[rng.IntN(len(all))]
			}
		}
		out[i] = Append(nil, written, values)
		if odd && rng.IntN(40) == 0 {
			out[i] = out[i][:rng.IntN(len(out[i]))]
		}
	}
	return out
}

// sampleOf is a value of a type, or NULL.
func sampleOf(rng *rand.Rand, all []types.Value, of types.T) types.Value {
	fit := slices.DeleteFunc(slices.Clone(all), func(v types.Value) bool { return v.Kind() != of.Kind() })
	if len(fit) == 0 || rng.IntN(6) == 0 {
		return types.Null
	}
	if of.Kind() == types.KindNumeric && rng.IntN(3) > 0 {
		return fit[len(fit)/2] // mostly of one scale
	}
	return fit[rng.IntN(len(fit))]
}

// checkColumns compares the batch of columns with the rows.
func checkColumns(t *testing.T, rng *rand.Rand, cols []store.Column, wanted []int, values [][]byte) {
	t.Helper()
	var byRow, byColumn Decoder
	byRow.Prepare(cols, wanted)
	byColumn.Prepare(cols, wanted)
	rows, columns := types.NewBatch(len(wanted)), types.NewBatch(1)
	byColumn.Begin(columns)
	for _, value := range values {
		want, err := byRow.Decode(rows.Add(), value), byColumn.Append(columns, value)
		if (want == nil) != (err == nil) || err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%v, want %v", err, want)
		}
		if err != nil {
			rows.Truncate(rows.Len() - 1)
			columns.Truncate(columns.Len() - 1)
			break
		}
	}
	copied := types.NewBatch(1)
	for at, to := range copied.Columns(len(wanted)) {
		to.Copy(columns.Column(at), columns.Len())
		*copied.Column(at) = to
	}
	copied.Grow(columns.Len())
	sel := []int32{}
	for i := range rows.Len() {
		if rng.IntN(2) == 0 {
			sel = append(sel, int32(i))
		}
	}
	again := types.NewBatch(len(wanted))
	again.AppendAll(rows)
	again.ToColumns()
	for name, b := range map[string]*types.Batch{"read": columns, "copied": copied, "made": again} {
		for i := range rows.Len() {
			for at := range wanted {
				v := b.Column(at)
				if show(v.Value(i)) != show(rows.Row(i)[at]) || show(v.Kept(i)) != show(rows.Row(i)[at]) ||
					string(v.AppendKey(nil, i)) != string(types.AppendKey(nil, rows.Row(i)[at])) {
					t.Fatalf("%s: %d, %d: %s, want %s", name, i, at, show(v.Value(i)), show(rows.Row(i)[at]))
				}
			}
		}
		b.Select(sel)
		for to, from := range sel {
			for at := range wanted {
				if show(b.Row(to)[at]) != show(rows.Row(int(from))[at]) {
					t.Fatalf("%s: selected %d, %d: %s, want %s", name, from, at, show(b.Row(to)[at]),
						show(rows.Row(int(from))[at]))
				}
			}
		}
	}
}
