package executor

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// sizedWorld has a table of n rows, and a store that knows about how large it is.
func sizedWorld(t *testing.T, o memstore.Options, n int) *world {
	columns := "id int4, quarter int4, thousand int4, half int4, one int4, part int4, note text"
	w := newWorldIn(t, tableOf(columns, 1), memstore.New(o))
	w.env.Tables.Store = w.store.Capabilities()
	note := strings.Repeat("x", 100)
	var rows [][]types.Value
	for i := range n {
		half, part := any(i), any(nil)
		if i%2 == 0 {
			half = 7
		}
		if i%4 != 0 {
			part = i * 7919 % 500
		}
		rows = append(rows, row(i, i/4, i*7919%1000, half, 1, part, note))
	}
	if made := w.insert(plan.Insert{}, rows...); made != fmt.Sprint(n) {
		t.Fatal(made)
	}
	w.commit()
	return w
}

// surveyed reads the table for its statistics by a function.
func (w *world) surveyed(by Reading, read func(*surveying) error) *Survey {
	w.t.Helper()
	r := newSurveying(w.env.Txn, w.env.Tables, w.table, by)
	w.check(read(r))
	return r.survey()
}

// about says whether a number is another one or off by no more than a factor.
func about(got, want, factor float64) bool { return got <= want*factor && want <= got*factor }

// checkValues holds that what is known of the values is about right.
func (w *world) checkValues(s *Survey, n float64, factor float64) {
	w.t.Helper()
	for i, want := range []float64{n, n / 4, 1000, n/2 + 1, 1, 500, 1} {
		c := s.Stats.Columns[uint32(i+1)]
		if !about(c.Distinct, want, factor) {
			w.t.Errorf("column %d has %.0f values, and %.0f are expected", i+1, want, c.Distinct)
		}
		if nulls := []float64{0, 0, 0, 0, 0, 0.25, 0}[i]; math.Abs(c.Nulls-nulls) > 0.03 {
			w.t.Errorf("column %d: %.2f are NULL, want %.2f", i+1, c.Nulls, nulls)
		}
	}
	if c := s.Stats.Columns[4].Common; len(c) == 0 || c[0].Value.Int() != 7 || math.Abs(c[0].Share-0.5) > 0.05 {
		w.t.Errorf("the common values are %v", c)
	}
	if s.Stats.Columns[2].Histogram == nil {
		w.t.Error("there is no histogram")
	}
}

// TestSampledParts reads a tenth of a table, in key order and by hash: what is known of it is about what all rows would
// have shown, also of columns whose equal values are next to each other.
func TestSampledParts(t *testing.T) {
	const n = 40_000
	for _, o := range []memstore.Options{{}, {Unordered: true}} {
		t.Run(fmt.Sprintf("unordered=%v", o.Unordered), func(t *testing.T) {
			w := sizedWorld(t, o, n)
			s := w.surveyed(Reading{Sized: w.store.(store.Sized)}, func(r *surveying) error {
				r.thought = n
				return r.sampled(t.Context(), 0.1, math.Inf(1))
			})
			if s.Parts != sampledParts || s.Of != 10*sampledParts || !about(float64(s.Sampling.Rows), n/10, 1.2) ||
				!about(s.Stats.Rows, n, 1.1) {
				t.Errorf("%d of %d parts with %d rows, so there are %.0f", s.Parts, s.Of, s.Sampling.Rows, s.Stats.Rows)
			}
			w.checkValues(s, n, 1.6)
		})
	}
}

// TestDeletedRows holds that what a store counts of rows that were deleted is not taken for rows.
func TestDeletedRows(t *testing.T) {
	const n = 10_000
	w := sizedWorld(t, memstore.Options{}, n)
	for _, c := range []struct{ thought, want float64 }{{10 * n, n}, {1.5 * n, 1.5 * n}} {
		s := w.surveyed(Reading{Sized: w.store.(store.Sized)}, func(r *surveying) error {
			r.thought = c.thought
			return r.sampled(t.Context(), 0.2, math.Inf(1))
		})
		if !about(s.Stats.Rows, c.want, 1.1) {
			t.Errorf("where the store counts %.0f there are thought to be %.0f rows, want %.0f", c.thought, s.Stats.Rows,
				c.want)
		}
	}
}

// wrongSizes is a store that knows only how large its spaces were once.
type wrongSizes struct {
	store.Sized
	times float64 // what it knows, of what there is
}

// Items implements store.Sized.
func (s wrongSizes) Items(ctx context.Context, sp *store.Space) (int64, bool, error) {
	n, known, err := s.Sized.Items(ctx, sp)
	return int64(float64(n) * s.times), known && s.times > 0, err
}

// Bytes implements store.Sized.
func (s wrongSizes) Bytes(ctx context.Context, sp *store.Space) (int64, bool, error) {
	n, known, err := s.Sized.Bytes(ctx, sp)
	return int64(float64(n) * s.times), known && s.times > 0, err
}

// TestUnitsOfStatistics reads tables for no more units than are allowed, whatever the store says of how large they are.
func TestUnitsOfStatistics(t *testing.T) {
	const n = 40_000 // of about 200 bytes: 2,000 units
	w := sizedWorld(t, memstore.Options{Unordered: true, Units: true}, n)
	for _, c := range []struct {
		units, times float64
		of           int
	}{{0, 1, 1}, {10_000, 1, 1}, {10_000, 0, 1}, {500, 1, 0}, {500, 0, 0}, {500, 0.01, 0}, {500, 10, 0}, {250, 0, 0}} {
		t.Run(fmt.Sprintf("%.0f units of %.2f", c.units, c.times), func(t *testing.T) {
			by := Reading{Sized: wrongSizes{w.store.(store.Sized), c.times}, Units: c.units}
			s, err := Statistics(t.Context(), w.env.Txn, w.env.Tables, w.table, by)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d parts, %d rows, so there are %.0f; %.0f units", s.Parts, s.Of, s.Sampling.Rows,
				s.Stats.Rows, s.Charged)
			switch {
			case c.of == 1 && (s.Of != 1 || s.Stats.Rows != n):
				t.Errorf("%d of %d parts, %.0f rows", s.Parts, s.Of, s.Stats.Rows)
			case c.of != 1 && (s.Charged > c.units+10 || !about(s.Stats.Rows, n, 1.5)):
				t.Errorf("%.0f units are charged, and there are thought to be %.0f rows", s.Charged, s.Stats.Rows)
			case s.Sampling.Rows > 3000:
				w.checkValues(s, s.Stats.Rows, 2)
			}
		})
	}
}

// TestFewPartitions reads a table from the front of which no part by hash has rows but one: all are in one partition.
func TestFewPartitions(t *testing.T) {
	const n = 20_000 // of about 150 bytes: 700 units
	w := newWorldIn(t, tableOf("p int4, id int4, a int4, note text", 2),
		memstore.New(memstore.Options{Unordered: true, Units: true}))
	w.env.Tables.Store = w.store.Capabilities()
	var rows [][]types.Value
	for i := range n {
		rows = append(rows, row(1, i, i%10, strings.Repeat("x", 100)))
	}
	w.insert(plan.Insert{}, rows...)
	w.commit()
	s, err := Statistics(t.Context(), w.env.Txn, w.env.Tables, w.table,
		Reading{Sized: w.store.(store.Sized), Units: 200})
	w.check(err)
	a := s.Stats.Columns[3]
	if s.Charged > 210 || s.Stats.Rows != n || s.Sampling.Rows < 1000 || a.Distinct != 10 || len(a.Common) != 10 {
		t.Errorf("%.0f units for %d of %.0f rows: %+v", s.Charged, s.Sampling.Rows, s.Stats.Rows, a)
	}
}

// TestSpecies reckons how many values there are in all parts of some, by how often values come again.
func TestSpecies(t *testing.T) {
	for _, c := range []struct {
		name           string
		value          func(part, i int) int
		parts, of, per int
		want           float64
	}{
		{"keys", func(p, i int) int { return p*100 + i }, 50, 1000, 100, 100_000},
		{"groups of four", func(p, i int) int { return p*25 + i/4 }, 50, 1000, 100, 25_000},
		{"the same in each part", func(_, i int) int { return i }, 50, 1000, 100, 100},
		{"one", func(int, int) int { return 1 }, 50, 1000, 100, 1},
		{"all parts", func(p, i int) int { return p*100 + i }, 50, 50, 100, 5000},
		{"often", func(p, i int) int { return (p*101 + i*i*31) % 2003 }, 50, 1000, 100, 2003},
		{"seldom", func(p, i int) int { return (p*p*17 + i*i*7919) % 20011 }, 50, 1000, 100, 20_011},
		{"many", func(p, i int) int { return p*1000 + i }, 100, 10_000, 1000, 10_000_000},
	} {
		var d distinctCount
		key := make([]byte, 0, 8)
		for p := range c.parts {
			for i := range c.per {
				key = types.AppendKey(key[:0], types.NewInt(int64(c.value(p*(c.of/c.parts), i))))
				d.add(hash(key), p)
			}
		}
		if got := d.estimateAll(c.parts, c.of); !about(got, c.want, 1.15) {
			t.Errorf("%s: %.0f values, want %.0f", c.name, got, c.want)
		}
	}
}
