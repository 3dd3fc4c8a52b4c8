package faults

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// world is one run: clients whose requests to the store go one at a time, in an order that the seed draws. It
// lives in a bubble of synctest, where time goes on when every goroutine waits.
type world struct {
	*testing.T
	*rand.Rand // of the scheduler, and of what is drawn before clients run
	seed       uint64
	slow       time.Duration // requests take up to so long, while there are faults
	lease      time.Duration // of servers
	garbage    bool          // answers make no sense at times, so that what was read and written does not either

	mu        sync.Mutex
	servers   []*server
	kill      int  // the number of the request before which a server is killed; 0: none is
	pause     bool // it stands still instead
	faultless bool // no faults any more
	waiting   []*request
	arrived   chan struct{}
	requests  int
	ticks     int64
	trace     []string
}

// request waits for its turn.
type request struct {
	label   string
	proceed chan struct{}
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{T: t, Rand: rand.New(rand.NewPCG(seed, 7)), seed: seed, arrived: make(chan struct{}, 1)}
	w.slow = []time.Duration{0, time.Millisecond, 20 * time.Millisecond, time.Second}[w.IntN(4)]
	w.lease = []time.Duration{10 * time.Second, 100 * time.Hour}[w.IntN(2)]
	return w
}

// enter waits for the turn of a request. The label tells it from others that wait at the same time.
func (w *world) enter(ctx context.Context, label string) error {
	r := &request{label: fmt.Sprint(ctx.Value(clientKey{}), " ", label), proceed: make(chan struct{})}
	w.mu.Lock()
	w.waiting = append(w.waiting, r)
	w.mu.Unlock()
	select {
	case w.arrived <- struct{}{}:
	default:
	}
	select {
	case <-r.proceed:
		return nil
	case <-ctx.Done():
		w.mu.Lock()
		defer w.mu.Unlock()
		w.waiting = slices.DeleteFunc(w.waiting, func(o *request) bool { return o == r })
		return context.Cause(ctx)
	}
}

// mostRequests is how many a run makes that ends: servers that renew their leases keep the clock going behind clients
// that wait for each other.
const mostRequests = 500_000

// schedule lets requests go until ended is closed: always one, when everybody else waits for something.
func (w *world) schedule(ended <-chan struct{}) {
	for {
		synctest.Wait()
		r := w.next()
		if r == nil {
			select {
			case <-ended:
				return
			case <-w.arrived:
			}
			continue
		}
		if w.requests == mostRequests {
			w.note("no end")
			panic(fmt.Sprintf("-seed %d: no end after %d requests\n%s", w.seed, w.requests,
				strings.Join(w.trace, "\n")))
		}
		w.killWhenReached()
		if slow := w.slowness(); slow > 0 && w.IntN(3) == 0 {
			time.Sleep(time.Duration(w.Int64N(int64(slow))))
		}
		close(r.proceed)
	}
}

// next takes one of the requests that wait.
func (w *world) next() *request {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		return nil
	}
	slices.SortFunc(w.waiting, func(a, b *request) int { return cmp.Compare(a.label, b.label) })
	i := w.IntN(len(w.waiting))
	r := w.waiting[i]
	w.waiting = slices.Delete(w.waiting, i, i+1)
	w.requests++
	return r
}

// note keeps what happened, for a run that fails.
func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace = append(w.trace, fmt.Sprintf("%s %s", time.Now().Format("05.000000"), fmt.Sprintf(format, args...)))
}

// isFaultless says that faults have ended.
func (w *world) isFaultless() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.faultless
}

// setFaultless ends the faults, or begins them.
func (w *world) setFaultless(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faultless = on
}

// slowness is how long a request may take: no time while there are no faults, or leases might end.
func (w *world) slowness() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.faultless {
		return 0
	}
	return w.slow
}

// tick is a time that nothing else happens at.
func (w *world) tick() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ticks++
	return w.ticks
}

// clientKey is where the context of a statement has the name of its client.
type clientKey struct{}
