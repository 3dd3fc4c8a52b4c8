package executor

import "sync/atomic"

// orderReads counts the statements that read the first rows in the order of an index, since the process started.
type orderReads struct{ reversed, forward atomic.Int64 }

// count counts one of them.
func (o *orderReads) count(reverse bool) {
	if reverse {
		o.reversed.Add(1)
	} else {
		o.forward.Add(1)
	}
}

// Newest is how many statements of this process with a limit have read an index, by its number, backward and forward.
func (ts *Tables) Newest(index uint32) (reversed, forward int64) {
	o := ts.orderReads(index)
	return o.reversed.Load(), o.forward.Load()
}

// orderReads are those of an index, the same for all versions of its table.
func (ts *Tables) orderReads(index uint32) *orderReads {
	o, _ := ts.reads.LoadOrStore(index, &orderReads{})
	return o.(*orderReads)
}
