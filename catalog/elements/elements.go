// Package elements has what statistics say of the elements of a column's values: of the elements of arrays, and of
// jsonb documents of their keys and of their leaves. ANALYZE collects it from a sample of rows, and
// optimizer/cardinality estimates with it which share of the rows has some element. Read Stats first, then Leaf and
// Collect.
package elements

import (
	"zproxy/types"
	"zproxy/types/json"
)

// Stats is what is known of the elements of the values of a column that are not NULL. Shares are of these values.
type Stats struct {
	// Common are the most common elements of arrays, the most common one first; of documents what the operator ? finds
	// in them, the keys of objects and the texts of arrays. An element counts once in a value.
	Common []Common
	Others Rest
	Nulls  float64 // the share of arrays with an element that is NULL
	// Counts are how many different elements arrays have, in ascending order, with equally many arrays between each
	// two; nil of documents.
	Counts []int
	// Parts are the most common documents with one leaf that documents contain, the most common one first.
	Parts []Common
	// Paths say what other leaves there are, the paths with the most leaves first.
	Paths   []Path
	Sampled int // in how many values all of that was found
}

// Common is an element with the share of values that have it.
type Common struct {
	Value types.Value
	Share float64
}

// Rest are elements that are not listed.
type Rest struct {
	Mean     float64 // how many of them a value has
	Distinct float64 // how many different ones there are in all values
}

// Path is a path to leaves, as a document whose leaf is null, and the leaves at its end that are not listed.
type Path struct {
	Of types.Value
	Rest
}

// Has says whether values of a type have elements that statistics are kept of.
func Has(t types.T) bool {
	if t.Kind() == types.KindJSONB {
		return true
	}
	element, ok := types.ElementOf(t)
	if !ok || t.Kind() != types.KindArray || types.InfoOf(element.OID).Unordered {
		return false
	}
	return element.Kind().Ordered() && element.Kind() != types.KindRecord
}

// Mean is how many different elements a value has.
func (s *Stats) Mean() float64 {
	sum := s.Others.Mean
	for _, c := range s.Common {
		sum += c.Share
	}
	return sum
}

// Share is the share of values that have an element.
func (s *Stats) Share(v types.Value) float64 {
	if at := indexOf(s.Common, v); at >= 0 {
		return s.Common[at].Share
	}
	return s.share(s.Others, s.Common)
}

// Part is the share of documents that contain a document with one leaf.
func (s *Stats) Part(l Leaf) float64 {
	if l.container() {
		if key, ok := l.Key(); ok {
			return s.Share(types.NewText(key))
		}
		return 1
	}
	if at := indexOf(s.Parts, l.Document()); at >= 0 {
		return s.Parts[at].Share
	}
	return s.share(s.at(l.Path()), s.Parts)
}

// Member is what is known of the scalars at the end of a path of keys: the listed documents that have one, and others.
func (s *Stats) Member(keys []string) (listed []Common, others Rest) {
	l := Leaf{}
	for _, key := range keys {
		l.way = append(l.way, step{key: key})
	}
	for _, c := range s.Parts {
		at := c.Value.JSONB()
		for _, key := range keys {
			if at != nil {
				at = at.Member(key)
			}
		}
		if at != nil && scalar(at) {
			listed = append(listed, c)
		}
	}
	return listed, s.at(l.Path())
}

// at are the leaves at the end of a path that are not listed.
func (s *Stats) at(path types.Value) Rest {
	for _, p := range s.Paths {
		if types.Compare(p.Of, path) == 0 {
			return p.Rest
		}
	}
	return Rest{}
}

// share is the share of values that have one of some elements that are not listed: on average, but no more than the
// least common one that is listed.
func (s *Stats) share(of Rest, listed []Common) float64 {
	missing := s.Missing()
	if of.Distinct < 1 {
		return missing
	}
	share := max(of.Mean/of.Distinct, missing)
	if n := len(listed); n > 0 {
		share = min(share, listed[n-1].Share)
	}
	return share
}

// Missing is the share of values that are thought to have an element that was not in the sample.
func (s *Stats) Missing() float64 { return 0.5 / float64(max(s.Sampled, 1)) }

func indexOf(list []Common, v types.Value) int {
	for i := range list {
		if types.Compare(list[i].Value, v) == 0 {
			return i
		}
	}
	return -1
}

func scalar(j *json.Value) bool { return j.Kind != json.Array && j.Kind != json.Object }
