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
	losers []loser // of the match at each inner node, whose children are 2i and 2i+1
	won    int     // the place of the foremost head
	before func(a, b *T) bool
}

// loser is who lost a match. The prefix stands here, too, since most matches need no more.
type loser struct {
	prefix uint64
	head   int
}

// begin plays all matches.
func (t *tournament[T]) begin() {
	t.losers = make([]loser, len(t.heads))
	t.won = t.play(1)
}

// play plays the matches at a node and below it, and says who wins. Behind the inner nodes come the heads.
func (t *tournament[T]) play(node int) int {
	if node >= len(t.heads) {
		return node - len(t.heads)
	}
	won, lost := t.play(2*node), t.play(2*node+1)
	if a, b := t.heads[lost].prefix, t.heads[won].prefix; a < b || a == b && t.ahead(lost, won) {
		won, lost = lost, won
	}
	t.losers[node] = loser{t.heads[lost].prefix, lost}
	return won
}

// first is the foremost head.
func (t *tournament[T]) first() *contestant[T] { return &t.heads[t.won] }

// again plays the matches of the foremost head, which is another one now.
func (t *tournament[T]) again() {
	won := loser{t.heads[t.won].prefix, t.won}
	for node := (t.won + len(t.heads)) / 2; node > 0; node /= 2 {
		if l := &t.losers[node]; l.prefix < won.prefix || l.prefix == won.prefix && t.ahead(l.head, won.head) {
			*l, won = won, *l
		}
	}
	t.won = won.head
}

// ahead says whether one head comes before another of the same prefix.
func (t *tournament[T]) ahead(i, j int) bool {
	a, b := &t.heads[i], &t.heads[j]
	if a.over || b.over {
		return !a.over
	}
	return t.before(&a.of, &b.of)
}
