package dynamostore

import (
	"bytes"
	"math"
	"slices"

	"zproxy/store"
	"zproxy/store/overlay"
)

// ownItems are items of other programs as a transaction has written them, as far as a scan delivers them.
type ownItems struct {
	items  []ownItem       // in the order of the scan
	hidden map[string]bool // whole keys of the table of those that it has written
}

// ownItem is one of them, at its key in what is read, a table or an index. Of the key bound is what bounds of the range
// are made of.
type ownItem struct {
	key        store.Key
	bound      []byte
	attributes item
}

// ownItems finds the writes of the transaction that a scan of a table of other programs, or of one of its indexes,
// delivers. They are few: see tooManyOutside.
func (t *txn) ownItems(s *store.Space, ask *store.Scan, at *store.Mark) (ownItems, error) {
	var out ownItems
	if t.outside == "" {
		return out, nil
	}
	rows := store.Space{ID: s.Outside.Rows}
	from, to := overlay.AppendBounds(nil, rows.Home(), store.Range{})
	c := t.own.Cursor(from, to, false, at)
	for w, ok := c.Next(nil); ok; w, ok = c.Next(nil) {
		if out.hidden == nil {
			out.hidden = map[string]bool{}
		}
		out.hidden[wholeKey(splitKey(&w))] = true
		if w.Delete || !hasAttributes(s.Outside, w.Payload) {
			continue
		}
		key, err := nativeKey(s.Outside, w.Payload)
		if err != nil {
			return out, err
		}
		i := ownItem{key: key, bound: key.Sort, attributes: w.Payload}
		if ask.Range.Partition == nil {
			i.bound = slices.Concat(key.Partition, key.Sort)
		}
		if contains(ask.Range, &i) && (ask.Skip == nil || ask.Skip.Wanted(i.bound)) {
			out.items = append(out.items, i)
		}
	}
	slices.SortFunc(out.items, func(a, b ownItem) int {
		if ask.Reverse {
			a, b = b, a
		}
		return bytes.Compare(a.bound, b.bound)
	})
	return out, nil
}

// contains says whether an item is in a range.
func contains(r store.Range, i *ownItem) bool {
	if r.Partition != nil && !bytes.Equal(i.key.Partition, r.Partition) {
		return false
	}
	return bytes.Compare(i.bound, r.From) >= 0 && (r.To == nil || bytes.Compare(i.bound, r.To) < 0)
}

// hasAttributes says whether an item has the attributes of a key: an index holds just those that have.
func hasAttributes(o *store.Outside, attributes item) bool {
	for _, a := range slices.Concat(o.Partition, o.Sort) {
		v, err := decodeNative(attributes[a.Name], a.Type)
		if err != nil {
			return false
		}
		if _, ok := nativeValue(v, math.MaxInt); !ok {
			return false
		}
	}
	return true
}

// rowKey is the key of an item in its table, given as it is in the table or in an index.
func rowKey(o *store.Outside, from item) (store.Key, error) {
	if o.Row == nil {
		return nativeKey(o, from)
	}
	key, at, err := appendNative(nil, o.Row, from)
	if err != nil {
		return store.Key{}, misfit(o, from, at, err)
	}
	return store.Key{Sort: key}, nil
}

func wholeKey(k store.Key) string { return string(k.Partition) + string(k.Sort) }
