package executor

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// Keys of rows are streams, too: of rows of two byte strings, in the order in which a table
// keeps its rows, each once. So several are merged with only the foremost of each at hand, and
// what does not come in that order is sorted, beyond the work memory in files.

// errKeyOrder is a bug: keys that are out of order would be taken for different ones.
var errKeyOrder = errors.New("keys of rows did not come in their order")

// byKeys delivers the rows at the keys of an access that pass its conditions.
func (r *reader) byKeys(keys plan.Keys) Rows {
	a := r.scan.Access
	rows := lookup{r}.at(r.input(keys), func(row types.Row) store.Key {
		return store.Key{Partition: row[0].Bytes(), Sort: row[1].Bytes()}
	})
	return filter(r.frame, rows, slices.Concat(a.Cond, a.RowFilter()), &r.profile.Removed)
}

// mergedKeys delivers the keys that all inputs have, or any has.
func mergedKeys(f frame, n plan.Keys) Rows {
	return produce(f, plan.Width(n), func(out *output) error {
		m := &keyMerger{out: out, least: len(n.Of), reverse: n.Reverse}
		if n.Any {
			m.least = 1
		}
		defer m.close()
		for i, in := range n.Of {
			rows := f.input(in, n.Of[:i]...)
			if scan, ok := in.(plan.Scan); ok && !asksElements(scan) {
				t, err := f.env.Tables.of(n.Table)
				if err != nil {
					return err
				}
				rows = f.keysOf(n, t, scan, rows)
			}
			m.begin(rows)
		}
		return m.run()
	})
}

// keysOf delivers the keys of the rows that a scan delivers, which begin with the columns of
// the key.
func (f frame) keysOf(n plan.Keys, t *table, scan plan.Scan, in Rows) Rows {
	ordinals := t.KeyOrdinals()
	whole := make(types.Row, len(t.Columns))
	unsorted := produce(f, plan.Width(n), func(out *output) error {
		return out.each(in, func(row types.Row) error {
			for at, ordinal := range ordinals {
				whole[ordinal] = row[at]
			}
			to, err := out.add()
			if err == nil {
				k := t.rows.codec.Key(whole)
				to[0], to[1] = types.NewBytes(k.Partition), types.NewBytes(k.Sort)
			}
			return err
		})
	})
	if scan.Access.Ordered {
		return unsorted
	}
	return f.sortKeys(unsorted, plan.Width(n), n.Reverse)
}

// sortKeys delivers keys in their order.
func (f frame) sortKeys(in Rows, width int, reverse bool) Rows {
	by := make([]plan.SortKey, width)
	for i := range by {
		by[i] = plan.SortKey{Expr: expr.Column{Index: i, T: types.Bytea}, Desc: reverse}
	}
	return produce(f, width, func(out *output) error {
		s := newSorter(f, by, width, math.MaxInt64)
		defer s.close()
		if err := f.each(in, func(row types.Row) error { return s.add(row, f.env.Expr) }); err != nil {
			return err
		}
		return s.each(out.append)
	})
}

// keyMerger merges streams of keys.
type keyMerger struct {
	out     *output
	least   int // how many streams must have a key
	reverse bool
	heads   []*keyHead
}

// keyHead is the foremost key of a stream.
type keyHead struct {
	next     func() (*types.Batch, error, bool)
	stop     func()
	batch    *types.Batch
	position int
	ended    bool
}

// begin takes one more stream.
func (m *keyMerger) begin(rows Rows) {
	h := &keyHead{}
	h.next, h.stop = iter.Pull2(rows)
	m.heads = append(m.heads, h)
}

func (m *keyMerger) close() {
	for _, h := range m.heads {
		h.stop()
	}
}

// run delivers the merged keys, until fewer streams go on than must have one.
func (m *keyMerger) run() error {
	for _, h := range m.heads {
		if err := m.refill(h); err != nil {
			return err
		}
	}
	key := make(types.Row, m.out.batch.Width())
	for {
		first, same := m.foremost()
		if first == nil || m.open() < m.least {
			return nil
		}
		copy(key, first.key())
		if same >= m.least {
			if err := m.out.append(key); err != nil {
				return err
			}
		}
		if err := m.pass(key); err != nil {
			return err
		}
	}
}

// open is how many streams have not ended.
func (m *keyMerger) open() (n int) {
	for _, h := range m.heads {
		if !h.ended {
			n++
		}
	}
	return n
}

// foremost is the stream with the first key, and how many have that key.
func (m *keyMerger) foremost() (first *keyHead, same int) {
	for _, h := range m.heads {
		if h.ended {
			continue
		}
		order := -1
		if first != nil {
			order = m.compare(h.key(), first.key())
		}
		switch {
		case order < 0:
			first, same = h, 1
		case order == 0:
			same++
		}
	}
	return first, same
}

// pass goes on behind a key in the streams that have it. An index whose entries may be ahead of rows
// may have several of one row.
func (m *keyMerger) pass(key types.Row) error {
	for _, h := range m.heads {
		for !h.ended && m.compare(h.key(), key) == 0 {
			if h.position++; h.position == h.batch.Len() {
				if err := m.refill(h); err != nil {
					return err
				}
			}
		}
		if !h.ended && m.compare(h.key(), key) < 0 {
			return errKeyOrder
		}
	}
	return nil
}

// refill takes the next batch of a stream. What there is goes out before: it may be all that
// is wanted.
func (m *keyMerger) refill(h *keyHead) error {
	if m.out.batch.Len() > 0 {
		if err := m.out.flush(); err != nil {
			return err
		}
	}
	for {
		batch, err, ok := h.next()
		switch {
		case err != nil:
			return err
		case !ok:
			h.ended = true
			return nil
		case batch.Len() > 0:
			h.batch, h.position = batch, 0
			return nil
		}
	}
}

func (h *keyHead) key() types.Row { return h.batch.Row(h.position) }

// compare orders keys.
func (m *keyMerger) compare(a, b types.Row) int {
	order := bytes.Compare(a[0].Bytes(), b[0].Bytes())
	if order == 0 {
		order = bytes.Compare(a[1].Bytes(), b[1].Bytes())
	}
	if m.reverse {
		return -order
	}
	return order
}
