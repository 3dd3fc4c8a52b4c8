package curve

import (
	"slices"
	"testing"

	"zproxy/catalog"
	keypart "zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/planner/declared"
	"zproxy/types"
)

// TestLearnMap holds which map a dimension takes, and how wide it is.
func TestLearnMap(t *testing.T) {
	ints := func(list ...int64) (out []types.Value) {
		for _, v := range list {
			out = append(out, types.NewInt(v))
		}
		return out
	}
	percent := between(types.NewInt(0), types.NewInt(100))
	for _, c := range []struct {
		name     string
		typ      types.T
		asked    catalog.Dimension
		declared declared.Bounds
		values   []types.Value
		want     string
		pieces   int
	}{
		{"empty", types.Int4, catalog.Dimension{}, declared.Bounds{}, nil, "c: raw, 32 bits, version 1", 0},
		{"empty, of a text", types.Text, catalog.Dimension{}, declared.Bounds{}, nil, "c: raw, 64 bits, version 1", 0},
		{"empty, of a uuid", types.UUID, catalog.Dimension{}, declared.Bounds{}, nil, "c: raw, 128 bits, version 1", 0},
		{"empty, between bounds", types.Int4, catalog.Dimension{}, percent, nil, "c: range, 32 bits, version 1, 0 to 100", 1},
		{"empty, below a bound", types.Int4, catalog.Dimension{}, declared.Bounds{High: types.NewInt(100)}, nil, "c: raw, 32 bits, version 1", 0},
		{"empty, of clocks", types.Time, catalog.Dimension{}, declared.Bounds{}, nil, "c: range, 32 bits, version 1, 00:00:00 to 24:00:00", 1},
		{"empty, raw", types.Time, catalog.Dimension{Map: catalog.MapRaw}, declared.Bounds{}, nil, "c: raw, 64 bits, version 1", 0},
		{"empty, quantile", types.Int8, catalog.Dimension{Map: catalog.MapQuantile}, declared.Bounds{}, nil, "c: quantile of nothing yet, 64 bits, version 1", 0},
		{"one value", types.Int4, catalog.Dimension{}, declared.Bounds{}, ints(7, 7, 7), "c: raw, 32 bits, version 1", 0},
		{"five values", types.Int4, catalog.Dimension{}, declared.Bounds{}, ints(1, 2, 3, 4, 5), "c: quantile, 32 bits, version 1, 1 to 5", 8},
		{"in bits", types.Int4, catalog.Dimension{Bits: 20}, declared.Bounds{}, ints(1, 2, 3, 4, 5), "c: quantile, 20 bits, version 1, 1 to 5", 8},
		{"range", types.Int4, catalog.Dimension{Map: catalog.MapRange}, percent, ints(1, 2, 3, 90), "c: range, 32 bits, version 1, 1 to 90", 1},
		{"too wide for a map", types.UUID, catalog.Dimension{Bits: 128}, declared.Bounds{}, []types.Value{types.NewUUID([16]byte{1}), types.NewUUID([16]byte{2})}, "c: raw, 128 bits, version 1", 0},
		{"booleans", types.Bool, catalog.Dimension{Map: catalog.MapQuantile}, declared.Bounds{}, []types.Value{types.NewBool(true), types.NewBool(false)}, "c: quantile of nothing yet, 1 bit, version 1", 0},
		{"small", types.Int2, catalog.Dimension{}, declared.Bounds{}, ints(1, 2), "c: quantile, 16 bits, version 1, 1 to 2", 1},
		{"declared ends", types.Int4, catalog.Dimension{}, between(types.NewInt(1), types.NewInt(5)), ints(1, 2, 3, 4, 5), "c: quantile, 32 bits, version 1, 1 to 5", 4},
		{
			"endless", types.Date, catalog.Dimension{}, declared.Bounds{},
			[]types.Value{types.NewDate(-1 << 31), types.NewDate(1), types.NewDate(2), types.NewDate(3), types.NewDate(1<<31 - 1)}, "c: quantile, 32 bits, version 1, 2000-01-02 to 2000-01-04", 4,
		},
	} {
		d := c.asked
		d.Column = 1
		known := knownValues{t: c.typ, declared: c.declared}
		known.sample = append(known.sample, c.values...)
		known.stats.Histogram = c.values
		table := &catalog.Table{Columns: []catalog.Column{{ID: 1, Name: "c", Type: c.typ}}}
		learnMap(&d, known)
		got, _ := table.DescribeDimensions(&catalog.Layout{Sort: []catalog.Part{{Kind: keypart.ZAddress,
			Curve: []catalog.Dimension{d}}}})
		if got[0] != c.want || max(len(d.Knots)-1, 0) != c.pieces {
			t.Errorf("%s: %s in %d pieces, want %s in %d", c.name, got[0], len(d.Knots)-1, c.want, c.pieces)
		}
	}
}

// TestLearnMapAnew wants a map that no statement asked for to be chosen again, with its width, and
// what was asked for to stay.
func TestLearnMapAnew(t *testing.T) {
	full := knownValues{t: types.Int8, sample: []types.Value{types.NewInt(1), types.NewInt(2), types.NewInt(3)}}
	auto, asked := catalog.Dimension{}, catalog.Dimension{Map: catalog.MapRaw, Bits: 20}
	for range 2 {
		learnMap(&auto, knownValues{t: types.Int8})
		learnMap(&asked, knownValues{t: types.Int8})
	}
	if auto.Map != catalog.MapRaw || auto.Bits != 64 || auto.Knots != nil || auto.Version != 2 {
		t.Errorf("in an empty table %+v", auto)
	}
	learnMap(&auto, full)
	learnMap(&asked, full)
	if auto.Map != catalog.MapQuantile || auto.Bits != 32 || auto.Version != 3 {
		t.Errorf("in a filled table %+v", auto)
	}
	if asked.Map != catalog.MapRaw || asked.Bits != 20 || asked.Knots != nil || asked.Version != 3 {
		t.Errorf("as asked %+v", asked)
	}
	learnMap(&auto, knownValues{t: types.Int8})
	if auto.Map != catalog.MapRaw || auto.Bits != 64 || auto.Knots != nil || auto.Low != "" {
		t.Errorf("in a table that is empty again %+v", auto)
	}
}

// TestBoundsOfGrowth wants no codes to be kept for values that cannot be.
func TestBoundsOfGrowth(t *testing.T) {
	low, high := types.NewInt(0), types.NewInt(1000)
	var codes []uint64
	var sample []types.Value
	for i := range int64(1001) {
		codes = append(codes, keys.Code(types.NewInt(i), types.Int4))
		sample = append(sample, types.NewInt(i))
	}
	d := catalog.Dimension{}
	learnMap(&d, knownValues{t: types.Int4, declared: between(low, high), sample: sample})
	if !slices.Equal(d.Knots, zorder.Quantiles(codes, mapKnots).Knots) {
		t.Errorf("%d knots from %d to %d", len(d.Knots), d.Knots[0], d.Knots[len(d.Knots)-1])
	}
}

// between are the bounds from one value to another.
func between(low, high types.Value) declared.Bounds { return declared.Bounds{Low: low, High: high} }
