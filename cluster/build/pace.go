package build

import (
	"context"
	"time"

	"zproxy/cluster/backfill"
	"zproxy/store"
	"zproxy/store/budget"
)

const (
	// buildRows is how many rows a step of a build reads at the most. While a step runs the
	// statements of clients may have to wait for its processor, or for its commit.
	buildRows = 64
	// leastRest is from how long a work on it rests, since shorter rests are no shorter.
	leastRest = 250 * time.Microsecond
)

// pace is how one build takes its time. Beside statements it works in short pieces and rests three
// times as long, and four times as long again for each that runs at the moment: where no statement
// wants the processors it gets on, and where all do it hardly takes part. Where the store is another machine, which
// a step mostly waits for, it rests only for its bounds.
type pace struct {
	ctx     context.Context
	clients *Clients
	remote  bool
	limit   *budget.Units
	began   time.Time // of the work since the last rest
	seen    uint64    // statements that had begun by then
	most    int
}

func (b *Builds) newPace(ctx context.Context) *pace {
	return &pace{ctx: ctx, clients: &b.Clients, most: buildRows, limit: budget.Of(0),
		remote: b.remote}
}

// step is the pace of the next step, whose work begins now.
func (p *pace) step() backfill.Pace {
	p.began = time.Now()
	return backfill.Pace{Most: p.most, Limit: p.limit, Rest: func() { p.rest(0) }}
}

// rest waits, at least for a time.
func (p *pace) rest(least time.Duration) {
	took := time.Since(p.began)
	if took < leastRest && least == 0 {
		return
	}
	begun, rest := p.clients.begun.Load(), took/4
	if running := p.clients.running.Load(); p.remote {
		rest = 0
	} else if begun != p.seen || running > 0 {
		rest = took * time.Duration(3+4*running)
	}
	p.seen = begun
	_ = store.Sleep(p.ctx, max(rest, least))
	p.began = time.Now()
}

// done rests behind a step that has read rows.
func (p *pace) done(s backfill.Progress) {
	p.most = min(2*p.most, buildRows)
	if s.Rows == 0 {
		return
	}
	least := time.Duration(0)
	if s.Rate > 0 {
		least = time.Duration(float64(s.Rows)/float64(s.Rate)*float64(time.Second)) - time.Since(p.began)
	}
	p.rest(max(least, 0))
}

// met makes the next step a shorter one, since another transaction has changed what this one was about:
// among rows that are written all the time a long step might never come to its end.
func (p *pace) met() {
	p.most = max(p.most/2, 1)
	_ = store.Sleep(p.ctx, drainPause)
}
