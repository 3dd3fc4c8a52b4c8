package elements

import (
	"cmp"
	"slices"
)

// counter counts in how many values elements are.
type counter[T any] struct {
	found map[string]*tally[T]
	order []*tally[T] // as they were found
	all   int         // the sum of the counts
}

type tally[T any] struct {
	of    T
	wide  bool
	count int
	last  int // the number of the value in which it was found the last time
}

func (t *tally[T]) share(values int) float64 { return float64(t.count) / float64(values) }

func newCounter[T any]() *counter[T] { return &counter[T]{found: map[string]*tally[T]{}} }

// add counts an element of a value with a number, unless that has it already.
func (c *counter[T]) add(key []byte, of T, in int) {
	t := c.found[string(key)]
	if t == nil {
		t = &tally[T]{of: of, wide: len(key) > widest}
		c.found[string(key)], c.order = t, append(c.order, t)
	}
	if t.last == in {
		return
	}
	t.last = in
	t.count++
	c.all++
}

// common are the most common elements, of those that are in so many values at least, and the other ones.
func (c *counter[T]) common(least int) (listed, left []*tally[T]) {
	sorted := slices.Clone(c.order)
	slices.SortStableFunc(sorted, func(a, b *tally[T]) int { return cmp.Compare(b.count, a.count) })
	for _, t := range sorted {
		if len(listed) == mostCommon || t.count < least || t.wide {
			left = append(left, t)
		} else {
			listed = append(listed, t)
		}
	}
	return listed, left
}

// restOf is what elements are in so many sampled values, where there are so many times as many. The number of
// different ones is reckoned from those that were found once, as PostgreSQL does it for values (Haas and Stokes,
// "Estimating the number of classes in a finite population", 1998).
func restOf[T any](list []*tally[T], values int, times float64) Rest {
	found, once := 0, 0
	for _, t := range list {
		if found += t.count; t.count == 1 {
			once++
		}
	}
	if found == 0 {
		return Rest{}
	}
	n, d, f := float64(found), float64(len(list)), float64(once)
	return Rest{Mean: n / float64(values), Distinct: n * d / (n - f + f/times)}
}
