package trigram

import "zproxy/expr"

// extent is how alike a text is to the part of another one, from a trigram to another one, that is most like it.
func extent(c *expr.Context, a, b string) (float32, error) { return within(c, a, b, false) }

// words is extent for parts that are whole words.
func words(c *expr.Context, a, b string) (float32, error) { return within(c, a, b, true) }

func within(c *expr.Context, a, b string, whole bool) (float32, error) {
	x, err := set(c, a)
	if err != nil {
		return 0, err
	}
	y, err := of(c, b)
	if err != nil || len(x) == 0 || len(y.all) == 0 {
		return 0, err
	}
	s := &search{c: c, in: y, whole: whole, wanted: map[trigram]bool{}, seen: map[trigram]int{}, from: -1}
	for _, t := range x {
		s.wanted[t] = true
	}
	if whole {
		s.from = 0
	}
	return s.best()
}

// search looks for the part of a list of trigrams that is most like a set.
type search struct {
	c      *expr.Context
	in     list
	whole  bool
	wanted map[trigram]bool
	seen   map[trigram]int // where each trigram of the part is last
	from   int             // where the part begins; -1: it has none yet
	part
}

// part is how many different trigrams a part has, and how many of them are wanted.
type part struct{ size, common int }

func (s *search) share(p part) float32 { return share(p.common, len(s.wanted), p.size) }

// best goes through the ends of parts in order. For each it moves the beginning to where the part is most like the set,
// and goes on from there.
func (s *search) best() (float32, error) {
	most := float32(0)
	for at, t := range s.in.all {
		if err := s.c.Tick(1); err != nil {
			return 0, err
		}
		if s.from >= 0 || s.wanted[t] {
			if _, there := s.seen[t]; !there {
				s.size++
				if s.wanted[t] {
					s.common++
				}
			}
			s.seen[t] = at
		}
		if ends := s.wanted[t]; !s.whole && !ends || s.whole && !s.in.last[at] {
			continue
		}
		if s.from < 0 {
			s.from, s.size = at, 1
		}
		of, err := s.shorten(at)
		if err != nil {
			return 0, err
		}
		most = max(most, of)
	}
	return most, nil
}

// shorten moves the beginning of the part that ends somewhere, and says how alike it is to the set then.
func (s *search) shorten(end int) (float32, error) {
	before, rest, most := s.from, s.part, s.share(s.part)
	for at := before; at <= end; at++ {
		if err := s.c.Tick(1); err != nil {
			return 0, err
		}
		if !s.whole || s.in.first[at] {
			if of := s.share(rest); of > most {
				most, s.part, s.from = of, rest, at
			}
		}
		t := s.in.all[at]
		if last, there := s.seen[t]; there && last == at {
			rest.size--
			if s.wanted[t] {
				rest.common--
			}
		}
	}
	for at := before; at < s.from; at++ {
		if last, there := s.seen[s.in.all[at]]; there && last == at {
			delete(s.seen, s.in.all[at])
		}
	}
	return most, nil
}
