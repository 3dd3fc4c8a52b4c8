package keys

import (
	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// Codec makes the keys of one table or index. It is prepared once for a layout, never
// changes, and may be shared.
type Codec struct {
	partition []part
	sort      []part // with the tie-breaker of a layout that is not unique
	tie       []part // the tie-breaker of a unique layout
	scatter   scatter
	table     *catalog.Table
	layout    *catalog.Layout
}

// part is a part of the layout with its columns found.
type part struct {
	column int // place in the row
	id     uint32
	desc   bool
	curve  *curve // of a Z-address
}

// NewCodec prepares a layout of a table. Rows given to the codec have the columns of
// the table in their order.
func NewCodec(t *catalog.Table, l *catalog.Layout) (*Codec, error) {
	c := &Codec{table: t, layout: l, scatter: scatterOf(t, l)}
	var err error
	if c.partition, err = parts(t, l.Partition); err != nil {
		return nil, err
	}
	if c.sort, err = parts(t, l.Sort); err != nil {
		return nil, err
	}
	tie, err := parts(t, l.Tie)
	if l.Unique {
		c.tie = tie
	} else {
		c.sort = append(c.sort, tie...)
	}
	return c, err
}

func parts(t *catalog.Table, in []catalog.Part) ([]part, error) {
	var out []part
	for _, p := range in {
		q := part{desc: p.Desc, id: p.Column, column: t.Ordinal(p.Column)}
		if p.Kind == catalog.ZAddressPart {
			var err error
			if q.curve, err = newCurve(t, p.Curve); err != nil {
				return nil, err
			}
		}
		out = append(out, q)
	}
	return out, nil
}

// Key is the key of a row.
func (c *Codec) Key(row types.Row) store.Key {
	buf := make([]byte, 0, 64)
	null := false
	buf, null = appendParts(buf, c.partition, row, null)
	n := len(buf)
	buf, null = appendParts(buf, c.sort, row, null)
	if null {
		buf, _ = appendParts(buf, c.tie, row, null)
	}
	return store.Key{Partition: buf[:n:n], Sort: buf[n:]}
}

func appendParts(dst []byte, parts []part, row types.Row, null bool) ([]byte, bool) {
	for _, p := range parts {
		if p.curve != nil {
			dst = p.curve.appendAddress(dst, row)
			continue
		}
		null = null || row[p.column].IsNull()
		dst = AppendValue(dst, row[p.column], p.desc)
	}
	return dst, null
}

// KeyHasNull says whether a key column of a row is NULL, so that a unique index lets it
// stand beside another.
func (c *Codec) KeyHasNull(row types.Row) bool {
	for _, list := range [][]part{c.partition, c.sort} {
		for _, p := range list {
			if p.curve == nil && row[p.column].IsNull() {
				return true
			}
		}
	}
	return false
}
