package lock

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/memory"
	"zproxy/sqlerr"
)

// TestScripts plays scripts, and records what comes of each step for the owner that it names and for others. Owner n is
// of process n and transaction 100+n. Steps are
//
//	1 Update row 7           2 AccessExclusive table 16384 nowait     3 Exclusive number 1     4 Share pair 1 2
//	1 keep Share number 1    1 release Share number 1    1 release all    of the session
//	1 mark, 1 rollback 0     1 end     1 cancel           sleep 1s        list     blocking 1
//
// and arguments of a script are deadlock, how long owners wait before they look for a circle, limit, how long they
// wait, log, which shows slow waits, and most, how many locks they have before they lock spaces.
func TestScripts(t *testing.T) {
	datadriven.RunTest(t, "testdata/locks", func(t *testing.T, d *datadriven.TestData) (out string) {
		synctest.Test(t, func(t *testing.T) { out = play(t, d) })
		return out
	})
}

// player plays the steps of a script.
type player struct {
	t       *testing.T
	m       *Manager
	pool    *memory.Pool
	wait    Wait
	actors  map[uint32]*actor
	began   time.Time
	late    []later
	reports chan string
}

// later is a step that has not ended yet.
type later struct {
	step string
	done chan string
}

// actor is an owner with the goroutine that uses it.
type actor struct {
	*Owner
	steps  chan func()
	cancel context.CancelFunc
}

func newPlayer(t *testing.T) *player {
	return &player{t: t, m: NewManager(), pool: memory.NewPool(1 << 30), actors: map[uint32]*actor{}, began: time.Now(),
		reports: make(chan string, 100)}
}

func play(t *testing.T, d *datadriven.TestData) string {
	p := newPlayer(t)
	p.wait = Wait{DeadlockAfter: duration(t, d, "deadlock", time.Second), Limit: duration(t, d, "limit", 0)}
	if d.HasArg("log") {
		p.wait.Slow = func(s Slow) {
			p.reports <- fmt.Sprintf("log: %s; holders %d, queue %d", s, s.Holders, s.Queue)
		}
	}
	if d.HasArg("most") {
		d.ScanArgs(t, "most", &p.m.Most)
	}
	var out strings.Builder
	for step := range strings.Lines(d.Input) {
		if step = strings.TrimSpace(step); step != "" {
			fmt.Fprintf(&out, "%s: %s\n", step, p.step(step))
			p.rest(&out)
		}
	}
	p.close()
	return out.String()
}

// close ends all owners. Nothing is left of their locks.
func (p *player) close() {
	for _, id := range slices.Sorted(maps.Keys(p.actors)) {
		p.actors[id].cancel()
		p.do(id, "", func() string { return p.end(id) })
		close(p.actors[id].steps)
	}
	synctest.Wait()
	if g := graphOf(p.m); len(g.entries) != 0 {
		p.t.Errorf("entries are left: %v", g.entries)
	}
}

func duration(t *testing.T, d *datadriven.TestData, name string, otherwise time.Duration) time.Duration {
	var text string
	if !d.MaybeScanArgs(t, name, &text) {
		return otherwise
	}
	out, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rest is what became known beside the outcome of a step.
func (p *player) rest(out *strings.Builder) {
	p.late = slices.DeleteFunc(p.late, func(l later) bool {
		select {
		case got := <-l.done:
			fmt.Fprintf(out, "  %s: %s\n", l.step, got)
			return true
		default:
			return false
		}
	})
	for len(p.reports) > 0 {
		fmt.Fprintf(out, "  %s\n", <-p.reports)
	}
}

// step plays one step, and says what came of it.
func (p *player) step(text string) string {
	words := strings.Fields(text)
	switch words[0] {
	case "sleep":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			p.t.Fatal(err)
		}
		time.Sleep(d)
		synctest.Wait()
		return "ok"
	case "list":
		return p.list()
	case "blocking":
		return fmt.Sprint(p.m.Blocking(uint32(p.number(words[1]))))
	}
	id := uint32(p.number(words[0]))
	if words[1] == "cancel" {
		p.actors[id].cancel()
		synctest.Wait()
		return "ok"
	}
	return p.do(id, text, func() string { return p.operate(id, words[1:]) })
}

// do lets an owner do something. What comes of it later is reported.
func (p *player) do(id uint32, name string, f func() string) string {
	a := p.actors[id]
	if a == nil {
		a = &actor{Owner: p.m.NewOwner(id), steps: make(chan func())}
		account := p.pool.Account()
		a.Memory = &account
		a.Transaction.Store(uint64(100 + id))
		p.actors[id] = a
		go func() {
			for f := range a.steps {
				f()
			}
		}()
	}
	done := make(chan string, 1)
	synctest.Wait()
	select {
	case a.steps <- func() { done <- f() }:
	default:
		return "it still waits"
	}
	synctest.Wait()
	select {
	case got := <-done:
		return got
	default:
		p.late = append(p.late, later{name, done})
		return fmt.Sprintf("waits for %d", p.m.Blocking(id))
	}
}

func (p *player) operate(id uint32, words []string) string {
	a := p.actors[id]
	switch words[0] {
	case "mark":
		return fmt.Sprint(a.Mark())
	case "rollback":
		a.RollbackTo(p.number(words[1]))
		return "ok"
	case "end":
		return p.end(id)
	case "release":
		if words[1] == "all" {
			a.ReleaseAll()
			return "ok"
		}
		return fmt.Sprint(a.Release(p.advisory(words[1:])))
	case "keep":
		got, err := a.Take(p.waitOf(a), p.advisory(words[1:]), false, words[len(words)-1] == "nowait")
		return outcome(Grant{Granted: got}, err)
	}
	policy := Block
	if last := words[len(words)-1]; last == "nowait" {
		policy = NoWait
	}
	g, err := a.Acquire(p.waitOf(a), p.tag(words[1:]), p.mode(words[0]), policy)
	return outcome(g, err)
}

// end ends an owner.
func (p *player) end(id uint32) string {
	p.actors[id].RollbackTo(0)
	p.actors[id].ReleaseAll()
	return "ok"
}

func (p *player) waitOf(a *actor) Wait {
	w := p.wait
	w.Ctx, a.cancel = context.WithCancel(p.t.Context())
	return w
}

func outcome(g Grant, err error) string {
	switch {
	case err != nil:
		e := sqlerr.From(err)
		if !errors.As(err, &e) {
			return err.Error()
		}
		return strings.TrimSpace(string(e.Code) + " " + strings.ReplaceAll(e.Message+"\n"+e.Detail, "\n", "\n    "))
	case !g.Granted:
		return "not granted"
	case g.Already:
		return "already"
	}
	return "granted"
}

func (p *player) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *player) mode(text string) Mode {
	switch text {
	case "KeyShare":
		return KeyShare
	case "NoKeyUpdate":
		return NoKeyUpdate
	case "Update":
		return Update
	}
	i := slices.Index(modeNames[:], text+"Lock")
	if i < 0 {
		p.t.Fatalf("no mode %s", text)
	}
	return Mode(i)
}

func (p *player) tag(words []string) Tag {
	key := p.number(words[1])
	switch words[0] {
	case "row":
		return Tag{Class: Row, Space: 5, Key: uint64(key)}
	case "table":
		return Tag{Class: Object, Space: classOfRelations, Key: uint64(key)}
	case "number":
		return Tag{Class: AdvisoryNumber, Key: uint64(key)}
	}
	return Tag{Class: AdvisoryPair, Key: uint64(key)<<32 | uint64(p.number(words[2]))}
}

func (p *player) advisory(words []string) Advisory {
	return Advisory{Key: p.tag(words[1:]).Advisory(), Shared: words[0] == "Share"}
}

func (p *player) list() string {
	var lines []string
	p.m.Each(func(l Lock) {
		state := "granted"
		if !l.Granted {
			state = fmt.Sprintf("waits for %d since %s", l.Blocker, l.Since.Sub(p.began))
		}
		line := fmt.Sprintf("  %d %s %d %d: %s", l.PID, l.Mode, l.Tag.Class, l.Tag.Key, state)
		lines = append(lines, line)
	})
	if lines == nil {
		return "none"
	}
	slices.Sort(lines)
	return "\n" + strings.Join(lines, "\n")
}
