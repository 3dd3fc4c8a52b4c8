package zorder

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGrown(t *testing.T) {
	for _, tc := range []struct {
		knots     []uint64
		low, high uint64
		want      []uint64
	}{
		{nil, 0, math.MaxUint64, nil},
		{[]uint64{7, 7, 7}, 0, math.MaxUint64, []uint64{7, 7, 7}}, // one value has no width
		{[]uint64{1000, 2000}, 0, math.MaxUint64, []uint64{500, 2500}},
		{[]uint64{1000, 2000}, 900, 2000, []uint64{900, 2000}},
		{[]uint64{1000, 1100, 1200, 1300, 2000}, 0, math.MaxUint64, []uint64{500, 750, 1000, 1100, 1200, 1300, 2000, 2250, 2500}},
		{[]uint64{0, 10, 20, 30, 40, 50, 60, 70, 80}, 0, 85, []uint64{0, 10, 20, 30, 40, 50, 60, 70, 80, 85}},
		{[]uint64{100, 110, 120, 130, 140, 150, 160, 170, 180}, 88, 195, []uint64{88, 90, 100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 195}},
		{[]uint64{5, 6}, 0, math.MaxUint64, []uint64{4, 7}},
		{[]uint64{0, math.MaxUint64}, 0, math.MaxUint64, []uint64{0, math.MaxUint64}},
		{[]uint64{1000, 2000}, 1500, 1600, []uint64{1000, 2000}}, // values that were there before the bounds
	} {
		if got := (Map{Knots: tc.knots}).Grown(tc.low, tc.high).Knots; !slices.Equal(got, tc.want) {
			t.Errorf("%d between %d and %d: %d, want %d", tc.knots, tc.low, tc.high, got, tc.want)
		}
	}
}

// The values that a map was made from keep about half of the codes.
func TestGrownKeepsHalf(t *testing.T) {
	r := random(t)
	sample := make([]uint64, 5000)
	for i := range sample {
		sample[i] = 1<<62 + r.Uint64N(1<<r.IntN(60))
	}
	m := Quantiles(sample, 257).Grown(0, math.MaxUint64)
	share := float64(m.Code(slices.Max(sample), 32)-m.Code(slices.Min(sample), 32)) / (1 << 32)
	if share < 0.45 || share > 0.51 {
		t.Errorf("%.3f of the codes", share)
	}
}

func TestGrownIsMonotone(t *testing.T) {
	r := random(t)
	for range 2000 {
		low, high := r.Uint64(), r.Uint64()
		m := Map{Knots: randomKnots(r)}
		grown := m.Grown(min(low, high), max(low, high))
		if !slices.IsSorted(grown.Knots) {
			t.Fatalf("%d between %d and %d: %d", m.Knots, min(low, high), max(low, high), grown.Knots)
		}
	}
}

// A table grows in time by a quarter: boxes among the new rows, of which the map knows
// nothing, read about as many keys as if it had been made anew.
func TestGrowthInTime(t *testing.T) {
	r := random(t)
	const old, all = 40_000, 50_000
	rows := make([][]uint64, all)
	for i := range rows {
		rows[i] = []uint64{
			1<<63 + uint64(i)*1_000_000 + r.Uint64N(1_000_000), // a time
			uint64(math.Exp(5*r.NormFloat64()/2) * 1e9),        // a distance
			1<<63 + uint64(1e9*(1+r.NormFloat64()/8)),          // a delay
		}
	}
	learn := func(rows [][]uint64, grown bool) []Map {
		maps := make([]Map, 3)
		for d := range maps {
			var sample []uint64
			for range 20_000 {
				sample = append(sample, rows[r.IntN(len(rows))][d])
			}
			if maps[d] = Quantiles(sample, 257); grown {
				maps[d] = maps[d].Grown(0, math.MaxUint64)
			}
		}
		return maps
	}
	boxes := boxesAround(r, rows, old)
	grown := readOf(t, rows, learn(rows[:old], true), boxes)
	clamped := readOf(t, rows, learn(rows[:old], false), boxes)
	fresh := readOf(t, rows, learn(rows, true), boxes)
	t.Logf("keys read for a row found among the new rows: %.2f, with a map that ends where its sample does %.2f, with a new one %.2f", grown, clamped, fresh)
	if grown > 1.4*fresh {
		t.Errorf("%.2f keys read for a row, %.2f with a new map", grown, fresh)
	}
}

// boxesAround are boxes around rows from one on: a hundredth of all rows wide in time, else a fifth.
func boxesAround(r *rand.Rand, rows [][]uint64, from int) [][2][]uint64 {
	var boxes [][2][]uint64
	ordered := make([][]uint64, 3)
	for d := range ordered {
		for _, row := range rows {
			ordered[d] = append(ordered[d], row[d])
		}
		slices.Sort(ordered[d])
	}
	for range 60 {
		low, high := make([]uint64, 3), make([]uint64, 3)
		for d, v := range rows[from+r.IntN(len(rows)-from)] {
			at, _ := slices.BinarySearch(ordered[d], v)
			half := []int{len(rows) / 200, len(rows) / 10, len(rows) / 10}[d]
			low[d], high[d] = ordered[d][max(at-half, 0)], ordered[d][min(at+half, len(rows)-1)]
		}
		low[0] = max(low[0], rows[from][0])
		boxes = append(boxes, [2][]uint64{low, high})
	}
	return boxes
}

// readOf is how many keys a scan that jumps after eight misses reads for each row in boxes.
func readOf(t *testing.T, rows [][]uint64, maps []Map, boxes [][2][]uint64) float64 {
	c := mustNew(t, 32, 32, 32)
	point := func(v []uint64) [][]byte {
		p := make([][]byte, 3)
		for d := range p {
			p[d] = Align(nil, maps[d].Code(v[d], 32), 32)
		}
		return p
	}
	type entry struct {
		key []byte
		row []uint64
	}
	entries := make([]entry, len(rows))
	for i, row := range rows {
		entries[i] = entry{c.Interleave(nil, point(row)), row}
	}
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	read, found := 0, 0
	for _, corners := range boxes {
		b := c.Box(point(corners[0]), point(corners[1]))
		for i, misses := 0, 8; i < len(entries); i++ {
			if misses == 8 {
				next, ok := b.Next(nil, entries[i].key)
				if !ok {
					break
				}
				i, _ = slices.BinarySearchFunc(entries, next,
					func(e entry, z []byte) int { return bytes.Compare(e.key, z) })
				if misses = 0; i == len(entries) {
					break
				}
			}
			if read++; !b.Contains(entries[i].key) {
				misses++
				continue
			}
			misses = 0
			in := true
			for d, v := range entries[i].row {
				in = in && corners[0][d] <= v && v <= corners[1][d]
			}
			if in {
				found++
			}
		}
	}
	return float64(read) / float64(found)
}
