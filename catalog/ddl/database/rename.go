package database

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/renumber"
	"zproxy/encoding/keys"
	"zproxy/store"
	"zproxy/types"
)

// change changes an item on its way to the copy; nil: it stays as it is.
type change func(*store.Item) error

// renaming gives objects that values of oid, regclass and the like number the numbers that they have in the copy: in
// the rows of a table, or in the entries of an index. It is nil where no column has such values.
func (c *copying) renaming(t *catalog.Table, x *catalog.Index) (change, error) {
	has := func(column uint32) bool {
		at := t.Ordinal(column)
		return at >= 0 && renumber.InValues(t.Columns[at].Type)
	}
	stored := t.StoredOrdinals(x)
	if !slices.ContainsFunc(stored, func(at int) bool { return has(t.Columns[at].ID) }) {
		return nil, nil
	}
	layout, sources := &t.Primary, t.Primary.Sources()
	if x != nil {
		layout, sources = &x.Layout, append(x.Layout.Sources(), sources...)
	}
	var codec *keys.Codec // nil: the key is made of no such values
	if slices.ContainsFunc(sources, has) {
		var err error
		if codec, err = keys.NewCodec(t, layout); err != nil {
			return nil, err
		}
	}
	row := make(types.Row, len(t.Columns))
	return func(item *store.Item) error {
		for i, at := range stored {
			item.Values[i] = renumber.Value(item.Values[i], t.Columns[at].Type, c.next)
			row[at] = item.Values[i]
		}
		if codec != nil {
			item.Key = codec.Key(row)
		}
		return nil
	}, nil
}
