package executor

import "math"

// contestant is what stands at the head of something in order. Of two with different prefixes
// the lesser comes first, so that most comparisons need look no further.
type contestant[T any] struct {
	prefix uint64
	over   bool // nothing is left; it comes behind all others
	of     T
}

// leave takes a contestant that has nothing left out of the race.
func (c *contestant[T]) leave() {
	var none T
	c.prefix, c.over, c.of = math.MaxUint64, true, none
}

// tournament finds the foremost of some heads: a tree of losers (Knuth, The Art of Computer Programming,
// volume 3, 5.4.1), in which a new head plays one match on each level.
type tournament[T any] struct {
	heads  []contestant[T]
	losers []int              // of the match at each inner node, whose children are 2i and 2i+1; the winner of all at 0
	before func(a, b *T) bool // of equal prefixes
}

// begin plays all matches.
func (t *tournament[T]) begin() {
	t.losers = make([]int, max(len(t.heads), 1))
	t.losers[0] = t.play(1)
}

// play plays the matches at a node and below it, and says who wins. Behind the inner nodes come the heads.
func (t *tournament[T]) play(node int) int {
	if node >= len(t.heads) {
		return node - len(t.heads)
	}
	won, lost := t.play(2*node), t.play(2*node+1)
	if t.less(lost, won) {
		won, lost = lost, won
	}
	t.losers[node] = lost
	return won
}

// winner is the place of the foremost head.
func (t *tournament[T]) winner() int { return t.losers[0] }

// again plays the matches of the winner, whose head is another one now.
func (t *tournament[T]) again() {
	won := t.losers[0]
	for node := (won + len(t.heads)) / 2; node > 0; node /= 2 {
		if t.less(t.losers[node], won) {
			t.losers[node], won = won, t.losers[node]
		}
	}
	t.losers[0] = won
}

func (t *tournament[T]) less(i, j int) bool {
	a, b := &t.heads[i], &t.heads[j]
	switch {
	case a.prefix != b.prefix:
		return a.prefix < b.prefix
	case a.over || b.over:
		return !a.over
	}
	return t.before(&a.of, &b.of)
}
