package executor

import (
	"cmp"
	"slices"
)

// leastRadix is from how many items on to sort by digits is faster than to compare.
const leastRadix = 1024

// radixSort sorts items by their prefixes, equal ones as they were: byte by byte from the last to the first, but for
// bytes that all have alike (Knuth, The Art of Computer Programming, volume 3, 5.2.5). It gives the room that it needs
// for another time.
func radixSort(items, room []sortItem) []sortItem {
	const digits, values = 8, 256
	if cap(room) < len(items) {
		room = make([]sortItem, len(items))
	}
	room = room[:len(items)]
	var counts [digits][values]uint32
	for i := range items {
		for d, p := 0, items[i].prefix; d < digits; d, p = d+1, p>>8 {
			counts[d][p&(values-1)]++
		}
	}
	from, to := items, room
	for d := range digits {
		count, shift := &counts[d], 8*d
		if count[from[0].prefix>>shift&(values-1)] == uint32(len(items)) {
			continue
		}
		at := uint32(0)
		for v, n := range count {
			count[v], at = at, at+n
		}
		for i := range from {
			v := from[i].prefix >> shift & (values - 1)
			to[count[v]] = from[i]
			count[v]++
		}
		from, to = to, from
	}
	if &from[0] != &items[0] {
		copy(items, from)
	}
	return room
}

// sortItems sorts items by their prefixes, those with equal ones by what else there is to compare, nil if nothing, and
// equal ones by their numbers. It gives the room that it needs for another time.
func sortItems(f frame, items, room []sortItem, rest func(a, b sortItem) int) ([]sortItem, error) {
	compare := func(a, b sortItem) int {
		if order := cmp.Compare(a.prefix, b.prefix); order != 0 {
			return order
		}
		if rest != nil {
			if order := rest(a, b); order != 0 {
				return order
			}
		}
		return cmp.Compare(a.row, b.row)
	}
	if len(items) < leastRadix {
		return room, sortBy(f, slices.SortFunc, items, compare)
	}
	if room = radixSort(items, room); rest == nil {
		return room, f.canceled()
	}
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].prefix == items[from].prefix {
			to++
		}
		if to > from+1 {
			if err := sortBy(f, slices.SortFunc, items[from:to], compare); err != nil {
				return room, err
			}
		}
		from = to
	}
	return room, f.canceled()
}
