package heat

import (
	"bytes"
	"slices"
)

// mostRanges is how many ranges a minute of a space has.
const mostRanges = 16

// Range is an interval of whole keys, both ends included, with what was asked for in it.
type Range struct {
	From, To []byte
	Counts
}

// ranges is a histogram over keys that are not known before: disjoint, in the order of keys. A key that is in none is
// one of its own at first. If there are too many, the two neighbors that have the fewest requests together become one,
// as in Ben-Haim and Tom-Tov, "A streaming parallel decision tree algorithm", 2010. So where there are many requests
// ranges are short.
type ranges []Range

func (r *ranges) add(key []byte, c Counts) {
	i, within := slices.BinarySearchFunc(*r, key, func(g Range, key []byte) int {
		switch {
		case bytes.Compare(g.To, key) < 0:
			return -1
		case bytes.Compare(key, g.From) < 0:
			return 1
		}
		return 0
	})
	if !within {
		own := bytes.Clone(key)
		*r = slices.Insert(*r, i, Range{From: own, To: own})
	}
	(*r)[i].add(c)
	if len(*r) > mostRanges {
		r.join()
	}
}

// join makes one range of two.
func (r *ranges) join() {
	list, least := *r, 0
	for i := range len(list) - 1 {
		if list[i].weight()+list[i+1].weight() < list[least].weight()+list[least+1].weight() {
			least = i
		}
	}
	list[least].To = list[least+1].To
	list[least].add(list[least+1].Counts)
	*r = slices.Delete(list, least+1, least+2)
}
