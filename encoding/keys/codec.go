package keys

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/part"
	"zproxy/store"
	"zproxy/types"
)

// Codec makes the keys of one table or index. It is prepared once for a layout, never
// changes, and may be shared.
type Codec struct {
	partition []part.Bound
	sort      []part.Bound // with the tie-breaker of a layout that is not unique
	parts     []part.Bound // both
	tie       []part.Bound // the tie-breaker of a unique layout
	curve     *curve       // of the Z-address that the sort key is, nil for other layouts
	scatter   scatter
	table     *catalog.Table
	layout    *catalog.Layout
	declared  []int // the columns of the key as declared, by their ordinals in the table
	computes  bool  // a part is computed from columns
}

// NewCodec prepares a layout of a table. Rows given to the codec have the columns of
// the table in their order.
func NewCodec(t *catalog.Table, l *catalog.Layout) (*Codec, error) {
	c := &Codec{table: t, layout: l, scatter: scatterOf(t, l)}
	var err error
	if curve := l.Curve(); curve != nil {
		if c.curve, err = newCurve(t, curve); err != nil {
			return nil, err
		}
	}
	if c.sort, err = part.BindAll(l.Sort, t); err != nil {
		return nil, err
	}
	if c.curve != nil {
		c.sort[0].Of = newAddress(t, c.curve)
	}
	tie, err := part.BindAll(l.Tie, t)
	if err != nil {
		return nil, err
	}
	if c.partition, err = part.BindAll(l.Partition, t); err != nil {
		return nil, err
	}
	if n := l.TopBits(); n > 0 {
		c.partition[0].Of = &topBits{newAddress(t, c.curve), n}
	}
	switch {
	case !l.Unique:
		c.sort = append(c.sort, tie...)
	case !l.NullsEqual || l.Deferrable:
		c.tie = tie
	}
	c.parts = slices.Concat(c.partition, c.sort)
	for i := range c.parts {
		c.computes = c.computes || c.parts[i].Of != nil
	}
	for _, id := range l.Columns() {
		c.declared = append(c.declared, t.Ordinal(id))
	}
	return c, nil
}

// Types are those of the values that the parts have, in key order, with the tie-breaker.
func (c *Codec) Types() []types.T {
	var out []types.T
	for _, p := range slices.Concat(c.parts, c.tie) {
		out = append(out, p.Type)
	}
	return out
}

// Key is the key of a row.
func (c *Codec) Key(row types.Row) store.Key {
	return c.key(row, len(c.tie) > 0 && c.KeyHasNull(row))
}

// TiedKey is the key of a row in a unique layout with the tie-breaker behind it, which no other row has.
func (c *Codec) TiedKey(row types.Row) store.Key { return c.key(row, true) }

func (c *Codec) key(row types.Row, tied bool) store.Key {
	buf := make([]byte, 0, 64)
	buf = appendParts(buf, c.partition, row)
	n := len(buf)
	buf = c.appendSort(buf, row)
	if tied {
		buf = appendParts(buf, c.tie, row)
	}
	return store.Key{Partition: buf[:n:n], Sort: buf[n:]}
}

// appendSort appends the sort key. A Z-address has a fixed length, so that it needs no end.
func (c *Codec) appendSort(dst []byte, row types.Row) []byte {
	if c.curve == nil {
		return appendParts(dst, c.sort, row)
	}
	return appendParts(c.curve.appendAddress(dst, row), c.sort[1:], row)
}

func appendParts(dst []byte, parts []part.Bound, row types.Row) []byte {
	for i := range parts {
		p := &parts[i]
		if p.Of != nil {
			dst = appendValue(dst, p, p.Of.Value(row))
			continue
		}
		dst = p.Append(dst, row[p.Ordinal])
	}
	return dst
}

// appendValue appends the value of a part.
func appendValue(dst []byte, p *part.Bound, v types.Value) []byte {
	if p.Fixed {
		return append(dst, v.Text()...)
	}
	return p.Append(dst, v)
}

// address is a part that is the address on a curve.
type address struct {
	curve *curve
	of    []part.Source
}

// Value implements part.Computed.
func (a *address) Value(row types.Row) types.Value {
	return types.NewBytes(a.curve.appendAddress(nil, row))
}

// Take implements part.Computed.
func (a *address) Take(k part.Known) bool { return k.Points(a.of, a) }

func newAddress(t *catalog.Table, z *curve) *address {
	a := &address{curve: z}
	for _, d := range z.dims {
		a.of = append(a.of, t.Source(axis.Column(d.id)))
	}
	return a
}

// KeyHasNull says whether a declared column of the key is NULL in a row, so that a unique
// index lets it stand beside another, unless NULLs are equal there.
func (c *Codec) KeyHasNull(row types.Row) bool {
	return !c.layout.NullsEqual && slices.ContainsFunc(c.declared,
		func(column int) bool { return row[column].IsNull() })
}
