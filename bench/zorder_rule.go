package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// sideWidths are the widths that a side of a box may have, as shares of the range of values: 0 is one value, 1 all.
var sideWidths = []float64{0, 1e-3, 1e-2, 0.1, 0.5, 1}

const (
	boxesOfShape = 2
	// wrongFrom is how many times slower than the best path a picked one is called wrong.
	wrongFrom = 1.25
	// ruleGoal is how many times as long as by the best path of each all boxes may take.
	ruleGoal = 1.08
	// lossesShown is how many boxes are shown that cost the most.
	lossesShown = 6
)

// boxShapes are all combinations of widths in three dimensions that bound something.
func boxShapes() []shape {
	var shapes []shape
	for _, a := range sideWidths {
		for _, b := range sideWidths {
			for _, c := range sideWidths {
				if a < 1 || b < 1 || c < 1 {
					shapes = append(shapes, shape{fmt.Sprintf("a %s, b %s, c %s", widthName(a), widthName(b),
						widthName(c)), []float64{a, b, c}})
				}
			}
		}
	}
	return shapes
}

func widthName(share float64) string {
	switch share {
	case 0:
		return "one value"
	case 1:
		return "free"
	}
	return fmt.Sprintf("%g %%", share*100)
}

// shaped is a choice for a box with a shape.
type shaped struct {
	choice
	shape shape
}

// loss is how much longer than by the best path it takes.
func (s *shaped) loss() float64 { return s.times[s.picked] - s.times[s.best()] }

// measureRule adds up the times of boxes of all shapes by the path that the rule picks, and by the best one of each.
func measureRule(ctx context.Context, b *bench) (*section, error) {
	tables, err := b.choiceTables(ctx, zorderAndComposite)
	if err != nil {
		return nil, err
	}
	shapes := boxShapes()
	result := &section{about: []string{
		fmt.Sprintf("%d boxes around random rows: each combination of the widths one value, 0.1 %%, 1 %%, 10 %%, 50 %% and free in a, b and c, %d times. "+
			"zproxy has a Z-order index on (a, b, c) and a composite one on (a, b, c, d). The rule's pick is compared with the faster of the two, as hints force them. "+
			"Times are execution times of `EXPLAIN (ANALYZE)`, the least of %d; a path that takes %d times as long as the other is not waited for.",
			boxesOfShape*len(shapes), boxesOfShape, choiceRounds, hopeless),
		b.zorder(ctx).about(),
	}}
	totals := table{heads: []string{"data", "wrong (> 1.25 times)", "as picked, ms", "best of each, ms", "ratio",
		"the worst"}}
	losses := table{heads: []string{"data", "box", "rows", "picked", "µs", "best", "µs"}}
	var goals []goal
	for _, t := range tables {
		all, err := t.chooseAll(ctx, b, shapes)
		if err != nil {
			return nil, err
		}
		wrong, picked, best, worst := 0, 0., 0., 0.
		for i := range all {
			c := &all[i]
			if c.slower() > wrongFrom {
				wrong++
			}
			picked, best, worst = picked+c.times[c.picked], best+c.times[c.best()], max(worst, c.slower())
		}
		totals.add(t.name, fmt.Sprint(wrong), thousands(picked/1e3), thousands(best/1e3),
			"**"+fmt.Sprintf("%.3f", picked/best)+"**", digits(worst))
		goals = append(goals, goal{what: "time of all boxes, as picked to the best of each, " + t.name,
			wanted: ruleGoal, reached: picked / best})
		slices.SortFunc(all, func(a, b shaped) int { return cmp.Compare(b.loss(), a.loss()) })
		for _, c := range all[:min(lossesShown, len(all))] {
			losses.add(t.name, c.shape.name, whole(c.rows), t.pathName(c.picked), thousands(c.times[c.picked]),
				t.pathName(c.best()), thousands(c.times[c.best()]))
		}
	}
	result.tables = []table{totals, losses, goalTable(goals)}
	return result, nil
}

// chooseAll asks for boxes of all shapes.
func (t *zorderTable) chooseAll(ctx context.Context, b *bench, shapes []shape) ([]shaped, error) {
	hints := []string{t.hint("USE_INDEX", "abc"), t.hint("USE_INDEX", "btree")}
	random := rand.New(rand.NewPCG(b.seed, 1))
	var all []shaped
	for _, s := range shapes {
		for range boxesOfShape {
			c, err := t.choose(ctx, t.centred(random.IntN(len(t.rows)), s.shares...), hints)
			if err != nil {
				return nil, err
			}
			all = append(all, shaped{c, s})
		}
	}
	return all, nil
}
