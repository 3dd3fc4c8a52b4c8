package main

import (
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	// zorderRounds is how often at most the sides take turns.
	zorderRounds = 3
	// asksInRow is how often a region is asked for in a turn; one of largeRegion rows or more only once.
	asksInRow   = 3
	largeRegion = 20_000
)

// timeGoals are how many times as fast as PostgreSQL zproxy should be in three dimensions, as geometric means over
// the data sets: inside the server, and over the wire where that is above 0.
var timeGoals = []struct {
	size         int
	inside, wire float64
}{
	{20, 20, 4}, {200, 10, 4}, {2_000, 7, 0}, {20_000, 5, 0}, {200_000, 3, 1.5},
}

// perRowGoals are the nanoseconds that a row of a region of 20,000 may take inside the server, for 2, 3 and 4
// dimensions.
var perRowGoals = [...]float64{75, 90, 170}

// smallGoal is how many microseconds a region of 20 rows in three dimensions may take inside the server.
const smallGoal = 15

// times are the least times of one method, by size, for each region.
type times struct {
	method       *zorderMethod
	inside, wire map[int][]float64
	paths        map[int]string
}

// zorderTimes is what one data set in so many dimensions took on each side.
type zorderTimes struct {
	set   *dataset
	d     int
	sides [2][]*times
}

// measureZorderTime times regions by a Z-order index and by the best of PostgreSQL's indexes.
func measureZorderTime(ctx context.Context, b *bench) (*section, error) {
	data := b.zorder(ctx)
	tables, err := data.prepareTimes(ctx, b)
	if err != nil {
		return nil, err
	}
	var all []*zorderTimes
	for i := range data.sets {
		for d := fewest; d <= most; d++ {
			z, err := timeRegions(ctx, b, tables[i], d)
			if err != nil {
				return nil, err
			}
			all = append(all, z)
		}
	}
	result := &section{about: []string{
		fmt.Sprintf("Times for the ids of the rows in a region, %d regions of each size, around random rows and equally wide in each of the "+
			"first d attributes. *Inside* is the execution time of `EXPLAIN (ANALYZE, TIMING OFF)`: without parsing, planning, and the "+
			"way to the client. *Over the wire* is the time of a prepared statement through pgx, until the last id was read. The time of a region is "+
			"the least of up to %d rounds, in which the sides take turns and ask %d times in a row, or once from %s rows on; the table has "+
			"medians over regions. Numbers of rows and ids were compared with those of a look at every row.",
			regionsOfSize, zorderRounds, asksInRow, whole(largeRegion)),
		"PostgreSQL counts with the fastest of these, each as if it were the only index, with no planning over the wire " +
			"(plan_cache_mode = force_generic_plan, except for bitmaps, whose generic plans are bad): btree (a, b, c, d, id), index-only; bitmaps of indexes on a, b, c and d; for d = 2 GiST on " +
			"a stored point, for d = 3 GiST on a stored cube, both with the id and index-only. zproxy has a Z-order index on the first two attributes, " +
			"one on three and one on four, with default settings, and chooses.",
		data.about(),
	}}
	result.tables = []table{timeTable(b, all), goalTable(timesReached(b, all))}
	return result, nil
}

// prepareTimes loads all that is needed on both sides, and leaves them at rest.
func (d *zorderData) prepareTimes(ctx context.Context, b *bench) ([][2]*zorderTable, error) {
	tables := make([][2]*zorderTable, len(d.sets))
	for j, set := range d.sets {
		for i, s := range b.sides {
			t, err := d.on(ctx, b, i, set)
			if err == nil {
				err = t.prepareTimes(ctx, s)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			tables[j][i] = t
		}
	}
	return tables, rest(ctx)
}

// timeRegions measures one data set in so many dimensions.
func timeRegions(ctx context.Context, b *bench, tables [2]*zorderTable, d int) (*zorderTimes, error) {
	set := tables[0].dataset
	z := &zorderTimes{set: set, d: d}
	for i, s := range b.sides {
		for _, m := range tables[i].zorderMethods(s, d) {
			z.sides[i] = append(z.sides[i], &times{m, map[int][]float64{}, map[int][]float64{}, map[int]string{}})
		}
	}
	regions := set.regions(b.seed, d, regionsOfSize)
	for round := range min(b.rounds, zorderRounds) {
		for i := range z.sides {
			for _, t := range z.sides[i] {
				if err := t.roundInside(ctx, set, regions, round); err != nil {
					return nil, err
				}
			}
		}
	}
	for round := range min(b.rounds, zorderRounds) {
		for i := range z.sides {
			for _, t := range z.sides[i] {
				sizes := slices.DeleteFunc(set.sized(), func(size int) bool { return best(z.sides[i], size) != t })
				if err := t.roundOverWire(ctx, set, regions, sizes, round); err != nil {
					return nil, err
				}
			}
		}
	}
	return z, nil
}

// repeatsOf is how often a region of the size is asked for in a turn.
func repeatsOf(size int) int {
	if size >= largeRegion {
		return 1
	}
	return asksInRow
}

// roundInside asks for all regions once, or some times in a row.
func (t *times) roundInside(ctx context.Context, set *dataset, regions map[int][]region, round int) error {
	return t.method.within(ctx, func() error {
		for size, sized := range regions {
			for i, r := range sized {
				took, path, err := t.method.inside(ctx, r, set.count(r), repeatsOf(size))
				if err != nil {
					return err
				}
				t.inside[size] = keepLeast(t.inside[size], i, took)
				t.paths[size] = path
			}
		}
		return nil
	})
}

// roundOverWire does so over the wire, and checks the ids in the first round.
func (t *times) roundOverWire(ctx context.Context, set *dataset, regions map[int][]region, sizes []int,
	round int) error {
	if len(sizes) == 0 {
		return nil
	}
	return t.method.within(ctx, func() error {
		for _, size := range sizes {
			for i, r := range regions[size] {
				var want []int64
				if round == 0 {
					want = set.inside(r)
				}
				took, err := t.method.overWire(ctx, r, want, repeatsOf(size))
				if err != nil {
					return err
				}
				t.wire[size] = keepLeast(t.wire[size], i, took)
			}
		}
		return nil
	})
}

// keepLeast puts the value at i, or keeps a smaller one that is there.
func keepLeast(values []float64, i int, value float64) []float64 {
	if i == len(values) {
		return append(values, value)
	}
	values[i] = min(values[i], value)
	return values
}

// best returns the method that is the fastest inside the server.
func best(all []*times, size int) *times {
	return slices.MinFunc(all, func(a, b *times) int {
		return int(math.Copysign(1, median(a.inside[size])-median(b.inside[size])))
	})
}

// ratios returns how many times as fast side 0 is as side 1, inside and over the wire.
func (z *zorderTimes) ratios(size int) (inside, wire float64) {
	a, b := best(z.sides[0], size), best(z.sides[1], size)
	return median(b.inside[size]) / median(a.inside[size]), median(b.wire[size]) / median(a.wire[size])
}

// timeTable has a line for each data set, number of dimensions, and size.
func timeTable(b *bench, all []*zorderTimes) table {
	t := table{heads: []string{
		"data", "d", "rows", b.sides[0].name + " inside, µs", b.sides[1].name + ", µs", "times faster",
		b.sides[0].name + " over the wire, µs", b.sides[1].name + ", µs", "times faster", "paths",
	}}
	for _, z := range all {
		for _, size := range z.set.sized() {
			x, y := best(z.sides[0], size), best(z.sides[1], size)
			inside, wire := z.ratios(size)
			paths := x.paths[size]
			for _, other := range z.sides[1] {
				paths += fmt.Sprintf("; %s %s", other.method.name, thousands(median(other.inside[size])))
			}
			t.add(z.set.name, fmt.Sprint(z.d), whole(size), thousands(median(x.inside[size])),
				thousands(median(y.inside[size])),
				"**"+digits(inside)+"**", thousands(median(x.wire[size])), thousands(median(y.wire[size])), "**"+digits(wire)+"**", paths)
		}
	}
	return t
}

// timesReached compares with the goals, where zproxy is the first side.
func timesReached(b *bench, all []*zorderTimes) []goal {
	if b.sideOf(zproxy) != 0 || b.sideOf(postgres) != 1 {
		return nil
	}
	var goals []goal
	for _, g := range timeGoals {
		var inside, wire []float64
		for _, z := range all {
			if z.d == 3 && slices.Contains(z.set.sized(), g.size) {
				x, y := z.ratios(g.size)
				inside, wire = append(inside, x), append(wire, y)
			}
		}
		if len(inside) == 0 {
			continue
		}
		goals = append(goals, goal{"times faster inside, d = 3, " + whole(g.size) + " rows", g.inside,
			geometricMean(inside), true})
		if g.wire > 0 {
			goals = append(goals, goal{"times faster over the wire, d = 3, " + whole(g.size) + " rows", g.wire,
				geometricMean(wire), true})
		}
	}
	return append(goals, absoluteGoals(all)...)
}

// absoluteGoals compares zproxy's own times on uniform data.
func absoluteGoals(all []*zorderTimes) []goal {
	var goals []goal
	for _, z := range all {
		if z.set.name != "u" {
			continue
		}
		inside := z.sides[0][0].inside
		if z.d == 3 && len(inside[20]) > 0 {
			goals = append(goals, goal{what: "µs inside, u, d = 3, 20 rows", wanted: smallGoal,
				reached: median(inside[20])})
		}
		for _, size := range z.set.sized() {
			if size >= largeRegion {
				goals = append(goals, goal{
					what:   fmt.Sprintf("ns a row inside, u, d = %d, %s rows", z.d, whole(size)),
					wanted: perRowGoals[z.d-fewest], reached: median(inside[size]) * 1e3 / float64(size),
				})
			}
		}
	}
	return goals
}

func geometricMean(values []float64) float64 {
	sum := 0.
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
