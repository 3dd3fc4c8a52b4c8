package lock

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"zproxy/internal/memory"
)

// Policy says what to do where a lock cannot be had at once.
type Policy uint8

// The policies. NoWait and Skip do not wait: the lock is not granted, and the caller knows what that means.
const (
	Block Policy = iota
	NoWait
	Skip
)

// Grant is what came of a request for a lock.
type Grant struct {
	Granted bool
	Waited  bool
	Already bool // a lock that the owner had covers it
}

// Owner is a session or a job in the background with its locks: those that end with its transaction, and those that it
// has until it gives them back. One goroutine at a time uses it.
type Owner struct {
	// Transaction is the number by which others wait for the transaction; 0: that of the process stands for it.
	Transaction atomic.Uint64
	// Database is that of its objects and advisory locks.
	Database uint32

	// Memory is charged for the locks.
	Memory *memory.Account

	waiter    // while the shard of the lock is locked
	manager   *Manager
	pid       uint32
	ending    []taken       // with the transaction, in the order in which they were taken
	marks     uint32        // how many there are
	escalates int           // how many locks it has when it tries to have fewer
	undone    bool          // something that the transaction wrote was rolled back
	kept      map[taken]int // how often
	granted   chan struct{} // of the lock that it waited for
	waited    time.Duration
	waiting   atomic.Pointer[Waiting]
}

// taken is a mode of a lock that an owner has.
type taken struct {
	entry *entry
	since uint32 // the last mark before it
	mode  Mode
}

// NewOwner makes an owner without locks, whose memory has no bound. The number of its process is that by which it is
// listed.
func (m *Manager) NewOwner(pid uint32) *Owner {
	return &Owner{manager: m, pid: pid, kept: map[taken]int{}, granted: make(chan struct{}, 1),
		escalates: m.Most, Memory: &memory.Account{}}
}

// PID is the number of the owner's process; 0: it is a job in the background.
func (o *Owner) PID() uint32 { return o.pid }

// number is that of the transaction.
func (o *Owner) number() uint64 {
	if n := o.Transaction.Load(); n != 0 {
		return n
	}
	return uint64(o.pid)
}

// Acquire takes a lock until the transaction ends.
func (o *Owner) Acquire(w Wait, t Tag, m Mode, p Policy) (Grant, error) {
	return o.acquire(w, t, request{mode: m}, p)
}

func (o *Owner) acquire(w Wait, t Tag, r request, p Policy) (g Grant, err error) {
	hash := t.hash()
	s := o.manager.shardOf(t.Class, hash)
	s.mu.Lock()
	if t.Class == Row && o.manager.escalations.Load() > 0 {
		s.mu.Unlock()
		if g, err = o.enter(w, t, r.mode, p); err != nil || !g.Granted || g.Already {
			return g, err
		}
		s.mu.Lock()
	}
	e, waited := s.entry(t, hash), g.Waited
	if g = e.take(o, r); g.Granted || p != Block {
		s.tidy(e)
		s.mu.Unlock()
	} else {
		hopeless := e.enqueue(o, r)
		s.mu.Unlock()
		waited = true
		if err = o.await(w, s, e, hopeless); err != nil {
			return Grant{Waited: true}, err
		}
		g.Granted = true
	}
	if g.Waited = waited; g.Granted && (r.kept || !g.Already) {
		err = o.note(e, r)
	}
	return g, err
}

// note notes a lock that was granted, and charges for it.
func (o *Owner) note(e *entry, r request) error {
	t := taken{entry: e, mode: r.mode}
	if r.kept && o.kept[t] > 0 {
		o.kept[t]++
		return nil
	}
	if err := o.charge(); err != nil {
		o.release(t, r.kept)
		return err
	}
	if r.kept {
		o.kept[t] = 1
		return nil
	}
	t.since = o.marks
	if o.ending = append(o.ending, t); len(o.ending) >= o.escalates {
		o.escalate()
	}
	return nil
}

// take gives an owner a mode if it can be had at once. What the owner has keeps others out already, so a mode that this
// covers is granted in any case.
func (e *entry) take(o *Owner, r request) Grant {
	own, others := e.held(o)
	switch {
	case r.kept && own.kept&r.mode.bit() != 0, !r.kept && own.ending.covers(r.mode):
		return Grant{Granted: true, Already: true}
	case own.modes().covers(r.mode):
	default:
		_, ahead := e.queue.before(own.modes())
		if r.mode.conflicts()&others != 0 || r.mode.conflicts()&ahead != 0 && !e.queue.pass(e.tag.Class) {
			return Grant{}
		}
	}
	e.grant(o, r)
	return Grant{Granted: true}
}

// Mark is a state of the locks of the transaction to which RollbackTo goes back.
func (o *Owner) Mark() int {
	o.marks++
	return int(o.marks)
}

// mostEnding is how much memory for locks of a transaction an owner keeps for the next one.
const mostEnding = 1 << 10

// RollbackTo gives back what the transaction has taken since a mark; 0 is its beginning.
func (o *Owner) RollbackTo(mark int) {
	o.undone = mark > 0
	n := len(o.ending)
	for ; n > 0 && int(o.ending[n-1].since) >= mark; n-- {
		o.release(o.ending[n-1], false)
	}
	o.Memory.Shrink(Bytes * int64(len(o.ending)-n))
	clear(o.ending[n:])
	o.ending = o.ending[:n]
	if mark == 0 {
		o.marks, o.escalates = 0, o.manager.Most
		if cap(o.ending) > mostEnding {
			o.ending = nil
		}
	}
}

// Write notes that the transaction writes what it has locked.
func (o *Owner) Write(t Tag) {
	hash := t.hash()
	s := o.manager.shardOf(t.Class, hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.find(t, hash); e != nil {
		if h := e.find(o); h != nil { // or the owner has all of the space
			h.writes = true
		}
	}
}

// ReleaseWritten gives back the locks of the rows that the transaction has written, when its writes cannot be undone
// any more: another one that takes such a lock sees by the row that it depends on them. Locks of other rows stay,
// since nothing says so there.
func (o *Owner) ReleaseWritten() {
	if o.undone {
		return
	}
	before := len(o.ending)
	var s *shard // that is locked: those of many rows come shard by shard
	o.ending = slices.DeleteFunc(o.ending, func(t taken) bool {
		if t.entry.tag.Class != Row {
			return false
		}
		if of := o.manager.shardOf(Row, t.entry.hash); of != s {
			if s != nil {
				s.mu.Unlock()
			}
			s = of
			s.mu.Lock()
		}
		if !t.entry.find(o).writes {
			return false
		}
		t.entry.release(o, request{mode: t.mode})
		s.tidy(t.entry)
		return true
	})
	if s != nil {
		s.mu.Unlock()
	}
	o.Memory.Shrink(Bytes * int64(before-len(o.ending)))
}

// Forgo gives back a lock that the transaction has taken, of the last ones, since it needs it no more.
func (o *Owner) Forgo(t Tag, m Mode) {
	for i, l := range slices.Backward(o.ending) {
		if l.mode == m && l.entry.tag == t {
			o.release(l, false)
			o.ending = slices.Delete(o.ending, i, i+1)
			o.Memory.Shrink(Bytes)
			return
		}
	}
}

func (o *Owner) release(t taken, kept bool) {
	s := o.manager.shardOf(t.entry.tag.Class, t.entry.hash)
	s.mu.Lock()
	escalated := t.entry.tag.Class == Rows && escalatedModes&t.mode.bit() != 0
	t.entry.release(o, request{t.mode, kept})
	s.tidy(t.entry)
	s.mu.Unlock()
	if escalated {
		o.manager.escalations.Add(-1)
	}
}

// Held is how many locks the owner has.
func (o *Owner) Held() int { return len(o.ending) + len(o.kept) }

// Waited is how long the owner has waited for locks since it was made.
func (o *Owner) Waited() time.Duration { return o.waited }

// await waits for a lock in whose queue the owner is. One that waits without hope need not wait to find that out, but
// for rows, where PostgreSQL does not see it at once: there the victim is the one that waits longest.
func (o *Owner) await(w Wait, s *shard, e *entry, hopeless bool) error {
	began := time.Now()
	o.manager.arrive(o, &Waiting{Tag: e.tag, Mode: o.mode, Since: began})
	defer func() {
		o.manager.depart(o)
		o.waited += time.Since(began)
	}()
	if w.DeadlockAfter == 0 || hopeless && e.tag.Class != Row {
		if err := o.manager.resolve(o); err != nil {
			return err
		}
	}
	return o.sleep(w, s, e)
}

func (o *Owner) sleep(w Wait, s *shard, e *entry) error {
	limit, stop := alarm(w.Limit)
	defer stop()
	check, stop := alarm(w.DeadlockAfter)
	defer stop()
	slow := func(bool) {}
	for {
		select {
		case <-o.granted:
			slow(true)
			return nil
		case <-limit:
			return o.withdraw(s, e, errTimeout())
		case <-w.Ctx.Done():
			return o.withdraw(s, e, context.Cause(w.Ctx))
		case <-check:
			if err := o.manager.resolve(o); err != nil {
				return err
			}
			slow = o.reporter(w)
			slow(false)
		}
	}
}

// alarm is a channel for the end of some time; 0 has none.
func alarm(after time.Duration) (<-chan time.Time, func() bool) {
	if after == 0 {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(after)
	return t.C, t.Stop
}

// withdraw ends a wait with an error, unless the lock has been granted meanwhile.
func (o *Owner) withdraw(s *shard, e *entry, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.entry == nil {
		<-o.granted
		return nil
	}
	e.leave(o)
	e.serve()
	s.tidy(e)
	return err
}
