package headline

import (
	"zproxy/types/form"
	"zproxy/types/textsearch/query"
)

// part is a part of the document as the query sees it.
type part []piece

// Has implements query.Document.
func (p part) Has(word *query.Node) query.Answer {
	for i := range p {
		if p[i].word == word {
			return query.Yes
		}
	}
	return query.No
}

// Positions implements query.Document.
func (p part) Positions(word *query.Node) (out []int, answer query.Answer) {
	for i := range p {
		if p[i].word == word && (len(out) == 0 || out[len(out)-1] < p[i].position) {
			out = append(out, p[i].position)
		}
	}
	if len(out) == 0 {
		return nil, query.No
	}
	return out, query.Yes
}

// meant is the first piece from an index on that the query means; -1: there is none.
func (h *headline) meant(from int) int {
	for i := from; i < len(h.pieces); i++ {
		if h.pieces[i].word != nil {
			return i
		}
	}
	return -1
}

// cover finds the first part from an index on that answers the query and is not too long; it begins and ends with
// pieces that the query means.
func (h *headline) cover(from int) (found span, ok bool, err error) {
	longest := max(10*h.MaxWords, 100)
	if h.Fragments > 0 {
		longest *= h.Fragments
	}
	for first := h.meant(from); first >= 0; first = h.meant(first + 1) {
		for last := first; last >= 0 && last-first < longest; last = h.meant(last + 1) {
			if err := form.Tick(h.work, 8*(last-first+1)); err != nil {
				return span{}, false, err
			}
			if h.of.Ask(part(h.pieces[first:last+1]), query.Mode{}) != query.No {
				return span{first, last}, true, nil
			}
		}
	}
	return span{}, false, nil
}
