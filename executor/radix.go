package executor

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
