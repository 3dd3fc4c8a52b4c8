package keys

import (
	"slices"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// scatter is the column that is chosen at random for each row, and how many values it
// takes from 0 on; none is 0 in most layouts.
type scatter struct{ column, values int }

func scatterOf(t *catalog.Table, l *catalog.Layout) scatter {
	p := l.Random()
	if p == nil {
		return scatter{}
	}
	return scatter{column: t.Ordinal(p.Column), values: p.Count}
}

// Everywhere are the keys at which a row with the declared key columns of this one may
// stand: one, or where a part is random, one for each of its values, in their order.
func (c *Codec) Everywhere(row types.Row) []store.Key {
	if c.scatter.values == 0 {
		return []store.Key{c.Key(row)}
	}
	at := slices.Clone(row)
	keys := make([]store.Key, c.scatter.values)
	for i := range keys {
		at[c.scatter.column] = types.NewInt(int64(i))
		keys[i] = c.Key(at)
	}
	return keys
}

// First is the first of Everywhere: the same for all rows that have the declared key
// columns of this one, and for no others.
func (c *Codec) First(row types.Row) store.Key {
	if c.scatter.values == 0 {
		return c.Key(row)
	}
	at := slices.Clone(row)
	at[c.scatter.column] = types.NewInt(0)
	return c.Key(at)
}
