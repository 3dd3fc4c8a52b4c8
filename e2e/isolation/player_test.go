package isolation

import (
	"context"
	"errors"
	"slices"
	"time"
)

// player plays one permutation. Its rules are those of PostgreSQL's isolationtester: a step is launched when the step
// before it has completed or waits, and when its own session has no step that runs.
type player struct {
	*world
	spec    *spec
	limit   time.Duration // a step that does not end within it, and that the server does not call waiting, hangs
	running []*run        // by session
	waiting []*run        // those that were reported as waiting, by when they were launched
	events  []event
}

// run is a step that was launched and is not reported as completed.
type run struct {
	entry
	result  <-chan []answer
	ended   bool
	answers []answer // once it has ended
	notices []int    // by condition, how many notices the other session has to have sent
}

// errEnd ends a permutation before its end; the last event says why.
var errEnd = errors.New("the permutation is given up")

// poll is how often it is looked whether a step waits.
const poll = 10 * time.Millisecond

// play plays a permutation. If a step hangs or a setup fails, the transcript ends with it and the connections are of no
// more use.
func (w *world) play(ctx context.Context, s *spec, o permutation, limit time.Duration) (transcript, error) {
	start := time.Now()
	p := &player{world: w, spec: s, limit: limit, running: make([]*run, len(s.sessions))}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := p.all(ctx, o)
	if err != nil {
		w.abandon()
		for _, r := range p.running {
			if r != nil && !r.ended {
				<-r.result
			}
		}
	}
	cut := errors.Is(err, errEnd)
	if cut {
		err = nil
	}
	return transcript{p.events, time.Since(start), cut}, err
}

func (p *player) all(ctx context.Context, o permutation) error {
	for _, sql := range p.spec.setups {
		if err := p.prepare(ctx, p.control, "setup", sql); err != nil {
			return err
		}
	}
	for i, one := range p.spec.sessions {
		if err := p.prepare(ctx, p.clients[i], "setup of "+one.name, one.setup); err != nil {
			return err
		}
	}
	if err := p.steps(ctx, o); err != nil {
		return err
	}
	for i, one := range p.spec.sessions {
		if err := p.around(ctx, p.clients[i], "teardown of "+one.name, one.teardown); err != nil {
			return err
		}
	}
	return p.around(ctx, p.control, "teardown", p.spec.teardown)
}

// prepare runs SQL before the steps, which need it.
func (p *player) prepare(ctx context.Context, c *client, name, sql string) error {
	if err := p.around(ctx, c, name, sql); err != nil || sql == "" {
		return err
	}
	for _, a := range p.events[len(p.events)-1].Answers {
		if a.Code != "" {
			return errEnd
		}
	}
	return nil
}

// preparation is how much longer SQL around the steps may run: it fills tables.
const preparation = time.Minute

// around runs SQL before or after the steps.
func (p *player) around(ctx context.Context, c *client, name, sql string) error {
	if sql == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit+preparation)
	defer cancel()
	answers := c.run(ctx, sql)
	if ctx.Err() != nil {
		return p.hang(name)
	}
	e := c.take(event{Step: name, What: setup, Answers: answers})
	if c == p.control {
		e.Notices = nil // such as of DROP IF EXISTS, where what was before is not of the permutation
	}
	p.events = append(p.events, e)
	return nil
}

func (p *player) hang(step string) error {
	p.events = append(p.events, event{Step: step, What: hung})
	return errEnd
}

// steps plays the steps, and waits for the last of them.
func (p *player) steps(ctx context.Context, o permutation) error {
	for _, e := range o {
		deadline := time.Now().Add(p.limit)
		for p.running[e.session] != nil {
			if err := p.awaitSession(ctx, p.running[e.session], deadline); err != nil {
				return err
			}
		}
		r := p.launch(ctx, e)
		done, err := p.progress(ctx, r, true, false)
		if err != nil {
			return err
		}
		if err := p.look(ctx, true); err != nil {
			return err
		}
		if !done {
			p.waiting = append(p.waiting, r)
		}
	}
	if err := p.look(ctx, false); err != nil {
		return err
	}
	if len(p.waiting) > 0 { // for each other, by their conditions
		return p.hang(p.waiting[0].name)
	}
	return nil
}

// awaitSession waits for a step whose session is to run its next one, and looks at the others, which may have to
// complete first.
func (p *player) awaitSession(ctx context.Context, r *run, deadline time.Time) error {
	done, err := p.progress(ctx, r, false, true)
	if err != nil {
		return err
	}
	if done {
		p.waiting = slices.DeleteFunc(p.waiting, func(w *run) bool { return w == r })
	}
	if err := p.look(ctx, true); err != nil {
		return err
	}
	if p.running[r.session] != nil && time.Now().After(deadline) {
		return p.hang(r.name)
	}
	return nil
}

func (p *player) launch(ctx context.Context, e entry) *run {
	r := &run{entry: e, notices: make([]int, len(e.conditions))}
	for i, c := range e.conditions {
		r.notices[i] = p.clients[c.session].count() + c.notices
	}
	r.result = p.clients[e.session].send(ctx, e.sql)
	p.running[e.session] = r
	return r
}

// look reports which of the waiting steps have completed. That, and notices, may meet the condition of another one.
func (p *player) look(ctx context.Context, mayWait bool) error {
	for {
		before, noticed, conditions := len(p.waiting), p.noticed(), false
		var left []*run
		for i, r := range p.waiting {
			done, err := p.progress(ctx, r, mayWait, true)
			if err != nil {
				p.waiting = append(left, p.waiting[i:]...)
				return err
			}
			if !done {
				left = append(left, r)
				conditions = conditions || len(r.conditions) > 0
			}
		}
		p.waiting = left
		if !conditions || len(left) == before && p.noticed() == noticed {
			return nil
		}
	}
}

func (p *player) noticed() (n int) {
	for _, c := range p.clients {
		n += c.count()
	}
	return n
}

// progress waits until a step has ended or, if it may, waits for a lock, and reports what is new.
func (p *player) progress(ctx context.Context, r *run, mayWait, again bool) (done bool, err error) {
	report := func() {
		if !again {
			p.events = append(p.events, event{Step: r.name, What: waiting})
		}
	}
	looked := slices.ContainsFunc(r.conditions, func(c condition) bool { return c.kind == untilLooked })
	if !again && looked {
		report()
		return false, nil
	}
	if !r.ended {
		if err := p.await(ctx, r, mayWait); err != nil {
			return false, err
		}
	}
	if !r.ended || !p.met(r) {
		report()
		return false, nil
	}
	p.running[r.session] = nil
	p.events = append(p.events, p.clients[r.session].take(event{Step: r.name, What: completed, Answers: r.answers}))
	return true, nil
}

// await waits for the end of a step or, if it may, until the server says that it waits.
func (p *player) await(ctx context.Context, r *run, mayWait bool) error {
	deadline := time.Now().Add(p.limit)
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		select {
		case r.answers = <-r.result:
			r.ended = true
			return nil
		case <-ticker.C:
		}
		if mayWait {
			waits, err := p.waits(ctx, p.clients[r.session])
			if err != nil {
				return err
			}
			select {
			case r.answers = <-r.result: // meanwhile
				r.ended = true
				return nil
			default:
			}
			if waits {
				return nil
			}
		}
		if time.Now().After(deadline) {
			return p.hang(r.name)
		}
	}
}

// met says whether all conditions are met under which a step is reported as completed.
func (p *player) met(r *run) bool {
	for i, c := range r.conditions {
		switch c.kind {
		case untilStep:
			if other := p.running[c.session]; other != nil && other.name == c.step {
				return false
			}
		case untilNotices:
			if p.clients[c.session].count() < r.notices[i] {
				return false
			}
		}
	}
	return true
}
