package executor

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/types"
)

// surveyed are the statistics of a table of rows.
func surveyed(t *testing.T, columns string, rows [][]types.Value) *Survey {
	t.Helper()
	table := tableOf(columns, 1)
	w := newWorld(t, table)
	w.insert(plan.Insert{}, rows...)
	s, err := Statistics(t.Context(), w.env.Txn, w.env.Tables, table, Reading{})
	w.check(err)
	again, err := Statistics(t.Context(), w.env.Txn, w.env.Tables, table, Reading{})
	w.check(err)
	equal := func(a, b types.Value) bool { return types.Compare(a, b) == 0 }
	same := func(a, b sampledRow) bool { return a.number == b.number }
	if !slices.EqualFunc(s.sample, again.sample, same) || !slices.EqualFunc(s.Sample(2), again.Sample(2), equal) {
		t.Error("other statistics of the same rows")
	}
	return s
}

func TestStatistics(t *testing.T) {
	var rows [][]types.Value
	const n = 40_000
	for i := range n {
		var a any = string(rune('a' + i/4%10))
		if i%4 == 0 {
			a = nil
		}
		rows = append(rows, row(i, a, float64(i%7000)))
	}
	s := surveyed(t, "id int4, a text, b float8", rows)
	if !s.Stats.Known || s.Stats.Rows != n || len(s.sample) != sampleRows {
		t.Errorf("%v rows, %d in the sample", s.Stats.Rows, len(s.sample))
	}
	for _, c := range []struct {
		column          uint32
		min, max        string
		distinct, error float64
		nulls, width    float64
		common, bounds  int
	}{
		{1, "0", "39999", n, 0.1, 0, 4, 0, 101},
		{2, "a", "j", 10, 0, 0.25, 1, 10, 0},
		{3, "0", "6999", 7000, 0, 0, 8, 0, 101},
	} {
		k := s.Stats.Columns[c.column]
		if valueText(k.Min) != c.min || valueText(k.Max) != c.max || k.Nulls != c.nulls ||
			math.Abs(k.Distinct-c.distinct) > c.error*c.distinct {
			t.Errorf("column %d: %+v", c.column, k)
		}
		if k.Width != c.width || len(k.Common) != c.common || len(k.Histogram) != c.bounds {
			t.Errorf("column %d: width %g, %d common values, %d bounds", c.column, k.Width, len(k.Common),
				len(k.Histogram))
		}
		for i, bound := range k.Histogram {
			want := float64(i) * k.Max.Float() / 100
			if c.column == 1 {
				want = float64(i*n) / 100
				bound = types.NewFloat(float64(bound.Int()))
			}
			if math.Abs(bound.Float()-want) > n/100 {
				t.Errorf("column %d: bound %d is %v", c.column, i, bound.Float())
			}
		}
	}
	if k := s.Stats.Columns[1]; k.Correlation != 1 {
		t.Errorf("correlation %g", k.Correlation)
	}
	below := 0
	for _, v := range s.Sample(1) {
		if v.Int() < n/2 {
			below++
		}
	}
	if share := float64(below) / sampleRows; math.Abs(share-0.5) > 0.02 {
		t.Errorf("%.3f of the sample is in the lower half", share)
	}
}

// TestCommonValues holds that of a sample of many values only those are common that are clearly
// more so than the rest, and that of all rows each is that was met twice.
func TestCommonValues(t *testing.T) {
	of := func(n int) []catalog.Common {
		var rows [][]types.Value
		for i := range n {
			v := i // half of the rows: twice each; a tenth: 7, and a twentieth: 8
			switch {
			case i%10 == 0:
				v = 7
			case i%20 == 1:
				v = 8
			case i%2 == 1:
				v = 1000 + i/4
			}
			rows = append(rows, row(i, v))
		}
		return surveyed(t, "id int4, a int4", rows).Stats.Columns[2].Common
	}
	if got := of(60_000); len(got) < 2 || len(got) > 4 || got[0].Value.Int() != 7 ||
		math.Abs(got[0].Share-0.1) > 0.01 || got[1].Value.Int() != 8 {
		t.Errorf("of a sample: %+v", got)
	}
	if got := of(200); len(got) < 40 || got[0].Share != 0.1 {
		t.Errorf("of all rows: %d, %+v", len(got), got[:1])
	}
}

// TestWideValues holds that wide values are no bounds and no common values, but are seen by the
// maps of an index, and that a sample of wide rows is smaller and as uniform.
func TestWideValues(t *testing.T) {
	var rows [][]types.Value
	for i := range 100 {
		rows = append(rows, row(i, fmt.Sprintf("%02d", i/2)+strings.Repeat("ä", 2000)),
			row(100+i, fmt.Sprint("short ", i/2)))
	}
	s := surveyed(t, "id int4, a text", rows)
	k := s.Stats.Columns[2]
	for _, c := range k.Common {
		if len(c.Value.Text()) > wideBytes {
			t.Errorf("a common value of %d bytes", len(c.Value.Text()))
		}
	}
	if k.Width < 1900 || k.Width > 2100 { // half of the texts have some 4000 bytes, and half some 7
		t.Errorf("the values have %g bytes on average", k.Width)
	}
	if len(k.Common) != 50 || len(s.Sample(2)) != 200 || k.Distinct != 100 {
		t.Errorf("%d common values, %d sampled, %g different ones", len(k.Common), len(s.Sample(2)), k.Distinct)
	}

	r := newReservoir(1000, 20_000)
	for i := range 10_000 {
		r.add(types.Row{types.NewInt(int64(i)), types.NewText(strings.Repeat("x", 50))})
	}
	got := r.ordered()
	below := slices.IndexFunc(got, func(s sampledRow) bool { return s.number >= 5000 })
	if len(got) != 88 || r.bytes > 20_000 || below < 30 || below > 60 {
		t.Errorf("%d rows of %d bytes, of which %d are among the first half", len(got), r.bytes, below)
	}
}

func TestCorrelation(t *testing.T) {
	var rows [][]types.Value
	for i := range 500 {
		rows = append(rows, row(i, -i, i*7919%500))
	}
	s := surveyed(t, "id int4, a int4, b int4", rows)
	if a, b := s.Stats.Columns[2].Correlation, s.Stats.Columns[3].Correlation; a != -1 || math.Abs(b) > 0.2 {
		t.Errorf("%g and %g", a, b)
	}
}
