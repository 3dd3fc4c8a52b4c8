package executor

import (
	"slices"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/tariff"
	"zproxy/types"
)

// spend counts what the write of an item will be charged, which stands for a row as it was and as it is to be, and ends
// the statement when its writes are more than they may be. That is before anything of them is charged: a transaction
// keeps its writes until it is committed. Several writes of one item are one to the store.
func (f frame) spend(l *layout, key store.Key, c change, g store.Guard) error {
	if f.env.MaxWrites == 0 || f.env.Txn.Wrote(l.space, key) {
		return nil
	}
	w := tariff.Write{Times: 1, Bytes: l.bytes(key, c.new), Over: l.bytes(key, c.old)}
	switch {
	case f.env.fills:
		w.Kind = tariff.Fills
	case g == store.Loose && f.env.Store.Loose:
		w.Kind = tariff.Separate
	}
	if l.index == nil && c.new != nil {
		f.env.put++
	} else if l.index == nil && c.old != nil {
		f.env.removed++
	}
	f.env.spent.Most = f.env.Store.MostTogether
	f.env.spent.Add(w)
	if units := f.env.spent.Units(); units > float64(f.env.MaxWrites) {
		verb := "be charged"
		if !f.env.Store.Units {
			verb = "take"
		}
		return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement would %s more than %d write units", verb,
			f.env.MaxWrites).
			WithDetail("%sThe limit is the setting zproxy.max_write_units.", f.env.written()).
			WithHint("EXPLAIN tells what it writes. SET zproxy.max_write_units = 0 lifts the limit.")
	}
	return nil
}

// follow counts what the store is charged for the entries in the indexes that it keeps itself, of a row that changes.
func (f frame) follow(t *table, c change) {
	if f.env.MaxWrites == 0 {
		return
	}
	for _, x := range t.followers {
		old, new := x.keyOf(c.old), x.keyOf(c.new)
		w := tariff.Write{Times: 1, Kind: tariff.Follows, Bytes: x.bytes(new, c.new), Over: x.bytes(old, c.old)}
		switch {
		case c.old != nil && c.new != nil && !sameKey(old, new):
			f.env.spent.Add(tariff.Write{Times: 1, Kind: tariff.Follows, Over: w.Over})
			w.Over = 0
		case c.old != nil && c.new != nil && slices.EqualFunc(x.item(nil, c.old), x.item(nil, c.new), types.Identical):
			continue
		}
		f.env.spent.Add(w)
	}
}

// keyOf is the key of a row, the zero one if there is none.
func (l *layout) keyOf(row types.Row) (k store.Key) {
	if row != nil {
		k = l.codec.Key(row)
	}
	return k
}

// bytes is the size of the item of a row, 0 if there is none.
func (l *layout) bytes(key store.Key, row types.Row) float64 {
	if row == nil {
		return 0
	}
	values := l.item(nil, row)
	return float64(store.ItemBytes(l.space, store.Item{Key: key, Values: values[:len(l.stored)]}))
}
