package cardinality

import (
	"math"
	"math/rand/v2"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestDrawn draws rows and counts the values that they have.
func TestDrawn(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, c := range []struct{ distinct, of, rows int }{
		{10, 1000, 5}, {100, 1000, 50}, {100, 1000, 500}, {900, 1000, 100},
	} {
		sum := 0.0
		const tries = 300
		for range tries {
			seen := map[int]bool{}
			for _, row := range random.Perm(c.of)[:c.rows] {
				seen[row%c.distinct] = true
			}
			sum += float64(len(seen))
		}
		want, got := sum/tries, drawn(float64(c.distinct), float64(c.of), float64(c.rows))
		if math.Abs(got-want) > 0.05*want {
			t.Errorf("%d of %d rows with %d values have %.1f, and are thought to have %.1f", c.rows, c.of, c.distinct,
				want, got)
		}
	}
}

// counted is a column of a table with so many rows of each value, all of which are known as common ones.
func counted(counts map[int64]float64) column {
	stats := catalog.ColumnStats{Distinct: float64(len(counts))}
	rows := 0.0
	for _, count := range counts {
		rows += count
	}
	for v, count := range counts {
		stats.Common = append(stats.Common, catalog.Common{Value: types.NewInt(v), Share: count / rows})
	}
	table := &catalog.Table{Columns: []catalog.Column{{ID: 1}}}
	table.Stats = catalog.Stats{Known: true, Rows: rows, Columns: map[uint32]catalog.ColumnStats{1: stats}}
	return base(&relation{table: table, rows: rows}, 0)
}

// someCounts are those of some of 30 values.
func someCounts(random *rand.Rand) map[int64]float64 {
	counts := map[int64]float64{}
	for range 1 + random.IntN(20) {
		counts[random.Int64N(30)] = float64(1 + random.IntN(100))
	}
	return counts
}

// TestCommon joins columns of which all values are common ones, so that what comes is known.
func TestCommon(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for range 100 {
		of, to := someCounts(random), someCounts(random)
		l, r := counted(of), counted(to)
		pairs, all := 0.0, l.of.rows*r.of.rows
		for v, count := range of {
			pairs += count * to[v]
		}
		share, ok := common(&l, &r)
		if !ok || math.Abs(share*all-pairs) > 0.01*all/100 {
			t.Errorf("%v: %.1f pairs are expected, and there are %.1f", of, share*all, pairs)
		}
	}
}

// TestEquatedAgain joins two columns of which all values are common ones, and what comes with a third: it has common
// values that both had, or none is known.
func TestEquatedAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 4))
	without := 0
	for range 300 {
		of, to, third := someCounts(random), someCounts(random), someCounts(random)
		l, r, other := counted(of), counted(to), counted(third)
		on := []plan.JoinKey{{Left: expr.Column{Index: 0}, Right: expr.Column{Index: 0}}}
		both := (&estimate{}).joined(on, profile{rows: l.of.rows, columns: []column{l}},
			profile{rows: r.of.rows, columns: []column{r}}, 1)
		joined, pairs := 0.0, 0.0
		for v, count := range of {
			joined += count * to[v]
			pairs += count * to[v] * third[v]
		}
		share, ok := common(&both.columns[0], &other)
		if joined == 0 {
			without++
		}
		if ok != (joined > 0) || ok && math.Abs(share-pairs/joined/other.of.rows) > 0.001 {
			t.Errorf("%v and %v: %g of the pairs are expected, and %g of %g rows have partners", of, to, share, pairs,
				joined)
		}
	}
	if without == 0 {
		t.Error("all pairs of columns had a value in common")
	}
}

// TestEquated joins two columns with the key of a third table, through which common values of one meet those of the
// other.
func TestEquated(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 3))
	for range 100 {
		of, to := someCounts(random), someCounts(random)
		key := base(&relation{table: &catalog.Table{
			Columns: []catalog.Column{{ID: 1}},
			Stats:   catalog.Stats{Known: true, Rows: 30, Columns: map[uint32]catalog.ColumnStats{1: {Distinct: 30}}},
		}, rows: 30}, 0)
		l, r := counted(of), counted(to)
		one := profile{rows: l.of.rows, columns: []column{l}}
		keys := profile{rows: 30, columns: []column{key}}
		on := []plan.JoinKey{{Left: expr.Column{Index: 0}, Right: expr.Column{Index: 0}}}
		both := (&estimate{}).joined(on, one, keys, one.rows)
		pairs, all := 0.0, l.of.rows*r.of.rows
		for v, count := range of {
			pairs += count * to[v]
		}
		for at := range both.columns {
			share, ok := common(&both.columns[at], &r)
			if !ok || math.Abs(share*all-pairs) > 0.01*all/100 {
				t.Errorf("%v, column %d: %.1f pairs are expected, and there are %.1f", of, at, share*all, pairs)
			}
		}
	}
}

// TestForeignKeyOfTwoColumns joins rows with those that they refer to by two columns, of which one says much of the
// other one: each has one partner, or as many of the rows have one as conditions leave of the others.
func TestForeignKeyOfTwoColumns(t *testing.T) {
	tableOf := func(id uint32, rows float64, distinct ...float64) *catalog.Table {
		out := &catalog.Table{ID: id}
		out.Stats = catalog.Stats{Known: true, Rows: rows, Columns: map[uint32]catalog.ColumnStats{}}
		for i, n := range distinct {
			at := uint32(i + 1)
			out.Columns = append(out.Columns, catalog.Column{ID: at, Type: types.Int4})
			out.Stats.Columns[at] = catalog.ColumnStats{Distinct: n}
		}
		return out
	}
	parents, children := tableOf(1, 5000, 500, 510), tableOf(2, 20000, 500, 507)
	children.ForeignKeys = reference.List{{Columns: []uint32{1, 2}, Table: 1, Refers: []uint32{1, 2}}}
	of := func(table *catalog.Table, kept float64) profile {
		r := &relation{table: table, rows: table.Stats.Rows}
		return profile{rows: r.rows, columns: []column{base(r, 0), base(r, 1)}}.kept(kept)
	}
	equal := func(at int) plan.JoinKey {
		c := expr.Column{Index: at, T: types.Int4}
		return plan.JoinKey{Left: c, Right: c}
	}
	keys := []plan.JoinKey{equal(1), equal(0)}
	for _, c := range []struct {
		kind plan.JoinKind
		l, r profile
		want float64
	}{
		{plan.InnerJoin, of(children, 1), of(parents, 1), 20000},
		{plan.InnerJoin, of(parents, 1), of(children, 1), 20000},
		{plan.InnerJoin, of(children, 0.1), of(parents, 0.5), 1000},
		{plan.LeftJoin, of(children, 1), of(parents, 0.5), 20000},
		{plan.SemiJoin, of(children, 1), of(parents, 0.25), 5000},
		{plan.AntiJoin, of(children, 1), of(parents, 1), 1},
	} {
		got := Estimator{}.begin().joinOf(c.kind, c.l, c.r, keys, nil).rows
		if math.Abs(got-c.want) > 0.01*c.want {
			t.Errorf("join %v of %v and %v rows has %v, and is thought to have %v", c.kind, c.l.rows, c.r.rows, c.want, got)
		}
	}
}
