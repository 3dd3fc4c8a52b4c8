package lock

// An owner with very many locks of rows takes the lock of all rows of a space instead, of class Rows, if it need not
// wait for that. While there is such a lock, who locks a row locks its space first, in an intent mode. Intents do not
// conflict with each other, but with the lock of all rows if the mode of the row does. Nothing else is in the queue of
// a space, since escalation does not wait. Locks of rows from before are found by going through all of them.

// mostLocks is how many locks an owner has before it escalates, unless the manager is told another number.
const mostLocks = 100_000

// fewestLocks is how many locks are worth to escalate when memory is short.
const fewestLocks = 1000

// intents are the modes in which a space is locked for a row, and escalated those in which all rows of it are. FOR KEY
// SHARE of all rows excludes all writes, since no mode of a lock excludes those of keys alone.
var (
	intents   = [...]Mode{KeyShare: AccessShare, Share: RowShare, NoKeyUpdate: RowExclusive, Update: RowExclusive}
	escalated = [...]Mode{KeyShare: Share, Share: Share, NoKeyUpdate: NoKeyUpdate, Update: Update}
)

var escalatedModes = setOf(Share, NoKeyUpdate, Update)

// allRows is the lock of all rows of a space.
func allRows(space uint64) Tag { return Tag{Class: Rows, Space: space} }

// enter locks the space of a row that is about to be locked. Already says that the owner has all rows of it.
func (o *Owner) enter(w Wait, row Tag, m Mode, p Policy) (Grant, error) {
	all := allRows(row.Space)
	if (o.modesOf(all) & escalatedModes).covers(m) {
		return Grant{Granted: true, Already: true}, nil
	}
	g, err := o.Acquire(w, all, intents[m], p)
	g.Already = false
	return g, err
}

// modesOf are those in which the transaction has a lock.
func (o *Owner) modesOf(t Tag) modes {
	hash := t.hash()
	s := o.manager.shardOf(t.Class, hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.find(t, hash)
	if e == nil {
		return 0
	}
	own, _ := e.held(o)
	return own.ending
}

// charge charges for a lock. Where memory is short it first makes fewer of many.
func (o *Owner) charge() error {
	err := o.Memory.Grow(Bytes)
	if err != nil && len(o.ending) >= min(fewestLocks, o.manager.Most) && o.escalate() {
		err = o.Memory.Grow(Bytes)
	}
	return err
}

// escalate takes the locks of all rows of those spaces of which the owner has many, and says whether it got one. It
// tries again when the owner has twice as many locks.
func (o *Owner) escalate() (done bool) {
	counts, before := map[uint64]int{}, len(o.ending)
	for _, l := range o.ending {
		if l.entry.tag.Class == Row {
			counts[l.entry.tag.Space]++
		}
	}
	for space, n := range counts {
		if n > 1 && n >= before/8 && o.escalateSpace(space) {
			done = true
		}
	}
	o.escalates = max(o.manager.Most, 2*len(o.ending))
	return done
}

// escalateSpace takes the lock of all rows of a space, and gives those of the rows back. The lock stays for as long as
// the oldest of these would have.
func (o *Owner) escalateSpace(space uint64) bool {
	all := taken{}
	for _, l := range o.ending {
		if l.entry.tag.Class == Row && l.entry.tag.Space == space {
			all.mode = max(all.mode, escalated[l.mode])
		}
	}
	got, e := o.manager.grantAll(o, space, all.mode)
	if !got.Granted {
		return false
	}
	all.entry = e
	kept, first := o.ending[:0], !got.Already
	for _, l := range o.ending {
		switch {
		case l.entry.tag.Class != Row || l.entry.tag.Space != space:
			kept = append(kept, l)
			continue
		case first:
			all.since, first = l.since, false
			kept = append(kept, all)
		}
		o.release(l, false)
	}
	o.Memory.Shrink(Bytes * int64(len(o.ending)-len(kept)))
	clear(o.ending[len(kept):])
	o.ending = kept
	return true
}

// grantAll gives an owner all rows of a space, unless others have or wait for some.
func (m *Manager) grantAll(o *Owner, space uint64, mode Mode) (Grant, *entry) {
	for i := range m.shards[:rowShards] {
		m.shards[i].mu.Lock()
		defer m.shards[i].mu.Unlock()
	}
	for i := range m.shards[:rowShards] {
		if m.shards[i].contended(o, space, mode) {
			return Grant{}, nil
		}
	}
	t := allRows(space)
	hash := t.hash()
	s := m.shardOf(t.Class, hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entry(t, hash)
	got := e.take(o, request{mode: mode})
	if got.Granted && !got.Already {
		m.escalations.Add(1)
	}
	s.tidy(e)
	return got, e
}

// contended says whether others have rows of a space in modes that conflict with one, or wait for some.
func (s *shard) contended(o *Owner, space uint64, m Mode) bool {
	for e := range s.entries() {
		if e.tag.Space != space {
			continue
		}
		if _, others := e.held(o); others&m.conflicts() != 0 || e.queue != nil {
			return true
		}
	}
	return false
}
