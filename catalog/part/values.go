package part

import (
	"slices"

	"zproxy/encoding/span"
	"zproxy/types"
)

// values is what is known when a statement runs: the set of values of each column, and on one way
// the value that it has there. It implements Known.
type values struct {
	*walker
	from    way
	most    int      // how many values intervals are counted out to
	choices []choice // where the part has single values
	rest    span.Set // what the value is among where it has not
	drafts  []draft  // of a text
}

// draft is a text as far as its pieces are known, on the way that they are.
type draft struct {
	way
	text []byte
	null bool
}

// step appends the ways that go on from one by one part.
func (k *values) step(dst []way, p *Bound, from way) []way {
	k.from, k.choices = from, k.choices[:0]
	if !p.Take(k) {
		return from.along(dst, k.rest)
	}
	dst = slices.Grow(dst, len(k.choices))
	for _, c := range k.choices {
		dst = append(dst, c.way.with(c.value))
	}
	return dst
}

func (k *values) goOn(to way, v types.Value) { k.choices = append(k.choices, choice{to, v}) }

// Column implements Known.
func (k *values) Column(c *Bound) bool { return k.column(&c.Source, k.set(&c.Source), k.most) }

// Drawn implements Known.
func (k *values) Drawn(s *Source, n int) bool {
	drawn := span.Of(span.Interval{Low: types.NewInt(0), High: types.NewInt(int64(n - 1))})
	return k.column(s, k.set(s).Intersect(drawn), n)
}

func (k *values) column(s *Source, set span.Set, most int) bool {
	if k.from.bound[s.Ordinal] {
		k.goOn(k.from, k.from.row[s.Ordinal])
		return true
	}
	list, ok := listed(set, most)
	if !ok {
		k.rest = set
		return false
	}
	for _, v := range list {
		k.goOn(k.from.bind(s.Ordinal, v), v)
	}
	return true
}

// Points implements Known.
func (k *values) Points(of []Source, c Computed) bool { return k.computed(of, c, 0) }

// Values implements Known.
func (k *values) Values(of []Source, c Computed) bool { return k.computed(of, c, k.most) }

// Fewer implements Known.
func (k *values) Fewer(than int, of []Source, c Computed) bool { return k.computed(of, c, than-1) }

// computed goes the ways on which all columns of a part are known, and computes it.
func (k *values) computed(of []Source, c Computed, most int) bool {
	ways, ok := k.fork(k.from, of, most)
	for _, to := range ways {
		k.goOn(to, c.Value(to.row))
	}
	return ok
}

// Each implements Known.
func (k *values) Each(n int, value func(i int) types.Value) bool {
	k.choices = slices.Grow(k.choices, n)
	for i := range n {
		k.goOn(k.from, value(i))
	}
	return true
}

// Possible implements Known.
func (k *values) Possible(n int, of []Source, value func(i int) types.Value) bool {
	if k.anyNull(of) {
		k.goOn(k.from, types.Null)
	}
	return k.Each(n, value)
}

// Spread implements Known. A walk that did not come by the values of the column ended there.
func (k *values) Spread(s *Spread) bool {
	if !k.from.bound[s.by.Ordinal] {
		return k.Nothing()
	}
	n := s.Shards(k.from.row[s.by.Ordinal])
	return n > 1 && k.Fewer(n, s.of, s) || k.Each(n, shardNumber)
}

// Units implements Known.
func (k *values) Units(of *Source, u Units) bool {
	set := k.set(of)
	list, ok := u.Within(set, k.most)
	if !ok {
		k.rest = span.Of(u.Hull(set))
		k.rest.Null = set.Null
		return false
	}
	for _, v := range list {
		k.goOn(k.from, v)
	}
	if set.Null {
		k.goOn(k.from, types.Null)
	}
	return true
}

// Nothing implements Known.
func (k *values) Nothing() bool {
	k.rest = span.Everything
	return false
}

// Piece implements Known. Texts of which a piece has no place are left out: no row has them.
func (k *values) Piece(t *Joined, i int) bool {
	if i == 0 {
		k.drafts = []draft{{way: k.from}}
	}
	p := &t.pieces[i]
	one := &values{walker: k.walker, most: k.most / max(len(k.drafts), 1)}
	next := make([]draft, 0, len(k.drafts))
	for _, d := range k.drafts {
		if d.null {
			next = append(next, d)
			continue
		}
		one.from, one.choices = d.way, one.choices[:0]
		if !p.Take(one) {
			return false
		}
		for _, c := range one.choices {
			if why, _ := t.misfit(i, c.row); why != "" {
				continue
			}
			to := draft{way: c.way, null: c.value.IsNull()}
			if !to.null {
				to.text = p.appendText(slices.Clip(d.text), c.value)
			}
			next = append(next, to)
		}
	}
	k.drafts = next
	return true
}

// Begins implements Known.
func (k *values) Begins(t *Joined, i int) bool {
	k.rest = t.rest(k.walker, k.drafts, i)
	return false
}

// Whole implements Known.
func (k *values) Whole(*Joined) bool {
	for _, d := range k.drafts {
		v := types.Null
		if !d.null {
			v = types.NewText(string(d.text))
		}
		k.goOn(d.way, v)
	}
	return true
}
