package pebblestore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

// TestConflictsForgotten checks that nothing is remembered when no transaction is open.
func TestConflictsForgotten(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	c := newConflicts()
	take := func() *snapshot { return &snapshot{clock: c.clock} }
	begin := func() *ticket { t, _ := c.begin(take); return t }
	var open []*ticket
	for range 2000 {
		if len(open) < 5 {
			open = append(open, begin())
		}
		c.last.least = 1 + rng.IntN(3)
		i := rng.IntN(len(open))
		t := open[i]
		open = slices.Delete(open, i, i+1)
		keys, held := t.claims(rng.Uint64N(8), rng.Uint64N(8)), t.claims(8+rng.Uint64N(4))
		if rng.IntN(4) == 0 {
			keys = held
		}
		if all := (claims{keys, held}); rng.IntN(2) == 0 {
			if _, conflict := c.claim(all); !conflict {
				c.finish(all, func(uint64) {})
			}
		}
		c.end(t)
	}
	for _, t := range open {
		c.end(t)
	}
	if left := len(c.last.single) + len(c.last.sets); left != 0 || len(c.finished) != 0 || len(c.held) != 0 {
		t.Errorf("%d keys, %d held ones and %d commits are remembered", left, len(c.held), len(c.finished))
	}
}

// claims are those of a transaction that has not seen more than when it began.
func (t *ticket) claims(keys ...uint64) (out []claim) {
	for _, k := range keys {
		out = append(out, claim{k, t.began})
	}
	return out
}

// TestConflicts walks two transactions through claim, finish and the sync in each order that
// matters: what the second may write, after what the first has done.
func TestConflicts(t *testing.T) {
	const key, other = 1, 2
	for _, c := range []struct {
		steps string // a, b: begin; A: a claims, F: a finishes, D: that is durable, E: a ends; then b claims
		ok    bool
	}{
		{"abA", false}, {"abAF", false}, {"abAFDE", false}, {"aAb", false}, {"aAbF", false}, {"aAFb", false},
		{"aAFbDE", false}, {"aAFDb", true}, {"aAFDbE", true}, {"aAFDEb", true},
	} {
		for mode := range 16 {
			shared, aHolds, bHolds := mode&1 > 0, mode&2 > 0, mode&4 > 0
			conflicts := newConflicts()
			conflicts.last.least = 1 + mode/8
			var durable uint64
			begin := func() *ticket {
				t, _ := conflicts.begin(func() *snapshot { return &snapshot{clock: durable} })
				return t
			}
			finish := func(keys, held []claim) { conflicts.finish(claims{keys, held}, func(uint64) {}) }
			var a, b *ticket
			var keys, held []claim
			for _, step := range c.steps {
				switch step {
				case 'a':
					a = begin()
					if keys = a.claims(key); aHolds {
						keys, held = held, keys
					}
				case 'b':
					b = begin()
				case 'A':
					conflicts.claim(claims{keys, held})
				case 'F':
					finish(keys, held)
				case 'D':
					durable = conflicts.clock
				case 'E':
					conflicts.end(a)
				}
			}
			mine := b.claims(other)
			if shared {
				mine = b.claims(other, key)
			}
			if !strings.Contains(c.steps, "F") {
				go finish(keys, held) // for which b waits
			}
			var mineToo []claim
			if bHolds {
				mine, mineToo = mineToo, mine
			}
			free := c.ok || !shared || aHolds && bHolds
			if _, conflict := conflicts.claim(claims{mine, mineToo}); conflict == free {
				t.Errorf("%s, shared %v, holds %v and %v: conflict %v", c.steps, shared, aHolds, bHolds, conflict)
			}
		}
	}
}

// TestCommitsWithoutKeys lets a transaction begin while a space is made, of which the commit is not durable yet: what
// the transaction writes is in conflict with nothing.
func TestCommitsWithoutKeys(t *testing.T) {
	conflicts := newConflicts()
	begin := func() *ticket {
		t, _ := conflicts.begin(func() *snapshot { return &snapshot{} })
		return t
	}
	before := begin()
	conflicts.finish(claims{}, func(uint64) {})
	conflicts.end(before)
	if number, conflict := conflicts.claim(claims{begin().claims(1), nil}); conflict {
		t.Errorf("conflict with commit %d, which wrote no key", number)
	}
}

// TestKeyNumbers compares the numbers of random commits, some of which have a set, with a map.
func TestKeyNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	n, want := newKeyNumbers(), map[uint64]uint64{}
	n.least = 20
	var commits []commit
	for number := range uint64(200) {
		var keys []claim
		for range rng.IntN(40) {
			keys = append(keys, claim{key: rng.Uint64N(500)})
		}
		n.claim(keys, n.setOf(keys))
		for _, k := range keys {
			want[k.key] = pending
		}
		compareKeyNumbers(t, &n, want)
		n.finish(keys, number+1)
		for _, k := range keys {
			want[k.key] = number + 1
		}
		commits = append(commits, commit{number + 1, claims{written: keys}})
		if len(commits) > 10 {
			n.forget(commits[0].written, commits[0].number)
			for _, k := range commits[0].written {
				if want[k.key] == commits[0].number {
					delete(want, k.key)
				}
			}
			commits = commits[1:]
		}
		compareKeyNumbers(t, &n, want)
	}
}

func compareKeyNumbers(t *testing.T, n *keyNumbers, want map[uint64]uint64) {
	t.Helper()
	for _, set := range n.sets[len(n.sets):cap(n.sets)] {
		if set != nil {
			t.Fatal("a set that was forgotten stays in memory")
		}
	}
	for key := range uint64(500) {
		if got := n.last(key); got != want[key] {
			t.Fatalf("key %d: %d, want %d", key, got, want[key])
		}
	}
}
