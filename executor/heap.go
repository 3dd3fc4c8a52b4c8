package executor

// ranked is what stands at the head of something in order. Of two with different prefixes
// the lesser comes first, so that most comparisons need look no further.
type ranked[T any] struct {
	prefix uint64
	of     T
}

// heap holds heads, the foremost on top (Knuth, The Art of Computer Programming, volume 3,
// 5.4.1).
type heap[T any] struct {
	heads  []ranked[T]
	before func(a, b *T) bool // of equal prefixes
}

// order makes a heap of what was put in.
func (h *heap[T]) order() {
	for i := len(h.heads)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

// sink moves a head down until it comes before those below it.
func (h *heap[T]) sink(i int) {
	for {
		first := 2*i + 1
		if first >= len(h.heads) {
			return
		}
		if first+1 < len(h.heads) && h.less(first+1, first) {
			first++
		}
		if !h.less(first, i) {
			return
		}
		h.heads[i], h.heads[first] = h.heads[first], h.heads[i]
		i = first
	}
}

func (h *heap[T]) less(i, j int) bool {
	a, b := &h.heads[i], &h.heads[j]
	if a.prefix != b.prefix {
		return a.prefix < b.prefix
	}
	return h.before(&a.of, &b.of)
}

// drop takes the foremost head out.
func (h *heap[T]) drop() {
	last := len(h.heads) - 1
	h.heads[0] = h.heads[last]
	clear(h.heads[last:])
	h.heads = h.heads[:last]
	h.sink(0)
}
