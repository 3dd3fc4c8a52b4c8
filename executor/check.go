package executor

import (
	"context"
	"iter"
	"time"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// Class is in what way an index and the rows of its table do not agree.
type Class string

// The classes.
const (
	// Missing: a row has no entry.
	Missing Class = "missing"
	// Duplicate: a row has no entry, since that of another row is in its place: both have a key
	// which only one row may have.
	Duplicate Class = "duplicate"
	// Wrong: where the entry of a row should be is one with other values.
	Wrong Class = "wrong"
	// Dangling: an entry has no row.
	Dangling Class = "dangling"
	// Stale: an entry is where its row has none, since the row has another key.
	Stale Class = "stale"
	// Extra: an entry is of a row that the partial index does not hold.
	Extra Class = "extra"
	// orphan: a row refers to a row of another table that is not there.
	orphan Class = "orphan"
	// Leftover: in an index whose entries may be ahead of rows one is not the entry of a row as it is.
	// No answer is wrong by it.
	Leftover Class = "leftover"
)

// Finding is one place where an index is not as it should be, or a row refers to one that is not there.
type Finding struct {
	Class  Class
	Key    string    // the key of the entry, or the one that it should have; or that a row refers to
	Row    string    // the key of the row, or the one that the entry names
	Detail string    // what differs; empty: the class says everything
	at     store.Key // where to look again: at a row of the table, or at an entry
	entry  store.Key // where the entry is or should be
	ofRow  bool      // it is about a row and the entry that it should have
}

// Harmless says whether queries answer the same with what was found as without it.
func (f *Finding) Harmless() bool { return f.Class == Leftover }

// Orphan says whether it is about a row that refers to one which is not there, and not about an index.
func (f *Finding) Orphan() bool { return f.Class == orphan }

// IndexCheck compares one index with the rows of its table in one transaction, which sees both
// as they were at one time where the store can do that.
type IndexCheck struct {
	Txn    store.Txn
	Tables *Tables
	Table  plan.Indexed
	Index  *catalog.Index
	Loose  bool       // entries may be ahead of rows in an index that is Loose
	Env    *types.Env // how values are shown; nil: as in a new session
	// Routines is as in IndexBuild.
	Routines expr.Routines
	// Now is the time for a store that removes what has expired: then it need not agree. nil: it must.
	Now func() time.Time
	// Total and MaxMemory are as in executor.Env.
	Total     *plan.NodeProfile
	MaxMemory int64
	Seen      *Seen // rows, then entries; nil: none are counted
}

// Findings goes through the rows and then through the entries, and yields what does not agree.
// What it keeps is the keys of entries found wrong. An index that is not Readable may lack what
// the state allows it to lack; a disabled one has nothing to be compared.
func (x IndexCheck) Findings(ctx context.Context) iter.Seq2[*Finding, error] {
	return func(yield func(*Finding, error) bool) {
		if !x.Index.State.Deletes() {
			return
		}
		c, err := x.start(ctx)
		if err == nil {
			defer c.held.release()
			report := func(f *Finding) bool { return yield(f, nil) }
			var more bool
			if more, err = c.each(c.rowSide(), report); more {
				_, err = c.each(c.entrySide(), report)
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// Repair looks again at what was found, and makes it right if it is still there: an entry is put
// or deleted in the transaction, whose commit fails when another transaction wrote the row or the entry
// meanwhile. It says whether the place will be right then; the entry of a second row under a
// key that only one may have cannot be made.
//
// An entry that is ahead of rows may be that of a row which a transaction is about to put. So it is asked
// to be taken away loosely, and whether that was done shows only behind the commit; see Stays.
func (x IndexCheck) Repair(ctx context.Context, f *Finding) (bool, error) {
	if x.Index.Follows { // the store is to get there by itself
		return false, nil
	}
	c, err := x.start(ctx)
	if err != nil {
		return false, err
	}
	defer c.held.release()
	item, found, err := c.again(f)
	switch {
	case err != nil || found == nil:
		return err == nil, err
	case found.Class == Duplicate:
		return false, nil
	case !f.ofRow && c.ahead:
		return true, c.deleteItem(c.index, f.at, store.Loose)
	case !f.ofRow:
		return true, c.deleteItem(c.index, f.at, store.Unchanged)
	}
	return c.makeEntry(f.at, item)
}

// Stays says whether what was found is still there.
func (x IndexCheck) Stays(ctx context.Context, f *Finding) (bool, error) {
	c, err := x.start(ctx)
	if err != nil {
		return false, err
	}
	defer c.held.release()
	_, found, err := c.again(f)
	return found != nil, err
}

// again looks again at a place where something was found, and gives the item that is there.
func (c *checker) again(f *Finding) (types.Row, *Finding, error) {
	s := c.entrySide()
	if f.ofRow {
		s = c.rowSide()
	}
	at := []store.Key{f.at}
	items, err := c.get(s.l, at, true)
	if err != nil || items[0] == nil {
		return nil, nil, err
	}
	found, err := s.judge(at, items)
	if err != nil {
		return nil, nil, err
	}
	return items[0], found[0], nil
}
