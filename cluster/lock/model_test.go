package lock

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
)

// someTags are few locks of all classes.
func someTags(r *rand.Rand, keys int) Tag {
	class := Class(r.IntN(4))
	t := Tag{Class: class, Key: uint64(r.IntN(keys))}
	if class == Row || class == Object {
		t.Space = 5
	}
	return t
}

// someMode is one of those in which a lock is taken.
func someMode(r *rand.Rand, t Tag) Mode {
	if t.Class == Row {
		return []Mode{KeyShare, Share, NoKeyUpdate, Update}[r.IntN(4)]
	}
	return Mode(r.IntN(len(modeNames)))
}

// TestModel lets owners, one step after the other, take and give back random locks, and holds the table after each step
// against what must be true of it: no two owners have conflicting modes, each waiter waits for another owner, no owner
// stays in a circle, and a victim was in one. In some rounds owners look for circles as soon as they wait, in others
// after some time; in some they lock spaces as soon as they have two rows.
func TestModel(t *testing.T) {
	seed := testseed.Of(t)
	victims, escalations := [2]int{}, [2]int{}
	for round := range uint64(80) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, round))
			p := newPlayer(t)
			defer p.close()
			if round%2 == 1 {
				p.wait.DeadlockAfter = patience
			}
			if round%3 > 0 {
				p.m.Most = int(2 * (round % 3))
			}
			for step := 0; step < 300 && !t.Failed(); step++ {
				victims[round%2] += p.stepOfModel(r, uint32(1+r.IntN(7)), 1+int(round/2%4))
				escalations[min(p.m.escalations.Load(), 1)]++
			}
		})
	}
	t.Logf("%d victims at once and %d later; in %d of %d steps spaces were locked", victims[0], victims[1],
		escalations[1], escalations[0]+escalations[1])
	if escalations[1] == 0 {
		t.Error("no space was locked")
	}
	if victims[0] == 0 || victims[1] == 0 {
		t.Error("no owner was a victim")
	}
}

// patience is how long owners of the model wait before they look for circles.
const patience = 20 * time.Millisecond

func (p *player) stepOfModel(r *rand.Rand, id uint32, keys int) (victims int) {
	tag, n := someTags(r, keys), r.IntN(20)
	mode := someMode(r, tag)
	victims = p.pass(r)
	a := p.actors[id]
	if a != nil && a.Owner.waiting.Load() != nil {
		if n == 0 {
			a.cancel()
			synctest.Wait()
			p.consistent(p.wait.DeadlockAfter == 0)
		}
		return victims
	}
	before := graphOf(p.m)
	got := p.do(id, fmt.Sprint(id), func() string { return p.operateAtRandom(id, tag, mode, n) })
	if got == "40P01" {
		victims++
		if !before.wouldClose(p.actors[id].Owner, tag, mode) {
			p.t.Errorf("owner %d is the victim of no circle: %v of %v", id, mode, tag)
		}
	}
	p.consistent(p.wait.DeadlockAfter == 0)
	return victims
}

// pass lets some time pass, at times so much that all owners that wait have looked for circles.
func (p *player) pass(r *rand.Rand) (victims int) {
	if p.wait.DeadlockAfter == 0 {
		p.late = nil
		return 0
	}
	d := time.Duration(r.IntN(4)) * time.Millisecond
	if r.IntN(10) == 0 {
		d = 2 * patience
	}
	before := graphOf(p.m)
	time.Sleep(d)
	synctest.Wait()
	p.late = slices.DeleteFunc(p.late, func(l later) bool {
		select {
		case got := <-l.done:
			if o := p.actors[uint32(p.number(l.step))].Owner; got == "40P01" {
				victims++
				if !before.reaches(o, o, map[*Owner]bool{}) {
					p.t.Errorf("owner %d is the victim of no circle", o.pid)
				}
			}
			return true
		default:
			return false
		}
	})
	p.consistent(d > patience)
	return victims
}

func (p *player) operateAtRandom(id uint32, tag Tag, mode Mode, n int) string {
	a := p.actors[id]
	switch {
	case n == 0:
		return p.end(id)
	case n == 1:
		a.RollbackTo(1 + int(a.marks)/2)
		return ""
	case n == 2 && mode%2 == 0:
		a.Mark()
		return ""
	case n == 2:
		a.Release(Advisory{Key: tag.Advisory(), Shared: mode%2 == 0})
		return ""
	}
	var err error
	if policy := Policy(n % 3); n < 6 {
		_, err = a.Take(p.waitOf(a), Advisory{Key: tag.Advisory(), Shared: mode%2 == 0}, false, policy != Block)
	} else {
		_, err = a.Acquire(p.waitOf(a), tag, mode, policy)
	}
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return ""
}

func intentOf(m Mode) Mode { return intents[int(m)%len(intents)] }

// waits is the graph of waits, by brute force, with all entries.
type waits struct {
	next    map[*Owner][]*Owner
	entries map[Tag]view
}

// view is who has a lock, and who waits for it, in order.
type view struct {
	held  map[*Owner]modes
	queue []*Owner
	modes []Mode
}

func graphOf(m *Manager) waits {
	g := waits{next: map[*Owner][]*Owner{}, entries: map[Tag]view{}}
	for i := range m.shards {
		m.shards[i].mu.Lock()
		defer m.shards[i].mu.Unlock()
		for e := range m.shards[i].entries() {
			v := view{held: map[*Owner]modes{}}
			for i := range e.holders() {
				v.held[e.at(i).owner] = e.at(i).modes()
			}
			if e.queue != nil {
				for w := e.queue.first; w != nil; w = w.next {
					g.next[w] = v.blockers(w, w.mode, len(v.queue))
					v.queue, v.modes = append(v.queue, w), append(v.modes, w.mode)
				}
			}
			g.entries[e.tag] = v
		}
	}
	return g
}

// blockers are those for which an owner waits with so many before it.
func (v view) blockers(o *Owner, m Mode, before int) (out []*Owner) {
	for h, has := range v.held {
		if h != o && has&m.conflicts() != 0 {
			out = append(out, h)
		}
	}
	for i, w := range v.queue[:before] {
		if v.modes[i].bit()&m.conflicts() != 0 {
			out = append(out, w)
		}
	}
	return out
}

func (g waits) reaches(from, to *Owner, seen map[*Owner]bool) bool {
	for _, o := range g.next[from] {
		if o == to {
			return true
		}
		if !seen[o] {
			seen[o] = true
			if g.reaches(o, to, seen) {
				return true
			}
		}
	}
	return false
}

// wouldClose says whether an owner that asks for a lock closes a circle with those that wait already.
func (g waits) wouldClose(o *Owner, t Tag, m Mode) bool {
	advisory := Advisory{Key: t.Advisory()} // which Take may have asked for
	for _, tag := range []Tag{t, advisory.tag(0), allRows(t.Space)} {
		for _, mode := range []Mode{m, Share, Exclusive, intentOf(m)} {
			v := g.entries[tag]
			g.next[o] = v.blockers(o, mode, len(v.queue))
			for _, w := range v.queue {
				if slices.Contains(g.next[w], o) { // it goes before these
					g.next[w] = append(g.next[w], o)
				}
			}
			if g.reaches(o, o, map[*Owner]bool{}) {
				return true
			}
		}
	}
	return false
}

// rowsExclude says whether owners that have all rows of a space keep others out of those rows, and counts them.
func (g waits) rowsExclude(t *testing.T) (locked int32) {
	for tag, all := range g.entries {
		if tag.Class != Rows {
			continue
		}
		for a, modes := range all.held {
			modes &= escalatedModes
			locked += int32(bits.OnesCount8(uint8(modes)))
			for row, v := range g.entries {
				for b, others := range v.held {
					if row.Class == Row && row.Space == tag.Space && a != b && modes.conflicts()&others != 0 {
						t.Errorf("owner %d has %b of all rows, and owner %d %b of %v", a.pid, modes, b.pid, others, row)
					}
				}
			}
		}
	}
	return locked
}

// consistent holds the table against what must be true of it, whether there may be circles or none.
func (p *player) consistent(noCircles bool) {
	g := graphOf(p.m)
	if n := g.rowsExclude(p.t); n != p.m.escalations.Load() {
		p.t.Errorf("%d spaces are locked, but %d are known", n, p.m.escalations.Load())
	}
	for _, a := range p.actors {
		if want := int64(a.Held() * Bytes); a.Memory.Held() != want {
			p.t.Errorf("owner %d is charged for %d bytes, want %d", a.pid, a.Memory.Held(), want)
		}
	}
	for tag, v := range g.entries {
		for a, modes := range v.held {
			for b, others := range v.held {
				if a != b && modes.conflicts()&others != 0 {
					p.t.Errorf("%v: owners %d and %d have %b and %b", tag, a.pid, b.pid, modes, others)
				}
			}
		}
		if len(v.held)+len(v.queue) == 0 {
			p.t.Errorf("%v is left", tag)
		}
	}
	for w, blockers := range g.next {
		if len(blockers) == 0 {
			p.t.Errorf("owner %d waits for none", w.pid)
		}
		if noCircles && g.reaches(w, w, map[*Owner]bool{}) {
			p.t.Errorf("owner %d is in a circle", w.pid)
		}
		listed := pids(blockers)
		slices.Sort(listed)
		if got := p.m.Blocking(w.pid); !slices.Equal(got, slices.Compact(listed)) {
			p.t.Errorf("owner %d waits for %d, want %d", w.pid, got, listed)
		}
	}
}

// TestRace has owners take and give back random locks at the same time, and counts who has which. All of them come to
// an end, since circles are found.
func TestRace(t *testing.T) {
	seed := testseed.Of(t)
	const owners, keys, steps = 12, 3, 400
	m, has := NewManager(), haves{of: map[Tag]map[uint32]modes{}}
	m.Most = 3
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var all sync.WaitGroup
	for id := range uint32(owners) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(id)))
			o := m.NewOwner(id + 1)
			for range steps {
				tag := someTags(r, keys)
				mode := someMode(r, tag)
				w := Wait{Ctx: ctx, DeadlockAfter: time.Millisecond}
				if r.IntN(5) == 0 {
					w.Limit = time.Duration(r.IntN(1000)) * time.Microsecond
				}
				g, err := o.Acquire(w, tag, mode, Policy(r.IntN(6)/4))
				if g.Granted {
					has.add(t, o.pid, tag, mode)
				}
				if err != nil {
					if !sqlerr.Has(err, sqlerr.DeadlockDetected) && !sqlerr.Has(err, sqlerr.LockNotAvailable) {
						t.Error(err)
					}
					has.remove(o.pid)
					o.RollbackTo(0)
				}
				if o.Held() > 3 {
					has.remove(o.pid)
					o.RollbackTo(0)
				}
				runtime.Gosched()
			}
			has.remove(o.pid)
			o.RollbackTo(0)
		})
	}
	all.Wait()
	for i := range m.shards {
		if m.shards[i].count != 0 {
			t.Error("an entry is left")
		}
	}
}

// haves is who has what, as the owners know.
type haves struct {
	mu sync.Mutex
	of map[Tag]map[uint32]modes
}

func (h *haves) add(t *testing.T, pid uint32, tag Tag, m Mode) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of[tag] == nil {
		h.of[tag] = map[uint32]modes{}
	}
	h.of[tag][pid] |= m.bit()
	for other, modes := range h.of[tag] {
		if other != pid && modes.conflicts()&m.bit() != 0 {
			t.Errorf("owners %d and %d have %v at once", pid, other, tag)
		}
	}
}

func (h *haves) remove(pid uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, of := range h.of {
		delete(of, pid)
	}
}
