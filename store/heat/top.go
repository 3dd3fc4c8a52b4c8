package heat

import (
	"cmp"
	"slices"
)

// mostKeys is how many keys a top keeps.
const mostKeys = 64

// Key is one of the keys that are asked for most often. What was counted of it is at most too low by Over.
type Key struct {
	Key []byte
	Counts
	Over int64
}

// estimate is what a key was asked for, or more.
func (k *Key) estimate() int64 { return k.Sum() + k.Over }

// top finds the keys that are asked for most often, by the algorithm Space-Saving: Metwally, Agrawal and El Abbadi,
// "Efficient computation of frequent and top-k elements in data streams", 2005. A key that is not among the kept ones
// takes the position of the least, and with it its count as its error. So each key with more than a 64th of the
// requests is there. Counts hold what was counted under the key itself; with Over they are never too low.
type top struct {
	keys []Key
	at   map[string]int
}

func (t *top) add(key []byte, c Counts) {
	i, known := t.at[string(key)]
	switch {
	case known:
	case len(t.keys) < mostKeys:
		if t.at == nil {
			t.at = map[string]int{}
		}
		i = len(t.keys)
		t.keys = append(t.keys, Key{Key: slices.Clone(key)})
		t.at[string(key)] = i
	default:
		i = t.least()
		old := &t.keys[i]
		delete(t.at, string(old.Key))
		*old = Key{Key: slices.Clone(key), Over: old.estimate()}
		t.at[string(key)] = i
	}
	t.keys[i].add(c)
}

func (t *top) least() int {
	least := 0
	for i := range t.keys {
		if t.keys[i].estimate() < t.keys[least].estimate() {
			least = i
		}
	}
	return least
}

// merged are the keys of several tops, those with the most requests first.
func merged(tops []*top) []Key {
	var out []Key
	at := map[string]int{}
	for _, t := range tops {
		for _, k := range t.keys {
			i, known := at[string(k.Key)]
			if !known {
				i = len(out)
				at[string(k.Key)] = i
				out = append(out, Key{Key: k.Key})
			}
			out[i].add(k.Counts)
			out[i].Over += k.Over
		}
	}
	slices.SortFunc(out, func(a, b Key) int {
		return cmp.Or(cmp.Compare(b.Sum(), a.Sum()), slices.Compare(a.Key, b.Key))
	})
	return out
}
