package storetest

import (
	"fmt"
	"maps"
	"slices"

	"zproxy/store"
)

// history is what was committed to a space.
type history struct {
	now     model
	commits int
	last    map[[2]string]int // the number of the last commit of a key
}

// open is a transaction under way.
type open struct {
	tx   store.Txn
	base model // what it sees without its own writes
	sees model // with them
	view int   // the commits that it sees
	// since are the commits behind which no other may have written a key that it wrote or read at its latest, and
	// guards those of its first writes.
	since  map[[2]string]int
	guards map[[2]string]store.Guard
	pins   []pin
}

// pin is a mark, and what reads at it see.
type pin struct {
	mark store.Mark
	sees model
	view int
}

// testInterleaved runs several transactions at once: each sees the state at its begin or at its last refresh, with its
// own writes, and at a pinned mark what it saw then; it commits unless others have written what it guards.
func testInterleaved(e *env) {
	s := e.named()
	h := &history{now: model{}, last: map[[2]string]int{}}
	var running []*open
	for range 800 {
		if len(running) < 4 {
			running = append(running, e.beginAmong(running, h))
		}
		i := e.rng.IntN(len(running))
		if o := running[i]; e.rng.IntN(6) > 0 {
			e.step(s, o, h)
		} else {
			running = slices.Delete(running, i, i+1)
			e.end(s, o, h)
		}
	}
	for _, o := range running {
		e.end(s, o, h)
	}
}

// beginAmong begins a transaction that sees the present, or with snapshots what one of others sees of what was
// committed.
func (e *env) beginAmong(running []*open, h *history) *open {
	o := &open{base: h.now, view: h.commits, since: map[[2]string]int{}, guards: map[[2]string]store.Guard{}}
	if len(running) > 0 && e.Capabilities().Snapshots && e.rng.IntN(3) == 0 {
		as := running[e.rng.IntN(len(running))]
		m := as.tx.Pin()
		defer as.tx.Unpin(m)
		o.tx, o.base, o.view = e.begin(store.Mode{As: &m}), as.base, as.view
	} else {
		o.tx = e.begin(store.Mode{})
	}
	o.base, o.sees = maps.Clone(o.base), maps.Clone(o.base)
	return o
}

// step reads or writes something in a transaction.
func (e *env) step(s *store.Space, o *open, h *history) {
	e.Helper()
	k := [2]string{pick(e, partitions), pick(e, sorts)}
	switch e.rng.IntN(8) {
	case 0:
		o.refresh(h)
	case 1:
		o.pins = append(o.pins, pin{o.tx.Pin(), maps.Clone(o.sees), o.view})
	case 2:
		e.readLatest(s, o, h, k)
	case 3:
		if _, own := o.guards[k]; !own && o.tx.Overtaken(s, key(k[0], k[1]), nil) != (h.last[k] > o.view) {
			e.Errorf("%v: its last commit is %d, the view of %d", k, h.last[k], o.view)
		}
	case 4:
		for _, p := range o.pins {
			r := store.Scan{At: &p.mark}
			e.equal("pinned", e.sorted(e.scan(o.tx, s, r)), e.sorted(p.sees.read(store.Scan{})))
			if at, read := o.since[k]; !read && o.tx.Overtaken(s, key(k[0], k[1]), &p.mark) != (h.last[k] > p.view) {
				e.Errorf("%v: its last commit is %d, a mark of %d, and another read of %d", k, h.last[k], p.view, at)
			}
		}
	default:
		e.try(o.tx, s, o.sees)
		k, guard := e.change(o.tx, s, o.sees)
		if _, again := o.guards[k]; again {
			return
		}
		o.guards[k] = guard
		if _, read := o.since[k]; !read {
			o.since[k] = o.view
		}
	}
}

// refresh lets a transaction see what is committed.
func (o *open) refresh(h *history) {
	o.tx.Refresh()
	o.view, o.base = h.commits, maps.Clone(h.now)
	next := maps.Clone(h.now)
	for k := range o.guards {
		if v, there := o.sees[k]; there {
			next[k] = v
		} else {
			delete(next, k)
		}
	}
	o.sees = next
	for k := range o.since { // what was only read counts as any other key again
		if _, own := o.guards[k]; !own {
			delete(o.since, k)
		}
	}
}

// readLatest reads a key as it is, and mostly writes what depends on that.
func (e *env) readLatest(s *store.Space, o *open, h *history, k [2]string) {
	e.Helper()
	if _, own := o.guards[k]; own {
		return
	}
	want := "none"
	if v, there := h.now[k]; there {
		want = v
	}
	where := key(k[0], k[1])
	g := store.Get{Keys: []store.Key{where}, Columns: all(s), Remember: true, Latest: true}
	e.equal("latest", e.getting(o.tx, s, g), []string{want})
	o.since[k] = h.commits
	if e.rng.IntN(3) == 0 {
		return
	}
	o.guards[k] = store.Unchanged
	o.sees[k] = want + ", and more"
	e.must(o.tx.Put(s, text(k[0], k[1], o.sees[k]), store.Unchanged))
}

// end commits a transaction.
func (e *env) end(s *store.Space, o *open, h *history) {
	e.Helper()
	conflict := false
	for k, guard := range o.guards {
		_, there := h.now[k]
		switch guard {
		case store.Unchanged:
			conflict = conflict || h.last[k] > o.since[k]
		case store.Absent:
			conflict = conflict || there
			conflict = conflict || h.last[k] > o.view // it may have been there
		}
	}
	err := o.tx.Commit(ctx)
	for _, p := range o.pins {
		o.tx.Unpin(p.mark)
	}
	if conflict {
		e.wantErr("commit", err, store.ErrConflict)
		return
	}
	e.must(err)
	if len(o.guards) == 0 {
		return
	}
	h.commits++
	for k := range o.guards {
		h.last[k] = h.commits
		if v, there := o.sees[k]; there {
			h.now[k] = v
		} else {
			delete(h.now, k)
		}
	}
	e.holds(fmt.Sprint("commit ", h.commits), s, h.now.read(store.Scan{})...)
}

// testLatestBeforeView reads a key as it is, and lets others write it before the next view: what depends on the view is
// written all the same, also by a transaction that has written something before.
func testLatestBeforeView(e *env) {
	s := e.named()
	put := func(tx store.Txn, k string, g store.Guard) { e.must(tx.Put(s, text(k, k, "new"), g)) }
	tx := e.begin(store.Mode{})
	put(tx, "a", store.Always)
	g := store.Get{Keys: []store.Key{key("b", "b")}, Columns: all(s), Remember: true, Latest: true}
	e.getting(tx, s, g)
	other := e.begin(store.Mode{})
	put(other, "b", store.Always)
	e.must(other.Commit(ctx))
	tx.Refresh()
	put(tx, "b", store.Unchanged)
	e.must(tx.Commit(ctx))
}
