package elements

import (
	"cmp"
	"maps"
	"slices"

	"zproxy/types"
	"zproxy/types/json"
)

const (
	// mostCommon is how many elements are listed, and mostPaths how many paths: PostgreSQL's ten for each value that
	// is listed of a column.
	mostCommon, mostPaths = 1000, 200
	// mostCounted is about how many elements are looked at. Of values with more of them there are fewer.
	mostCounted = 500_000
	// widest is how many bytes an element may have to be listed.
	widest = 256
	// pieces is how many bounds Counts has.
	pieces = 100
	// rounds is in how many the values are looked at, each of which lies everywhere among them.
	rounds = 16
)

// Collect finds the elements of sampled values, none of which is NULL, in the order of the rows. Their type is one of
// those that Has names. They stand for so many values. It is nil without values.
func Collect(of types.T, values []types.Value, all float64) *Stats {
	if len(values) == 0 {
		return nil
	}
	c := &collection{documents: of.Kind() == types.KindJSONB, elements: newCounter[types.Value](),
		leaves: newCounter[Leaf]()}
	for round := range rounds {
		for i := round; i < len(values); i += rounds {
			c.add(values[i])
		}
		if c.elements.all+c.leaves.all > mostCounted {
			break
		}
	}
	return c.stats(max(1, all/float64(c.values)))
}

// collection is what was found so far.
type collection struct {
	documents bool
	values    int
	nulls     int   // values with an element that is NULL
	counts    []int // of different elements, of each value
	elements  *counter[types.Value]
	leaves    *counter[Leaf]
}

func (c *collection) add(v types.Value) {
	c.values++
	if c.documents {
		c.addDocument(v.JSONB())
		return
	}
	before, null := c.elements.all, false
	for _, item := range v.Array().Items {
		if item.IsNull() {
			null = true
			continue
		}
		c.elements.add(types.AppendKey(nil, item), item, c.values)
	}
	if null {
		c.nulls++
	}
	c.counts = append(c.counts, c.elements.all-before)
}

func (c *collection) addDocument(j *json.Value) {
	for _, s := range Texts(j) {
		c.elements.add([]byte(s), types.NewText(s), c.values)
	}
	for l := range Leaves(j) {
		if !l.container() {
			c.leaves.add(l.key(), l, c.values)
		}
	}
}

// Texts are what the operator ? finds in a document.
func Texts(j *json.Value) []string {
	switch j.Kind {
	case json.Object:
		return j.Keys
	case json.String:
		return []string{j.Text}
	}
	var out []string
	for i := range j.Items {
		if j.Items[i].Kind == json.String {
			out = append(out, j.Items[i].Text)
		}
	}
	return out
}

// stats sums up, where there are so many times as many values.
func (c *collection) stats(times float64) *Stats {
	s := &Stats{Sampled: c.values, Nulls: float64(c.nulls) / float64(c.values)}
	least := 1
	if !c.documents { // PostgreSQL is not sure of rarer ones
		least += 9 * 7 * c.elements.all / (1000 * mostCommon)
	}
	listed, left := c.elements.common(least)
	for _, t := range listed {
		s.Common = append(s.Common, Common{t.of, t.share(c.values)})
	}
	s.Others = restOf(left, c.values, times)
	if c.documents {
		c.sumUpLeaves(s, times)
		return s
	}
	slices.Sort(c.counts)
	for i := range pieces {
		s.Counts = append(s.Counts, c.counts[i*(len(c.counts)-1)/(pieces-1)])
	}
	return s
}

// sumUpLeaves lists the leaves that were found twice, and where the others are.
func (c *collection) sumUpLeaves(s *Stats, times float64) {
	listed, left := c.leaves.common(2)
	for _, t := range listed {
		s.Parts = append(s.Parts, Common{t.of.Document(), t.share(c.values)})
	}
	at := map[string][]*tally[Leaf]{}
	for _, t := range left {
		path := string(t.of.path())
		at[path] = append(at[path], t)
	}
	for _, path := range slices.Sorted(maps.Keys(at)) {
		list := at[path]
		s.Paths = append(s.Paths, Path{list[0].of.Path(), restOf(list, c.values, times)})
	}
	slices.SortStableFunc(s.Paths, func(a, b Path) int { return cmp.Compare(b.Mean, a.Mean) })
	s.Paths = s.Paths[:min(len(s.Paths), mostPaths)]
}
