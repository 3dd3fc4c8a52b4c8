package define

import (
	"slices"

	"zproxy/catalog"
)

// renumber makes a copy of a table whose columns have other numbers. It has no columns yet; all that names columns by
// their numbers names the new ones.
func renumber(t *catalog.Table, of func(column uint32) uint32) *catalog.Table {
	c := *t
	c.Columns = nil
	c.Primary = layoutWith(&t.Primary, of)
	c.Indexes, c.Checks = slices.Clone(t.Indexes), slices.Clone(t.Checks)
	for i := range c.Indexes {
		x := &c.Indexes[i]
		x.Layout = layoutWith(&x.Layout, of)
		x.Include, x.Also = renumbered(x.Include, of), renumbered(x.Also, of)
		if x.Where != nil {
			where := *x.Where
			where.Over.Columns, where.NotNull = renumberedBounds(where.Over.Columns, of), renumbered(where.NotNull, of)
			x.Where = &where
		}
	}
	c.KeyInclude = renumbered(t.KeyInclude, of)
	for i := range c.Checks {
		c.Checks[i].Columns = renumberedBounds(c.Checks[i].Columns, of)
	}
	if t.TTL != nil {
		ttl := *t.TTL
		ttl.Column = of(ttl.Column)
		c.TTL = &ttl
	}
	return &c
}

func renumbered(ids []uint32, of func(uint32) uint32) []uint32 {
	out := slices.Clone(ids)
	for i := range out {
		out[i] = of(out[i])
	}
	return out
}

func renumberedBounds(list []catalog.Bound, of func(uint32) uint32) []catalog.Bound {
	out := slices.Clone(list)
	for i := range out {
		out[i].ID = of(out[i].ID)
	}
	return out
}

// layoutWith is a layout over columns with other numbers.
func layoutWith(l *catalog.Layout, of func(uint32) uint32) catalog.Layout {
	c := *l
	c.Partition, c.Sort, c.Tie = partsWith(l.Partition, of), partsWith(l.Sort, of), partsWith(l.Tie, of)
	c.Key = slices.Clone(l.Key)
	for i := range c.Key {
		c.Key[i].ID = of(c.Key[i].ID)
	}
	return c
}

func partsWith(parts []catalog.Part, of func(uint32) uint32) []catalog.Part {
	out := slices.Clone(parts)
	for i, p := range out {
		out[i] = p.With(of)
		out[i].Pieces = partsWith(p.Pieces, of)
	}
	return out
}
