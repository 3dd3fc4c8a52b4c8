package anomaly

import (
	"fmt"
	"slices"
)

// Kind names an anomaly.
type Kind string

// The kinds. Those from G0 to G2 are Adya's and Elle's. A cycle consists of dependencies: ww, one transaction
// wrote the version after another's; wr, it read another's version; rw, it read the version before another's.
const (
	G0         Kind = "G0"          // a cycle of ww: a dirty write
	G1a        Kind = "G1a"         // a read of what was never committed
	G1b        Kind = "G1b"         // a read of what its writer replaced before it committed
	G1c        Kind = "G1c"         // a cycle of ww and wr
	GSingle    Kind = "G-single"    // a cycle with one rw: a read that is not of one snapshot
	LostUpdate Kind = "lost update" // a G-single on one list: a write that rests on a read of an older version
	Fuzzy      Kind = "fuzzy read"  // a list that is read again is another one
	G2Item     Kind = "G2-item"     // a cycle with several rw: write skew
	G2         Kind = "G2"          // the same, with an rw from a read by a predicate
	Internal   Kind = "internal"    // a transaction does not see what itself has written
	Stale      Kind = "stale read"  // a read of a version that was replaced before the transaction began
	LostWrite  Kind = "lost write"  // a committed value that is in no later read
	Orders     Kind = "two orders"  // reads of which none can follow from another
	Malformed  Kind = "malformed"   // values that were never appended, or twice
)

// Anomaly is one that a history has.
type Anomaly struct {
	Kind    Kind
	Allowed bool // by the levels of the transactions that have part in it
	Text    string
}

// checker is a history that is being checked.
type checker struct {
	history []*Transaction
	known   map[*Transaction]bool // those of unknown outcome that committed
	lists   map[string]*list
	number  map[*Transaction]int // in the history
	graph   graph
	found   []Anomaly
}

// Check returns the anomalies of a history. Of cycles that share transactions it reports some, and always a
// forbidden one if there is one.
//
// A cycle with one rw is forbidden if the transaction with the read has at least RepeatableRead, because all that
// it reads is of one snapshot, whatever the others are. A cycle with several is forbidden if the transactions at
// both ends of each rw are Serializable: only these are watched, and ww and wr follow the order of commits at
// every level. Snapshot isolation of what one reads, and a watch over each rw, are what PostgreSQL promises in a
// mix of levels.
func Check(history []*Transaction) []Anomaly {
	c := &checker{history: history, known: map[*Transaction]bool{}, lists: map[string]*list{},
		number: map[*Transaction]int{}, graph: make(graph, len(history))}
	for i, t := range history {
		c.number[t] = i
	}
	c.collect()
	for t, op := range c.reads() {
		c.checkRead(t, op)
		c.dependenciesOfRead(t, op)
	}
	for _, t := range c.history {
		if c.committed(t) {
			c.checkInternal(t)
			c.checkRepeated(t)
			c.checkWrites(t)
		}
	}
	c.dependenciesOfWrites()
	c.dependenciesOfBelow()
	c.checkCycles()
	return c.found
}

// Forbidden returns those that are not allowed.
func Forbidden(found []Anomaly) []Anomaly {
	return slices.DeleteFunc(slices.Clone(found), func(a Anomaly) bool { return a.Allowed })
}

func (c *checker) committed(t *Transaction) bool { return t.Outcome == Committed || c.known[t] }

// report notes an anomaly that every level forbids.
func (c *checker) report(k Kind, t *Transaction, format string, args ...any) {
	c.found = append(c.found, Anomaly{Kind: k, Text: fmt.Sprintf(format, args...) + "\n" + t.String()})
}

// checkRead looks for what a single read shows.
func (c *checker) checkRead(t *Transaction, op Op) {
	l := c.lists[op.Key]
	if op.Gone {
		if len(l.deleters) == 0 && len(l.doubtful) == 0 {
			c.report(kindOfUnwritten(l.dirty), t, "%s was never deleted", op.Key)
		}
		return
	}
	for i, v := range op.List {
		switch w := l.written[v]; {
		case w == nil:
			c.report(Malformed, t, "%d was never appended to %s", v, op.Key)
		case slices.Contains(op.List[:i], v):
			c.report(Malformed, t, "%d is twice in %s", v, op.Key)
		case !c.committed(w):
			c.report(G1a, t, "%d in %s is of T%d, which did not commit", v, op.Key, w.ID)
		case i == len(op.List)-1 && w != t && w.changesAfter(op.Key, v):
			c.report(G1b, t, "%d in %s is not the last change of T%d", v, op.Key, w.ID)
		}
	}
	if !l.follows(op.List) {
		c.report(Orders, t, "%s was read as %v, and as %v", op.Key, l.order, op.List)
		return
	}
	for _, v := range l.order[len(op.List):] {
		if w := l.written[v]; w != nil && w != t && w.Outcome == Committed && w.Ended < t.Began {
			c.report(Stale, t, "%d was in %s before: it is of T%d, which ended earlier", v, op.Key, w.ID)
			return
		}
	}
}

func kindOfUnwritten(dirty []*Transaction) Kind {
	if len(dirty) > 0 {
		return G1a
	}
	return Malformed
}

// changesAfter says whether a transaction changes a list again after it has appended a value.
func (t *Transaction) changesAfter(key string, value int) bool {
	i := slices.IndexFunc(t.Ops, func(o Op) bool { return o.Action == Append && o.Key == key && o.Value == value })
	return slices.ContainsFunc(t.Ops[i+1:], func(o Op) bool {
		return o.Key == key && (o.Action == Append || o.Action == Delete)
	})
}

// checkInternal wants a transaction to read what it has written before.
func (c *checker) checkInternal(t *Transaction) {
	appended, deleted := map[string][]int{}, map[string]bool{}
	for _, op := range t.Ops {
		switch op.Action {
		case Append:
			appended[op.Key] = append(appended[op.Key], op.Value)
		case Delete:
			deleted[op.Key] = true
		case Read:
			missing := slices.ContainsFunc(appended[op.Key], func(v int) bool { return !slices.Contains(op.List, v) })
			if deleted[op.Key] && !op.Gone || !deleted[op.Key] && missing {
				c.report(Internal, t, "%s was read without the own writes", op.Key)
			}
		case Below:
		}
	}
}

// checkRepeated wants a transaction to read a list again as it has read it before, but for what itself has written.
func (c *checker) checkRepeated(t *Transaction) {
	first := map[string][]int{}
	for _, op := range t.Ops {
		if op.Action != Read || op.Gone {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(op.List), func(v int) bool { return c.lists[op.Key].written[v] == t })
		if before, again := first[op.Key]; !again {
			first[op.Key] = others
		} else if !slices.Equal(before, others) {
			c.found = append(c.found, Anomaly{Fuzzy, t.Level < StableRows,
				fmt.Sprintf("%s was read as %v and as %v\n%s", op.Key, before, others, t)})
		}
	}
}

// checkWrites wants what a transaction has appended to be in the reads of those that began later, and in the list
// that was deleted. It also finds writes that rest on an older read.
func (c *checker) checkWrites(t *Transaction) {
	for i, op := range t.Ops {
		l := c.lists[op.Key]
		if op.Action != Append {
			continue
		}
		if at := slices.Index(l.order, op.Value); at < 0 {
			if l.lastBegan > t.Ended || l.ended {
				c.report(LostWrite, t, "%d is not in %s, which was read later as %v", op.Value, op.Key, l.order)
			}
		} else if w := c.overtaken(t, t.Ops[:i], op.Key, at); w != nil {
			c.found = append(c.found, Anomaly{LostUpdate, t.Level < StableRows,
				fmt.Sprintf("%s was changed by T%d between read and write\n%s", op.Key, w.ID, t)})
		}
	}
}

// overtaken is another transaction that has written between what t has read of a list and its value at a position.
func (c *checker) overtaken(t *Transaction, before []Op, key string, at int) *Transaction {
	l := c.lists[key]
	for _, op := range before {
		if op.Action == Read && op.Key == key && !op.Gone && len(op.List) < at && l.follows(op.List) {
			if w := l.written[l.order[len(op.List)]]; w != nil && w != t && c.committed(w) {
				return w
			}
		}
	}
	return nil
}
