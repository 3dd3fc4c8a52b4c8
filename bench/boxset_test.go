package main

import (
	"fmt"
	"slices"
	"testing"
)

func TestBoxSet(t *testing.T) {
	const seed, rows = 1, 50_000
	set := newBoxSet(seed, rows)
	if !slices.Equal(set.rows, newBoxSet(seed, rows).rows) {
		t.Fatal("the same seed makes other rows")
	}
	for _, size := range []int{1, 50, 5000, rows} {
		total := 0
		for _, c := range set.cases(size, 30) {
			total += len(c.ids)
			for d, side := range c.box {
				if side.lo < 0 || side.lo > side.hi || side.hi >= domain {
					t.Errorf("seed %d: dimension %d of %v is out of range", seed, d, c.box)
				}
			}
		}
		if mean := total / 30; mean > 2*size || mean < size/2 {
			t.Errorf("seed %d: boxes for %d rows hold %d", seed, size, mean)
		}
	}
}

// TestListArgs asks of each value of a whether it is in the list exactly if it is in the box.
func TestListArgs(t *testing.T) {
	for _, bounds := range []interval{{0, 0}, {1, stepA - 1}, {1, stepA}, {5 * stepA, 9*stepA - 1}, {0, domain - 1}} {
		list := listArgs(box{bounds})[0].([]int32)
		for i := range int32(distinctA) {
			a := i * stepA
			if in := a >= bounds.lo && a <= bounds.hi; slices.Contains(list, a) != in {
				t.Errorf("%d in the list for %v: %t, want %t", a, bounds, !in, in)
			}
		}
	}
}

func TestRowText(t *testing.T) {
	set := &boxSet{rows: [][4]int32{{1, 2, 3, 4}}}
	if got := string(set.appendRow(nil, 0)); got != "1\t1\t2\t3\t4\n" {
		t.Errorf("row is written %q", got)
	}
	table := pointTable{seed: 1, rows: 10}
	k, payload := table.row(7)
	want := fmt.Sprintf("7\t%d\t%s\n", k, payload[:])
	if got := string(table.loading(&side{}).appendRow(nil, 6)); got != want {
		t.Errorf("row is written %q, want %q", got, want)
	}
}
