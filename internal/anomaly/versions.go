package anomaly

import (
	"iter"
	"slices"
)

// list is what is known of one key.
type list struct {
	order     []int // its values in the order in which they were appended: the longest read
	written   map[int]*Transaction
	deleters  []*Transaction // those that committed
	dirty     []*Transaction // those that deleted it and did not commit
	doubtful  []*Transaction // those that deleted it and may have committed
	lastBegan int64          // when the last transaction that has read it began
	ended     bool           // order is what a committed transaction deleted
}

// follows says whether a read is of a version of the list: whether it is the beginning of its order.
func (l *list) follows(read []int) bool {
	return len(read) <= len(l.order) && slices.Equal(read, l.order[:len(read)])
}

// deleter is the transaction that deleted the list, or nil.
func (l *list) deleter() *Transaction {
	if len(l.deleters) == 0 {
		return nil
	}
	return l.deleters[0]
}

func (c *checker) list(key string) *list {
	l := c.lists[key]
	if l == nil {
		l = &list{written: map[int]*Transaction{}}
		c.lists[key] = l
	}
	return l
}

// collect learns who wrote what and in which order.
func (c *checker) collect() {
	for _, t := range c.history {
		for _, op := range t.Ops {
			l := c.list(op.Key)
			if op.Action == Delete && t.Outcome == Unknown {
				l.doubtful = append(l.doubtful, t)
			}
			if op.Action != Append {
				continue
			}
			if other := l.written[op.Value]; other != nil {
				c.report(Malformed, t, "T%d, too, appends %d to %s", other.ID, op.Value, op.Key)
			}
			l.written[op.Value] = t
		}
	}
	for c.resolve() {
	}
	c.collectDeletes()
	for t, op := range c.reads() {
		l := c.lists[op.Key]
		if l.lastBegan = max(l.lastBegan, t.Began); len(op.List) > len(l.order) {
			l.order = op.List
		}
	}
}

// resolve finds transactions of unknown outcome whose values committed ones have read, and says whether there were
// any. As then their reads count, there may be more.
func (c *checker) resolve() (more bool) {
	for t, op := range c.reads() {
		// Of several that may have deleted a list it is not known which one did.
		if l := c.lists[op.Key]; op.Gone && len(l.doubtful) == 1 && !c.known[l.doubtful[0]] && !c.ends(op.Key) {
			c.known[l.doubtful[0]], more = true, true
		}
		for _, v := range op.List {
			if w := c.lists[op.Key].written[v]; w != nil && w != t && w.Outcome == Unknown && !c.known[w] {
				c.known[w], more = true, true
			}
		}
	}
	return more
}

// ends says whether a transaction of known outcome has deleted a list.
func (c *checker) ends(key string) bool {
	return slices.ContainsFunc(c.history, func(t *Transaction) bool {
		return t.Outcome == Committed && slices.ContainsFunc(t.Ops, func(op Op) bool {
			return op.Action == Delete && op.Key == key
		})
	})
}

func (c *checker) collectDeletes() {
	for _, t := range c.history {
		for _, op := range t.Ops {
			l := c.lists[op.Key]
			switch {
			case op.Action != Delete:
			case !c.committed(t):
				l.dirty = append(l.dirty, t)
			default:
				if len(l.deleters) > 0 {
					c.report(Orders, t, "T%d has deleted %s, too", l.deleters[0].ID, op.Key)
				}
				l.deleters, l.ended = append(l.deleters, t), true
			}
		}
	}
}

// reads are those of committed transactions that tell versions: a Delete has read what it deleted.
func (c *checker) reads() iter.Seq2[*Transaction, Op] {
	return func(yield func(*Transaction, Op) bool) {
		for _, t := range c.history {
			if !c.committed(t) {
				continue
			}
			for _, op := range t.Ops {
				if (op.Action == Read || op.Action == Delete) && !yield(t, op) {
					return
				}
			}
		}
	}
}
