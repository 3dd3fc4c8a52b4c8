package executor

import (
	"time"

	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// profile is where the node counts what it does. Without a profile all nodes count in
// one place.
func (f frame) profile() *plan.NodeProfile {
	if p := f.env.Profile.Node(f.number); p != nil {
		return p
	}
	if f.env.Total != nil {
		return f.env.Total
	}
	return &f.env.unread
}

// profileOpen counts the time that a node takes before it is asked for rows: one that reads by the values of
// subqueries has to run them.
func (f frame) profileOpen(open func() Rows) Rows {
	if f.env.Profile == nil {
		return open()
	}
	start := time.Now()
	out := open()
	f.profile().Time += time.Since(start)
	return out
}

// profileRows counts the rows that a node delivers, and the time until it has. What the
// consumer does with a batch is not counted.
func (f frame) profileRows(in Rows) Rows { return f.profileSome(in, (*types.Batch).Len) }

// profileSome is profileRows of which only some are the node's.
func (f frame) profileSome(in Rows, count func(*types.Batch) int) Rows {
	if f.env.Profile == nil {
		return in
	}
	return func(yield func(*types.Batch, error) bool) {
		p := f.profile()
		p.Loops++
		start := time.Now()
		lap := func() {
			p.Time += time.Since(start)
			if p.Rows == 0 {
				p.First = p.Time
			}
		}
		for batch, err := range in {
			lap()
			if err == nil {
				p.Rows += int64(count(batch))
			}
			if !yield(batch, err) {
				return
			}
			start = time.Now()
		}
		lap()
	}
}

// profileWrite counts the rows that a node writes.
func (f frame) profileWrite(write func() (int64, error)) (int64, error) {
	if f.env.Profile == nil {
		return write()
	}
	p := f.profile()
	start := time.Now()
	n, err := write()
	p.Loops++
	p.Rows += n
	p.Time += time.Since(start)
	return n, err
}

// putItem puts an item of a layout and counts it.
func (f frame) putItem(l *layout, it store.Item, g store.Guard) error {
	p := f.profile()
	p.Writes++
	p.Written += int64(len(it.Key.Partition) + len(it.Key.Sort))
	for i := range it.Values {
		p.Written += valueSize(it.Values[i])
	}
	return f.env.Txn.Put(l.space, it, g)
}

// deleteItem deletes an item of a layout and counts it.
func (f frame) deleteItem(l *layout, key store.Key, g store.Guard) error {
	p := f.profile()
	p.Writes++
	if g == store.Absent {
		p.Spared++
	} else {
		p.Deletes++
	}
	p.Written += int64(len(key.Partition) + len(key.Sort))
	return f.env.Txn.Delete(l.space, key, g)
}

// valueSize is about what a value takes in an item.
func valueSize(v types.Value) int64 {
	switch {
	case v.IsNull():
		return 0
	case v.Kind() > types.KindNumeric || v.Kind() == types.KindNumeric && payload(v) > 0:
		return payload(v)
	}
	return 8
}
