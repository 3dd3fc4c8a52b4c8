package planner

import (
	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/types"
)

// fits refuses a layout of which no key could be short enough. Most values tell only when
// a row comes whether its key is.
func fits(t *catalog.Table, l *catalog.Layout) *sqlerr.Error {
	partition, sort := leastBytes(t, l.Partition), leastBytes(t, l.Sort)
	if !l.Unique {
		sort += leastBytes(t, l.Tie)
	}
	refuse := func(what string, least, most int) *sqlerr.Error {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "%s keys would have at least %d bytes, more than the %d that a %s key may have", what, least, most, what)
	}
	switch {
	case partition > catalog.MaxPartitionBytes:
		return refuse("partition", partition, catalog.MaxPartitionBytes)
	case sort > catalog.MaxSortBytes:
		return refuse("sort", sort, catalog.MaxSortBytes)
	}
	return nil
}

// fits is the same for a layout by some options, of which the text of the key can be pointed at.
func (o *keyOptions) fits(t *catalog.Table, l *catalog.Layout) error {
	switch err := fits(t, l); {
	case err == nil:
		return nil
	case o.has(templateOption):
		return err.At(int(o.pos[templateOption]))
	default:
		return err
	}
}

// leastBytes is no more than the bytes that parts have in any key.
func leastBytes(t *catalog.Table, parts []catalog.Part) int {
	n := 0
	for _, p := range parts {
		n += leastOf(t, p)
	}
	return n
}

// leastOf is no more than the bytes that a part has in any key; a Z-address has all that it may
// have once it is built. Every value begins with a byte for what it is.
func leastOf(t *catalog.Table, p catalog.Part) int {
	switch p.Kind {
	case catalog.ZAddressPart:
		if p.Count > 0 {
			return 1
		}
		_, bits := curveBits(t, p.Curve)
		return (bits + 7) / 8
	case catalog.PrefixPart, catalog.TextPart:
		for _, id := range p.Columns() {
			if !t.Columns[t.Ordinal(id)].NotNull {
				return 1 // there is no text of NULL
			}
		}
		return 1 + leastText(p) + 2
	case catalog.ColumnPart:
		if c := t.Columns[t.Ordinal(p.Column)]; c.NotNull && c.Type.OID == types.OIDUUID {
			return 1 + 16
		}
	}
	return 1
}

// leastText is no more than the bytes that a text has.
func leastText(p catalog.Part) int {
	switch {
	case p.Kind == catalog.LiteralPart:
		return len(p.Text)
	case p.Kind == catalog.PrefixPart:
		return p.Count
	case p.Kind == catalog.TextPart:
		n := 0
		for _, piece := range p.Pieces {
			n += leastText(piece)
		}
		return n
	}
	return p.Width
}

// curveBits are the least and the most bits that a Z-address has. They differ where widths are
// chosen when the index is built.
func curveBits(t *catalog.Table, curve []catalog.Dimension) (least, most int) {
	for _, d := range curve {
		if d.Bits > 0 {
			least, most = least+d.Bits, most+d.Bits
			continue
		}
		typ := t.Columns[t.Ordinal(d.Column)].Type
		least, most = least+catalog.LearnedBits(typ), most+catalog.RawBits(typ)
	}
	return least, most
}
