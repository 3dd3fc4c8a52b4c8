package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

const (
	// regionsOfSize is how many regions of one size are timed, countedOfSize how many are counted.
	regionsOfSize, countedOfSize = 10, 20
	fewest, most                 = 2, 4 // dimensions
)

// regionSizes are the rows in a region, falling.
var regionSizes = []int{200_000, 20_000, 2_000, 200, 20, 2}

// amplificationGoals are of the keys examined for a row, by data set and size, for 2, 3 and 4 dimensions.
var amplificationGoals = []struct {
	set   string
	size  int
	goals [most - fewest + 1]float64
}{
	{"u", 2_000, [...]float64{1.25, 1.7, 3.2}},
	{"u", 20_000, [...]float64{1.1, 1.2, 1.7}},
	{"f", 2_000, [...]float64{2, 2.5, 4}},
}

// zorderIndex returns the name and the definition of the index on the first d attributes, with default settings.
func zorderIndex(d int) (name, definition string) {
	name = "abcd"[:d]
	definition = "USING zorder (a"
	for _, column := range attributeNames[1:d] {
		definition += ", " + column
	}
	return name, definition + ")"
}

// zorderIndexes are the indexes on 2, 3 and 4 attributes.
func zorderIndexes() map[string]string {
	indexes := map[string]string{}
	for d := fewest; d <= most; d++ {
		name, definition := zorderIndex(d)
		indexes[name] = definition
	}
	return indexes
}

// sized returns the sizes of regions that a tenth of the data set or less has.
func (s *dataset) sized() []int {
	return slices.DeleteFunc(slices.Clone(regionSizes), func(n int) bool { return n > len(s.rows)/10 })
}

// regions returns n regions of each size around random rows in d dimensions.
func (s *dataset) regions(seed uint64, d, n int) map[int][]region {
	random := rand.New(rand.NewPCG(seed, uint64(d)))
	bySize := map[int][]region{}
	for range n {
		for i, r := range s.cubes(random.IntN(len(s.rows)), d, s.sized()) {
			bySize[s.sized()[i]] = append(bySize[s.sized()[i]], r)
		}
	}
	return bySize
}

// measureAmplification counts the keys that a Z-order index examines for each row that it finds.
func measureAmplification(ctx context.Context, b *bench) (*section, error) {
	side := b.sideOf(zproxy)
	if side < 0 {
		return nil, errNoZproxy
	}
	data := b.zorder(ctx)
	result := &section{about: []string{
		fmt.Sprintf("Keys examined for each row returned, by `USING zorder` with default settings, made on the full table. %d regions "+
			"of each size, around random rows and equally wide in each of the first d attributes; medians, as `EXPLAIN (ANALYZE)` "+
			"counts. The number of rows was compared with that of a look at every row.", countedOfSize),
		data.about(),
	}}
	counts := table{heads: []string{"data", "d"}}
	for _, size := range regionSizes {
		counts.heads = append(counts.heads, whole(size)+" rows")
	}
	reached := map[string]float64{}
	for _, set := range data.sets {
		t, err := data.on(ctx, b, side, set)
		if err == nil {
			err = t.withIndexes(ctx, zorderIndexes())
		}
		if err != nil {
			return nil, err
		}
		for d := fewest; d <= most; d++ {
			cells, err := t.amplifications(ctx, b, d, reached)
			if err != nil {
				return nil, err
			}
			counts.add(append([]string{set.name, fmt.Sprint(d)}, cells...)...)
		}
	}
	var goals []goal
	for _, g := range amplificationGoals {
		for i, wanted := range g.goals {
			what := amplificationName(g.set, fewest+i, g.size)
			if got, ok := reached[what]; ok {
				goals = append(goals, goal{what: what, wanted: wanted, reached: got})
			}
		}
	}
	result.tables = []table{counts, goalTable(goals)}
	return result, nil
}

func amplificationName(set string, d, size int) string {
	return fmt.Sprintf("keys examined for a row: %s, d = %d, %s rows", set, d, whole(size))
}

// amplifications returns a cell for each size, and notes what it says.
func (t *zorderTable) amplifications(ctx context.Context, b *bench, d int, reached map[string]float64) ([]string,
	error) {
	name, _ := zorderIndex(d)
	regions := t.regions(b.seed, d, countedOfSize)
	var cells []string
	for _, size := range regionSizes {
		if len(regions[size]) == 0 {
			cells = append(cells, "")
			continue
		}
		var factors []float64
		for _, r := range regions[size] {
			query := t.query(r, t.hint("USE_INDEX", name))
			e, err := explain(ctx, t.conn, query)
			if err != nil {
				return nil, err
			}
			if n := t.count(r); e.rows != n || e.path != t.index(name) {
				return nil, fmt.Errorf("%s: %d rows by %s, want %d", query, e.rows, e.path, n)
			}
			factors = append(factors, float64(e.examined)/float64(e.rows))
		}
		reached[amplificationName(t.name, d, size)] = median(factors)
		cells = append(cells, digits(median(factors)))
	}
	return cells, nil
}
