package executor

// heapify makes a heap of items: each comes before the two below it (Knuth, The Art of
// Computer Programming, volume 3, 5.2.3).
func heapify[T any](items []T, before func(a, b *T) bool) {
	for i := len(items)/2 - 1; i >= 0; i-- {
		sink(items, i, before)
	}
}

// sink moves an item of a heap down until it comes before those below it.
func sink[T any](items []T, i int, before func(a, b *T) bool) {
	for {
		first := 2*i + 1
		if first >= len(items) {
			return
		}
		if first+1 < len(items) && before(&items[first+1], &items[first]) {
			first++
		}
		if !before(&items[first], &items[i]) {
			return
		}
		items[i], items[first] = items[first], items[i]
		i = first
	}
}

// dropFirst takes the first item out of a heap.
func dropFirst[T any](items []T, before func(a, b *T) bool) []T {
	last := len(items) - 1
	items[0] = items[last]
	clear(items[last:])
	items = items[:last]
	sink(items, 0, before)
	return items
}
