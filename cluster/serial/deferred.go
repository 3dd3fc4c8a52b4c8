package serial

import (
	"context"
	"math"
	"slices"
)

// A transaction that only reads needs no order with others if its snapshot is safe: each transaction that it does not
// see, and that was open then, has ended, and none of them comes before one that it sees. It cannot be in a circle
// then, so that nothing that it reads is noted.

// deferred is a snapshot of which it is not known yet whether it is safe.
type deferred struct {
	pid      uint32               // of the session that waits for it
	open     map[*member]struct{} // those that may write, and that the snapshot may not see
	taken    uint64               // the clock behind which nothing is seen; notTaken: the snapshot is being taken
	unsafe   bool
	resolved chan struct{} // closed when it is known
}

const notTaken = math.MaxUint64

// Defer takes snapshots for a session until one is safe, and drops the others.
func (o *Order) Defer(ctx context.Context, pid uint32, take func() error, drop func()) error {
	for {
		d := o.deferral(pid)
		if err := take(); err != nil {
			o.forgo(d)
			return err
		}
		o.taken(d)
		select {
		case <-d.resolved:
		case <-ctx.Done():
			o.forgo(d)
			drop()
			return context.Cause(ctx)
		}
		if !d.unsafe {
			return nil
		}
		drop()
	}
}

// deferral notes a snapshot before it is taken.
func (o *Order) deferral(pid uint32) *deferred {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := &deferred{pid: pid, open: map[*member]struct{}{}, taken: notTaken, resolved: make(chan struct{})}
	for m := range o.known {
		if !m.ended && !m.readOnly {
			d.open[m] = struct{}{}
		}
	}
	o.deferred[d] = struct{}{}
	return d
}

// taken notes that it has been taken.
func (o *Order) taken(d *deferred) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d.taken = o.clock
	o.resolve(d)
}

func (o *Order) forgo(d *deferred) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.deferred, d)
}

// resolveAll tells the deferred snapshots that a transaction has ended.
func (o *Order) resolveAll(m *member, committed bool) {
	for d := range o.deferred {
		if _, waits := d.open[m]; !waits {
			continue
		}
		delete(d.open, m)
		for seen := range m.out {
			if committed && !m.writes.empty() && seen.preparedBy(d.taken) {
				d.unsafe = true
			}
		}
		o.resolve(d)
	}
}

// resolve ends the wait for a snapshot of which it is known whether it is safe.
func (o *Order) resolve(d *deferred) {
	if _, waits := o.deferred[d]; waits && d.taken != notTaken && (d.unsafe || len(d.open) == 0) {
		delete(o.deferred, d)
		close(d.resolved)
	}
}

// Blocking are the sessions for whose transactions one waits, in order; nil: it waits for no safe snapshot.
func (o *Order) Blocking(pid uint32) (out []uint32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for d := range o.deferred {
		for m := range d.open {
			if d.pid == pid {
				out = append(out, m.pid)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
