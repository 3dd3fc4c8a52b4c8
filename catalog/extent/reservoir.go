package extent

import (
	"math/rand/v2"
	"slices"
)

// sampled is how many values are kept of a column, or addresses of an index.
const sampled = 1024

// reservoir is a uniform sample of a stream (Vitter's algorithm R, 1985), the same one for the same stream.
type reservoir[T any] struct {
	compare func(a, b T) int
	random  *rand.Rand
	seen    int
	list    []T
	sorted  []T // of list, when it was asked for; nil: list has changed since
}

func newReservoir[T any](compare func(a, b T) int) *reservoir[T] {
	return &reservoir[T]{compare: compare, random: rand.New(rand.NewPCG(1, 0))}
}

// add counts the next one of the stream, which is made if it is kept.
func (r *reservoir[T]) add(make func() T) {
	at := r.seen
	if r.seen++; r.seen > sampled {
		at = r.random.IntN(r.seen)
	}
	if at >= sampled {
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
		r.sorted = slices.SortedFunc(slices.Values(r.list), r.compare)
	}
	return r.sorted
}
