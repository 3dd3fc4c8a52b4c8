package lock

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
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

	waiter  // while the shard of the lock is locked
	manager *Manager
	pid     uint32
	ending  []taken       // with the transaction, in the order in which they were taken
	kept    map[taken]int // how often
	granted chan struct{} // of the lock that it waited for
	waited  time.Duration
	waiting atomic.Pointer[Waiting]
}

// taken is a mode of a lock that an owner has.
type taken struct {
	entry *entry
	mode  Mode
}

// NewOwner makes an owner without locks. The number of its process is that by which it is listed.
func (m *Manager) NewOwner(pid uint32) *Owner {
	return &Owner{manager: m, pid: pid, kept: map[taken]int{}, granted: make(chan struct{}, 1)}
}

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

func (o *Owner) acquire(w Wait, t Tag, r request, p Policy) (Grant, error) {
	hash := t.hash()
	s := o.manager.shardOf(t.Class, hash)
	s.mu.Lock()
	e := s.entry(t, hash)
	g := e.take(o, r)
	if g.Granted || p != Block {
		s.tidy(e)
		s.mu.Unlock()
	} else {
		hopeless := e.enqueue(o, r)
		s.mu.Unlock()
		if err := o.await(w, s, e, hopeless); err != nil {
			return Grant{Waited: true}, err
		}
		g = Grant{Granted: true, Waited: true}
	}
	switch {
	case !g.Granted:
	case r.kept:
		o.kept[taken{e, r.mode}]++
	case !g.Already:
		o.ending = append(o.ending, taken{e, r.mode})
	}
	return g, nil
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
func (o *Owner) Mark() int { return len(o.ending) }

// mostEnding is how much memory for locks of a transaction an owner keeps for the next one.
const mostEnding = 1 << 10

// RollbackTo gives back what the transaction has taken since a mark; 0 is its beginning.
func (o *Owner) RollbackTo(mark int) {
	for i := len(o.ending) - 1; i >= mark; i-- {
		o.release(o.ending[i], false)
	}
	clear(o.ending[mark:])
	if o.ending = o.ending[:mark]; mark == 0 && cap(o.ending) > mostEnding {
		o.ending = nil
	}
}

// Forgo gives back a lock that the transaction has taken, of the last ones, since it needs it no more.
func (o *Owner) Forgo(t Tag, m Mode) {
	for i, l := range slices.Backward(o.ending) {
		if l.mode == m && l.entry.tag == t {
			o.release(l, false)
			o.ending = slices.Delete(o.ending, i, i+1)
			return
		}
	}
}

func (o *Owner) release(t taken, kept bool) {
	s := o.manager.shardOf(t.entry.tag.Class, t.entry.hash)
	s.mu.Lock()
	t.entry.release(o, request{t.mode, kept})
	s.tidy(t.entry)
	s.mu.Unlock()
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
