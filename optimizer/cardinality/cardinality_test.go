package cardinality

import (
	"math"
	"math/rand/v2"
	"testing"

	"zproxy/catalog"
	"zproxy/internal/testseed"
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

// TestCommon joins columns of which all values are common ones, so that what comes is known.
func TestCommon(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for range 100 {
		var of [2]column
		var counts [2]map[int64]float64
		for side := range of {
			table := &catalog.Table{Columns: []catalog.Column{{ID: 1}}}
			n := 1 + random.IntN(20)
			counts[side] = map[int64]float64{}
			rows := 0.0
			for range n {
				count := float64(1 + random.IntN(100))
				v := random.Int64N(30)
				rows, counts[side][v] = rows+count-counts[side][v], count
			}
			stats := catalog.ColumnStats{Distinct: float64(len(counts[side]))}
			for v, count := range counts[side] {
				stats.Common = append(stats.Common, catalog.Common{Value: types.NewInt(v), Share: count / rows})
			}
			table.Stats = catalog.Stats{Known: true, Rows: rows, Columns: map[uint32]catalog.ColumnStats{1: stats}}
			of[side] = base(&relation{table: table, rows: rows}, 0)
		}
		pairs, all := 0.0, of[0].of.rows*of[1].of.rows
		for v, count := range counts[0] {
			pairs += count * counts[1][v]
		}
		share, ok := common(&of[0], &of[1])
		if !ok || math.Abs(share*all-pairs) > 0.01*all/100 {
			t.Errorf("%v: %.1f pairs are expected, and there are %.1f", counts, share*all, pairs)
		}
	}
}
