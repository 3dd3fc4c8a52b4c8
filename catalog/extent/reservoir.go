package extent

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// sampled is how many values are kept of a column, or addresses of an index.
const sampled = 1024

// reservoir is a uniform sample of a stream (Vitter's algorithm R, 1985), the same one for the same stream.
type reservoir[T cmp.Ordered] struct {
	draws
	list   []T
	sorted []T // of list, when it was asked for; nil: list has changed since
}

// draws says which of a stream are kept.
type draws struct {
	random *rand.Rand
	seen   int
}

func newDraws() draws { return draws{random: rand.New(rand.NewPCG(1, 0))} }

// next is where the next one of the stream is kept; false: it is not.
func (d *draws) next() (int, bool) {
	d.seen++
	if d.seen <= sampled {
		return d.seen - 1, true
	}
	at := d.random.IntN(d.seen)
	return at, at < sampled
}

func newReservoir[T cmp.Ordered]() *reservoir[T] { return &reservoir[T]{draws: newDraws()} }

func (r *reservoir[T]) add(make func() T) {
	at, kept := r.next()
	if !kept {
		return
	}
	if r.sorted = nil; at == len(r.list) {
		r.list = append(r.list, make())
	} else {
		r.list[at] = make()
	}
}

func (r *reservoir[T]) inOrder() []T {
	if r.sorted == nil {
		r.sorted = slices.Sorted(slices.Values(r.list))
	}
	return r.sorted
}
