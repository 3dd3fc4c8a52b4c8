package headline

// candidate is a part that may be the headline.
type candidate struct {
	span
	whole bool // it has all of the cover from which it was made
	found int  // pieces that the query means
}

// best is the part with the most pieces that the query means.
func (h *headline) best() (span, error) {
	best := candidate{span: h.beginning(), found: -1}
	for from := 0; ; from++ {
		cover, ok, err := h.cover(from)
		if err != nil {
			return span{}, err
		}
		if !ok {
			return best.span, nil
		}
		if c := h.fit(cover); h.better(c, best) {
			best = c
		}
		from = cover.first
	}
}

func (h *headline) better(c, best candidate) bool {
	switch {
	case c.whole != best.whole:
		return c.whole
	case c.found != best.found:
		return c.found > best.found
	}
	return !h.badEnd(c.last) && h.badEnd(best.last)
}

// fit makes a cover as long as a headline is to be.
func (h *headline) fit(cover span) candidate {
	var n count
	out := span{cover.first, cover.first}
	next := cover.first
	for ; next <= cover.last && n.words < h.MaxWords; next++ {
		h.count(&n, next, 1)
		out.last = next
	}
	if n.words < h.MaxWords {
		out = h.lengthen(out, cover, &n)
	} else {
		out.last = h.shorten(out.last, min(next, cover.last), &n)
	}
	return candidate{out, out.first <= cover.first && out.last >= cover.last, n.found}
}

// lengthen adds pieces behind a part until it may end there, and before it if the document ends.
func (h *headline) lengthen(out, cover span, n *count) span {
	for i := out.last; i < len(h.pieces) && n.words < h.MaxWords; i++ {
		if i > cover.last {
			h.count(n, i, 1)
		}
		out.last = i
		if !h.badEnd(i) && n.words >= h.MinWords {
			break
		}
	}
	if n.words >= h.MinWords {
		return out
	}
	for out.first--; out.first >= 0; out.first-- {
		h.count(n, out.first, 1)
		if n.words >= h.MaxWords || !h.badEnd(out.first) && n.words >= h.MinWords {
			break
		}
	}
	out.first = max(out.first, 0)
	return out
}

// shorten takes pieces from the end of a part until it may end there; from is the first one that is looked at.
func (h *headline) shorten(last, from int, n *count) int {
	for i := from; n.words > h.MinWords && h.badEnd(i); i-- {
		h.count(n, i, -1)
		last = i - 1
	}
	return last
}
