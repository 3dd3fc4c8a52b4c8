package keys

import (
	"slices"

	"zproxy/catalog"
	"zproxy/encoding/ordered"
	"zproxy/store"
	"zproxy/types"
)

// Codec makes the keys of one table or index. It is prepared once for a layout, never
// changes, and may be shared.
type Codec struct {
	partition []part
	sort      []part // with the tie-breaker of a layout that is not unique
	parts     []part // both
	tie       []part // the tie-breaker of a unique layout
	scatter   scatter
	table     *catalog.Table
	layout    *catalog.Layout
	declared  []int // the columns of the key as declared, by their places in the table
	computes  bool  // a part is computed from columns
}

// NewCodec prepares a layout of a table. Rows given to the codec have the columns of
// the table in their order.
func NewCodec(t *catalog.Table, l *catalog.Layout) (*Codec, error) {
	c := &Codec{table: t, layout: l, scatter: scatterOf(t, l)}
	p := preparer{t}
	var err error
	if c.sort, err = p.parts(l.Sort); err != nil {
		return nil, err
	}
	tie, err := p.parts(l.Tie)
	if err != nil {
		return nil, err
	}
	if c.partition, err = p.partition(l, c.sort); err != nil {
		return nil, err
	}
	switch {
	case !l.Unique:
		c.sort = append(c.sort, tie...)
	case !l.NullsEqual:
		c.tie = tie
	}
	c.parts = slices.Concat(c.partition, c.sort)
	for _, q := range c.parts {
		c.computes = c.computes || q.of != nil || q.domain > 0
	}
	for _, id := range l.Columns() {
		c.declared = append(c.declared, t.Ordinal(id))
	}
	return c, nil
}

// partition prepares the parts of the partition key. The leading bits of a Z-address are
// those of the address that is the sort key.
func (p preparer) partition(l *catalog.Layout, sort []part) ([]part, error) {
	out := make([]part, len(l.Partition))
	for i := range l.Partition {
		in := &l.Partition[i]
		if in.Kind == catalog.ZAddressPart {
			out[i] = part{of: &topBits{curve: sort[0].curve, bits: in.Count}, t: types.Int8}
			continue
		}
		var err error
		if out[i], err = p.part(in); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Types are those of the values that the parts have, in key order, with the tie-breaker.
func (c *Codec) Types() []types.T {
	var out []types.T
	for _, p := range slices.Concat(c.parts, c.tie) {
		out = append(out, p.t)
	}
	return out
}

// Key is the key of a row.
func (c *Codec) Key(row types.Row) store.Key {
	buf := make([]byte, 0, 64)
	buf = appendParts(buf, c.partition, row)
	n := len(buf)
	buf = appendParts(buf, c.sort, row)
	if len(c.tie) > 0 && c.KeyHasNull(row) {
		buf = appendParts(buf, c.tie, row)
	}
	return store.Key{Partition: buf[:n:n], Sort: buf[n:]}
}

func appendParts(dst []byte, parts []part, row types.Row) []byte {
	for i := range parts {
		p := &parts[i]
		switch {
		case p.curve != nil:
			dst = p.curve.appendAddress(dst, row)
		case p.of != nil:
			dst = ordered.Append(dst, p.of.value(row), p.desc)
		default:
			dst = ordered.Append(dst, row[p.column], p.desc)
		}
	}
	return dst
}

// KeyHasNull says whether a declared column of the key is NULL in a row, so that a unique
// index lets it stand beside another, unless NULLs are equal there.
func (c *Codec) KeyHasNull(row types.Row) bool {
	return !c.layout.NullsEqual && slices.ContainsFunc(c.declared, func(column int) bool { return row[column].IsNull() })
}
