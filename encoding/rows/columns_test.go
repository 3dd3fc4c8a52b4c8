package rows

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/apd/v3"

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
	out := make([][]byte, rng.IntN(30+rng.IntN(2)*200))
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

// readMany reads rows into columns some at a time.
func readMany(t *testing.T, rng *rand.Rand, cols []store.Column, wanted []int, values [][]byte) *types.Batch {
	t.Helper()
	var d Decoder
	d.Prepare(cols, wanted)
	b := types.NewBatch(1)
	d.Begin(b)
	for len(values) > 0 {
		n := 1 + rng.IntN(len(values))
		if err := d.AppendAll(b, values[:n]); err != nil {
			t.Fatal(err)
		}
		values = values[n:]
	}
	return b
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
		to.AppendFrom(0, columns.Column(at), 0, columns.Len())
		*copied.Column(at) = to
	}
	copied.Grow(columns.Len())
	many := readMany(t, rng, cols, wanted, values[:rows.Len()])
	if broken := values[rows.Len():]; len(broken) > 0 { // what is behind a damaged row does not matter
		byColumn.Begin(columns)
		if err := byColumn.AppendAll(columns, values); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%v, want %v", err, ErrCorrupt)
		}
		columns = readMany(t, rng, cols, wanted, values[:rows.Len()])
	}
	sel := []int32{}
	for i := range rows.Len() {
		if rng.IntN(2) == 0 {
			sel = append(sel, int32(i))
		}
	}
	again := types.NewBatch(len(wanted))
	again.AppendAll(rows)
	again.ToColumns()
	for name, b := range map[string]*types.Batch{"read": columns, "read at once": many, "copied": copied,
		"made": again} {
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

// BenchmarkColumns reads some of the columns of a wide row, one by one and many at once.
func BenchmarkColumns(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	cols := make([]store.Column, 16)
	for i := range cols {
		cols[i] = store.Column{ID: uint32(i + 1), Type: types.Int8}
		switch {
		case i == 3, i == 12:
			cols[i].Type = types.Text
		case i > 3 && i < 8:
			cols[i].Type = types.Numeric
		}
	}
	values := make([][]byte, types.BatchRows)
	for r := range values {
		row := make([]types.Value, len(cols))
		for i := range row {
			switch cols[i].Type.Kind() {
			case types.KindText:
				row[i] = types.NewText("some words here"[:rng.IntN(16)])
			case types.KindNumeric:
				row[i] = types.NewNumeric(apd.New(rng.Int64N(1<<rng.IntN(40)), -2))
			default:
				row[i] = types.NewInt(rng.Int64N(1 << rng.IntN(30)))
			}
		}
		values[r] = Append(nil, cols, row)
	}
	for _, wanted := range [][]int{{4}, {0, 5, 9}, {3, 13}} {
		for _, many := range []bool{false, true} {
			b.Run(fmt.Sprintf("%v/many=%v", wanted, many), func(b *testing.B) {
				var d Decoder
				d.Prepare(cols, wanted)
				batch := types.NewBatch(1)
				for b.Loop() {
					d.Begin(batch)
					if many {
						if err := d.AppendAll(batch, values); err != nil {
							b.Fatal(err)
						}
						continue
					}
					for _, value := range values {
						if err := d.Append(batch, value); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(values)), "ns/row")
			})
		}
	}
}
