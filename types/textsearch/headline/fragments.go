package headline

// fragment is a part of a cover that is not too long.
type fragment struct {
	span
	count
	out bool // it is chosen, or overlaps one that is
}

// fragments are the parts with the most pieces that the query means, or the beginning of the document.
func (h *headline) fragments() ([]span, error) {
	all, err := h.allFragments()
	if err != nil {
		return nil, err
	}
	var chosen []span
	for range h.Fragments {
		f := largest(all)
		if f == nil {
			break
		}
		s := h.stretch(f.span, f.words)
		h.show(s) // so that no other one is stretched over it
		chosen = append(chosen, s)
		for i := range all {
			if all[i].first <= s.last && all[i].last >= s.first {
				all[i].out = true
			}
		}
		f.out = true
	}
	if chosen == nil {
		return []span{h.beginning()}, nil
	}
	return chosen, nil
}

// allFragments divides all covers.
func (h *headline) allFragments() (all []fragment, err error) {
	for from := 0; ; from++ {
		cover, ok, err := h.cover(from)
		if err != nil || !ok {
			return all, err
		}
		for rest := cover; rest.first <= rest.last; {
			f := h.fragment(rest)
			all = append(all, f)
			rest.first = f.last + 1
		}
		from = cover.first
	}
}

// largest is the fragment with the most pieces that the query means, of several the one with the fewest words.
func largest(all []fragment) (best *fragment) {
	for i := range all {
		f := &all[i]
		if f.out {
			continue
		}
		if best == nil || f.found > best.found || f.found == best.found && f.words < best.words {
			best = f
		}
	}
	return best
}

// fragment is the beginning of a part of a cover: it begins and ends with pieces that the query means.
func (h *headline) fragment(of span) fragment {
	for of.first < of.last && !h.found(of.first) {
		of.first++
	}
	f := fragment{span: of}
	next := of.first
	for ; next <= of.last && f.words < h.MaxWords; next++ {
		h.count(&f.count, next, 1)
	}
	if of.last <= next {
		return f
	}
	for f.last = next; f.last > f.first && !h.found(f.last); f.last-- {
		if h.isWord(f.last) {
			f.words--
		}
	}
	return f
}

// stretch adds pieces on both sides of a part, as long as they are not shown, until it is as long as a headline may be.
func (h *headline) stretch(s span, words int) span {
	if words >= h.MaxWords {
		return s
	}
	most := (h.MaxWords - words) / 2
	first := s.first
	for added := 0; first > 0 && added < most && !h.pieces[first-1].shown; {
		first--
		if h.isWord(first) {
			words++
			added++
		}
	}
	for ; first < s.first && h.badEnd(first); first++ {
		if h.isWord(first) {
			words--
		}
	}
	last := s.last
	for ; last+1 < len(h.pieces) && words < h.MaxWords && !h.pieces[last+1].shown; last++ {
		if h.isWord(last + 1) {
			words++
		}
	}
	for last > s.last && h.badEnd(last) {
		last--
	}
	return span{first, last}
}
