package executor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// checker is an IndexCheck at work. Its only layout is that of the index.
type checker struct {
	writer
	index *layout
	now   func() time.Time // as in IndexCheck
	full  bool             // every row that the index holds must have an entry
	ahead bool             // entries may be ahead of rows
	// wrong are the keys of entries that were found wrong from the side of their rows, so that
	// they are not found a second time as entries of no row.
	wrong keyTable
	held  hold
	seen  *Seen
}

// start prepares a check.
func (x IndexCheck) start(ctx context.Context) (*checker, error) {
	b, err := IndexBuild{Tables: x.Tables, Table: x.Table, Index: x.Index, Routines: x.Routines}.builder(ctx)
	if err != nil {
		return nil, err
	}
	b.env.Txn, b.env.Total, b.env.MaxMemory = x.Txn, x.Total, x.MaxMemory
	b.profile = b.frame.profile()
	if x.Env != nil {
		b.env.Expr.Env = x.Env
	}
	c := &checker{writer: b.writer, index: b.index, now: x.Now, seen: x.Seen}
	if x.Index != nil {
		c.full = x.Index.State.Reads() || x.Index.State == catalog.Validate
		c.ahead = x.Loose && x.Index.Loose
	}
	c.held = c.hold()
	return c, nil
}

// side is the rows of the table or the entries of the index, each of which must agree with
// what is on the other side.
type side struct {
	l *layout
	// judge says what is wrong with items, nil for those that are right. All have the columns
	// of the table, entries NULL in those that they do not store.
	judge func(keys []store.Key, items []types.Row) ([]*Finding, error)
}

func (c *checker) rowSide() side   { return side{c.table.rows, c.judgeRows} }
func (c *checker) entrySide() side { return side{c.index, c.judgeEntries} }

// each goes through the items of a side and reports what is wrong, until report says that it
// has had enough. It says whether it has not.
func (c *checker) each(s side, report func(*Finding) bool) (bool, error) {
	var keys []store.Key
	scan := store.Scan{Stats: &c.profile.Stats, Keys: func(k store.Key) { keys = append(keys, k) }}
	for i := range s.l.stored {
		scan.Columns = append(scan.Columns, i)
	}
	for batch, err := range c.env.Txn.Scan(c.ctx, s.l.space, &scan) {
		if err != nil {
			return false, c.storeError(err, "scan of", s.l.space.Name)
		}
		c.seen.add(batch.Len())
		at := keys[:batch.Len()]
		items, err := c.wide(s.l, batch)
		if err != nil {
			return false, err
		}
		found, err := s.judge(at, items)
		if err != nil {
			return false, err
		}
		for i, f := range found {
			if f != nil {
				f, err = c.recheck(s, at[i])
			}
			if err == nil && f != nil && f.Class == Wrong {
				err = c.noteWrong(f.entry)
			}
			if err != nil {
				return false, err
			}
			if f != nil && !report(f) {
				return false, nil
			}
		}
		keys = slices.Delete(keys, 0, batch.Len())
	}
	return true, nil
}

// recheck looks again at an item in which something seemed wrong, until it stays the same while
// what is on the other side is read: a store that does not read everything as it was at one time
// may have shown an item and its counterpart on two sides of a write.
func (c *checker) recheck(s side, key store.Key) (*Finding, error) {
	at := []store.Key{key}
	before, err := c.get(s.l, at, false)
	for err == nil && before[0] != nil {
		var found []*Finding
		if found, err = s.judge(at, before); err != nil || found[0] == nil {
			return nil, err
		}
		var after []types.Row
		if after, err = c.get(s.l, at, false); err == nil && after[0] != nil &&
			c.sameItem(s.l, change{old: before[0], new: after[0]}) {
			return found[0], nil
		}
		before = after
	}
	return nil, err
}

// noteWrong keeps the key of an entry that was found wrong.
func (c *checker) noteWrong(k store.Key) error {
	key := slices.Concat(k.Partition, k.Sort)
	if _, there := c.wrong.ofBytes(key, true); there {
		return nil
	}
	return c.held.add(int64(len(key)) + rowOverhead)
}

func (c *checker) isWrong(k store.Key) bool {
	_, there := c.wrong.ofBytes(slices.Concat(k.Partition, k.Sort), false)
	return there
}

// judgeRows compares rows with the entries that they should have.
func (c *checker) judgeRows(at []store.Key, rows []types.Row) ([]*Finding, error) {
	var keys []store.Key
	var held []int
	for i, row := range rows {
		for _, k := range c.keysOf(row) {
			held, keys = append(held, i), append(keys, k)
		}
	}
	entries, err := c.get(c.index, keys, false)
	if err != nil {
		return nil, err
	}
	found := make([]*Finding, len(rows))
	for n, entry := range entries {
		row := rows[held[n]]
		if c.gone(row) || entry != nil && c.sameItem(c.index, change{old: row, new: entry}) {
			continue
		}
		f, err := c.judgeEntry(row, keys[n], entry)
		if err != nil {
			return nil, err
		}
		if f != nil && found[held[n]] == nil {
			f.Key, f.Row = c.entryText(row, keys[n]), c.keyText(c.table.rows, row)
			f.at, f.entry, f.ofRow = at[held[n]], keys[n], true
			found[held[n]] = f
		}
	}
	return found, nil
}

// keysOf are the keys of the entries that a stored row should have. It has none if they cannot be made: the writer of
// the row would have met that.
func (c *checker) keysOf(row types.Row) []store.Key {
	if c.index.elements == nil {
		if c.had(0, row) {
			return []store.Key{c.index.codec.Key(row)}
		}
		return nil
	}
	elements := postings{&c.writer}.had(c.inverted[0], row)
	var out []store.Key
	_ = c.index.elements.each(row, elements, func() error {
		out = append(out, c.index.codec.Key(row))
		return nil
	})
	return out
}

// entryText shows a key that an entry of a row should have.
func (c *checker) entryText(row types.Row, key store.Key) (text string) {
	if c.index.elements == nil {
		return c.keyText(c.index, row)
	}
	_ = c.index.elements.each(row, postings{&c.writer}.had(c.inverted[0], row), func() error {
		if sameKey(c.index.codec.Key(row), key) {
			text = c.keyText(c.index, row)
		}
		return nil
	})
	return text
}

// judgeEntry says what is wrong when a row should have an entry at a key, and there is none or
// another one.
func (c *checker) judgeEntry(row types.Row, key store.Key, entry types.Row) (*Finding, error) {
	if entry == nil {
		if !c.full {
			return nil, nil
		}
		return &Finding{Class: Missing}, nil
	}
	own, other := c.table.rows.codec.Key(row), c.table.rows.codec.Key(entry)
	if sameKey(own, other) {
		class := Wrong
		if c.ahead {
			class = Leftover // of a row with the same keys that was refused
		}
		return &Finding{Class: class, Detail: c.difference(row, entry)}, nil
	}
	detail := "The entry is of row " + c.keyText(c.table.rows, entry) + "."
	rows, err := c.get(c.table.rows, []store.Key{other}, false)
	if err != nil {
		return nil, err
	}
	if rows[0] == nil || !slices.ContainsFunc(c.keysOf(rows[0]), func(k store.Key) bool { return sameKey(k, key) }) {
		return &Finding{Class: Wrong, Detail: detail}, nil
	}
	if !c.full {
		return nil, nil
	}
	return &Finding{Class: Duplicate, Detail: detail}, nil
}

// difference names the first value of an entry that its row does not have.
func (c *checker) difference(row, entry types.Row) string {
	for _, i := range c.index.stored {
		if c.index.elements != nil && i == c.index.elements.column {
			continue
		}
		if of := c.table.Columns[i]; !types.Identical(row[i], entry[i]) {
			return fmt.Sprintf("Column \"%s\" is %s in the entry and %s in the row.", of.Name,
				c.shortText(entry[i], of.Type), c.shortText(row[i], of.Type))
		}
	}
	return ""
}

// judgeEntries compares entries with the rows that they name. Their values were compared from
// the side of the rows.
func (c *checker) judgeEntries(at []store.Key, entries []types.Row) ([]*Finding, error) {
	keys := make([]store.Key, len(entries))
	for i, entry := range entries {
		keys[i] = c.table.rows.codec.Key(entry)
	}
	rows, err := c.get(c.table.rows, keys, false)
	if err != nil {
		return nil, err
	}
	found := make([]*Finding, len(entries))
	for i, row := range rows {
		f := &Finding{Key: c.keyText(c.index, entries[i]), Row: c.keyText(c.table.rows, entries[i]), at: at[i],
			entry: at[i]}
		var keys []store.Key
		if row != nil {
			keys = c.keysOf(row)
		}
		switch {
		case c.isWrong(at[i]), c.table.TTL != nil && c.table.Tells(c.index.index) && c.gone(entries[i]):
			continue
		case row == nil:
			f.Class = Dangling
		case len(keys) == 0:
			f.Class = Extra
		case !slices.ContainsFunc(keys, func(k store.Key) bool { return sameBytes(k, at[i]) }):
			f.Class, f.Detail = Stale, c.keyNow(row)
		default:
			continue
		}
		if c.ahead {
			f.Class, f.Detail = Leftover, cmp.Or(f.Detail,
				map[Class]string{Dangling: "The row is not there.", Extra: "The index does not hold the row."}[f.Class])
		}
		found[i] = f
	}
	return found, nil
}

// keyNow says which key a row has that is not at that of an entry.
func (c *checker) keyNow(row types.Row) string {
	if c.index.elements != nil {
		return "The row has no such element."
	}
	return "The row has key " + c.keyText(c.index, row) + "."
}

// gone says whether the store may have removed an item or its counterpart. It is asked when both
// were read: what was removed had expired before.
func (c *checker) gone(row types.Row) bool {
	ttl := c.table.TTL
	return c.now != nil && ttl != nil && ttl.Expired(row[c.table.Ordinal(ttl.Column)], c.now())
}

// sameBytes is sameKey for keys as a scan tells them, which may not say where the partition ends.
func sameBytes(a, b store.Key) bool {
	return bytes.Equal(slices.Concat(a.Partition, a.Sort), slices.Concat(b.Partition, b.Sort))
}

// get reads the items of a layout at some keys, each nil when it is not there.
func (c *checker) get(l *layout, keys []store.Key, remember bool) ([]types.Row, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	remember = remember && (l.index == nil || !l.index.Follows)
	get := store.Get{Keys: keys, Remember: remember, Stats: &c.profile.Stats}
	for i := range l.stored {
		get.Columns = append(get.Columns, i)
	}
	batch := types.NewBatch(len(l.stored))
	found, err := c.env.Txn.Get(c.ctx, l.space, &get, batch)
	if err != nil {
		return nil, c.storeError(err, "get from", l.space.Name)
	}
	rows, err := c.wide(l, batch)
	for i, there := range found {
		if !there {
			rows[i] = nil
		}
	}
	return rows, err
}

// wide are the items of a layout with all columns of the table.
func (c *checker) wide(l *layout, items *types.Batch) ([]types.Row, error) {
	width := len(c.table.Columns)
	rows := make([]types.Row, items.Len())
	values := make([]types.Value, width*len(rows))
	for i := range rows {
		rows[i] = values[i*width:][:width:width]
		for at, v := range items.Row(i) {
			rows[i][l.stored[at]] = v
		}
		if l.index == nil {
			if err := c.compute(rows[i]); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// makeEntry puts the entry of a row in the place of whatever is at its key, and says whether
// the row may have one. The row is written back as it is, so that the commit fails when it has
// changed.
func (c *checker) makeEntry(at store.Key, row types.Row) (bool, error) {
	before := c.env.Txn.Mark()
	err := c.replaceEntry(at, row)
	var violation *sqlerr.Error
	if errors.As(err, &violation) && violation.Code == sqlerr.UniqueViolation {
		c.env.Txn.RollbackTo(before)
		return false, nil
	}
	return err == nil, err
}

func (c *checker) replaceEntry(at store.Key, row types.Row) error {
	keys := c.keysOf(row)
	there, err := c.get(c.index, keys, true)
	if err != nil {
		return err
	}
	for i, entry := range there {
		if entry == nil {
			continue
		}
		if err := c.deleteItem(c.index, keys[i], store.Unchanged); err != nil {
			return c.storeError(err, "delete from", c.index.space.Name)
		}
	}
	rows := c.table.rows
	if err := c.putItem(rows, store.Item{Key: at, Values: rows.item(nil, row)}, store.Unchanged); err != nil {
		return c.storeError(err, "put into", rows.space.Name)
	}
	_, err = c.apply([]change{{new: row}})
	return err
}
