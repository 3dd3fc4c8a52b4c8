package rank

import (
	"cmp"
	"math"
	"slices"

	"zproxy/types/form"
	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/vector"
)

// occurrence is a lexeme of a document at a position, with the words of the query that mean it.
type occurrence struct {
	at    vector.Position
	entry int // of the document
	words []*query.Node
}

// occurrencesOf are the lexemes of a query in a document, in order of their positions.
func occurrencesOf(v vector.Vector, n *query.Node) (all []occurrence) {
	n.Words(func(w *query.Node) {
		first, _ := v.Find(w.Lexeme)
		for i, e := range query.Lexemes(v).Meant(w) {
			for _, p := range e.Positions {
				if w.Counts(p) {
					all = append(all, occurrence{p, first + i, []*query.Node{w}})
				}
			}
		}
	})
	slices.SortStableFunc(all, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.at.Number(), b.at.Number()), cmp.Compare(a.at, b.at), cmp.Compare(a.entry, b.entry))
	})
	out := all[:0]
	for _, o := range all {
		if last := len(out) - 1; last >= 0 && out[last].at == o.at && out[last].entry == o.entry {
			out[last].words = append(out[last].words, o.words...)
			continue
		}
		out = append(out, o)
	}
	return out
}

// part is a part of a document as the query sees it: where its words stand.
type part map[*query.Node][]int

// Has implements query.Document.
func (p part) Has(word *query.Node) query.Answer {
	if len(p[word]) == 0 {
		return query.No
	}
	return query.Yes
}

// Positions implements query.Document.
func (p part) Positions(word *query.Node) ([]int, query.Answer) { return p[word], p.Has(word) }

// end adds an occurrence behind the part.
func (p part) end(o occurrence) {
	for _, w := range o.words {
		if at := p[w]; len(at) == 0 || at[len(at)-1] != o.at.Number() {
			p[w] = append(at, o.at.Number())
		}
	}
}

// begin adds an occurrence before the part.
func (p part) begin(o occurrence) {
	for _, w := range o.words {
		if at := p[w]; len(at) == 0 || at[0] != o.at.Number() {
			p[w] = slices.Insert(at, 0, o.at.Number())
		}
	}
}

// covers finds the shortest parts of a document that answer a query.
type covers struct {
	all  []occurrence
	of   *query.Node
	work form.Work
	next int // the occurrence that the next cover may begin with
}

// cover is the occurrences from one to another one, which is in it.
type cover struct{ first, last int }

// find finds the next cover; false: there is none.
func (c *covers) find() (found cover, ok bool, err error) {
	for ; c.next < len(c.all); c.next++ {
		last, ok, err := c.matchFrom(part{}, c.next, len(c.all), 1)
		// A part that ends at position 0 is none: nothing stands there.
		if !ok || err != nil || c.all[last].at.Number() == 0 {
			return cover{}, false, err
		}
		first, ok, err := c.matchFrom(part{}, last, c.next-1, -1)
		if err != nil {
			return cover{}, false, err
		}
		if ok {
			c.next = first + 1
			return cover{first, last}, true, nil
		}
	}
	return cover{}, false, nil
}

// matchFrom adds occurrences from one to another one, which is not added, until they answer the query: at is the last
// one.
func (c *covers) matchFrom(p part, at, to, step int) (end int, ok bool, err error) {
	const work = 64 // of an occurrence
	for ; at != to; at += step {
		if err := form.Tick(c.work, work); err != nil {
			return 0, false, err
		}
		if step > 0 {
			p.end(c.all[at])
		} else {
			p.begin(c.all[at])
		}
		if c.of.Ask(p, query.Mode{}) != query.No {
			return at, true, nil
		}
	}
	return 0, false, nil
}

// ByCovers ranks by the parts of a document that answer the query: the shorter they are and the more of them there are,
// the better.
func ByCovers(w Weights, v vector.Vector, n *query.Node, m Method, work form.Work) (float32, error) {
	c := covers{all: occurrencesOf(v, n), of: n, work: work}
	rank, near, before, count := 0.0, 0.0, 0.0, 0
	for {
		found, ok, err := c.find()
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		rank += c.density(&w, found)
		middle := float64(c.all[found.first].at.Number()+c.all[found.last].at.Number()) / 2
		if count > 0 && middle > before {
			near += 1 / (middle - before)
		}
		before = middle
		count++
	}
	if count == 0 {
		return 0, nil
	}
	if m&ByDistance != 0 && near > 0 {
		return normal(rank, v, m, float64(count)/near), nil
	}
	return normal(rank, v, m, 1), nil
}

// density is the mean weight of a cover, and less the more other words stand in it.
func (c *covers) density(w *Weights, found cover) float64 {
	sum := 0.0
	for _, o := range c.all[found.first : found.last+1] {
		sum += 1 / float64(w.of(o.at))
	}
	between := found.last - found.first
	other := c.all[found.last].at.Number() - c.all[found.first].at.Number() - between
	if other < 0 { // behind the last position words share one
		other = between / 2
	}
	return float64(between+1) / sum / float64(1+other)
}

// normal divides a rank of covers.
func normal(rank float64, v vector.Vector, m Method, distance float64) float32 {
	if m&ByLogLength != 0 {
		rank /= math.Log(float64(length(v) + 1))
	}
	if m&ByLength != 0 {
		rank /= float64(length(v))
	}
	rank /= distance
	if m&ByLexemes != 0 {
		rank /= float64(len(v))
	}
	if m&ByLogLexemes != 0 {
		rank /= log2Above(len(v))
	}
	if m&ByItself != 0 {
		rank /= rank + 1
	}
	return float32(rank)
}
