package define

import (
	"zproxy/catalog"
	"zproxy/sqlerr"
)

// fits refuses a layout of which no key could be short enough. Most values tell only when
// a row comes whether its key is.
func (b Builder) fits(t *catalog.Table, l *catalog.Layout) *sqlerr.Error {
	partition, sort := leastBytes(t, l.Partition), leastBytes(t, l.Sort)
	if !l.Unique {
		sort += leastBytes(t, l.Tie)
	}
	refuse := func(what string, least, most int) *sqlerr.Error {
		return sqlerr.New(sqlerr.ProgramLimitExceeded,
			"%s keys would have at least %d bytes, more than the %d that a %s key may have", what, least, most, what)
	}
	switch on := b.Limits.Store; {
	case on.MostPartition > 0 && partition > on.MostPartition:
		return refuse("partition", partition, on.MostPartition)
	case on.MostSort > 0 && sort > on.MostSort:
		return refuse("sort", sort, on.MostSort)
	}
	return nil
}

// fitsBy is the same for a layout by some options, of which the text of the key can be pointed at.
func (b Builder) fitsBy(o *keyOptions, t *catalog.Table, l *catalog.Layout) error {
	switch err := b.fits(t, l); {
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
	for i := range parts {
		n += parts[i].LeastBytes(t)
	}
	return n
}
