package define

import (
	"zproxy/catalog"
	"zproxy/sqlerr"
)

// fits refuses a layout of which no key could be short enough. Most values tell only when
// a row comes whether its key is.
func fits(t *catalog.Table, l *catalog.Layout) *sqlerr.Error {
	partition, sort := leastBytes(t, l.Partition), leastBytes(t, l.Sort)
	if !l.Unique {
		sort += leastBytes(t, l.Tie)
	}
	refuse := func(what string, least, most int) *sqlerr.Error {
		return sqlerr.New(sqlerr.ProgramLimitExceeded,
			"%s keys would have at least %d bytes, more than the %d that a %s key may have", what, least, most, what)
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
	for i := range parts {
		n += parts[i].LeastBytes(t)
	}
	return n
}
