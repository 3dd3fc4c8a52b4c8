package wire

import (
	"context"
	"maps"
	"net/netip"
	"sync"
	"time"

	"zproxy/sqlerr"
)

const (
	// firstDelay is between a wrong password and the next attempt. It doubles with each, up to mostDelay.
	firstDelay = 100 * time.Millisecond
	mostDelay  = 10 * time.Second
	// mostQueued is how long an attempt waits for those before it.
	mostQueued = 20 * time.Second
	// failuresKept is how long after the last attempt wrong passwords are remembered.
	failuresKept = 10 * time.Minute
	// maxFailing bounds the networks and roles that are remembered. Beyond, all others share one.
	maxFailing = 10_000
)

// attempts makes wrong passwords cost time. After one, attempts from that network as that role are looked
// at one after the other with a growing delay between them, whether they are right or not: otherwise many
// connections at once would be as many guesses, and an answer that is late would be a wrong one.
type attempts struct {
	mu      sync.Mutex
	failing map[attempt]*failures
}

// attempt is who tries.
type attempt struct {
	network netip.Prefix
	user    string
}

type failures struct {
	count int
	next  time.Time // when the next attempt may be looked at
}

func (f *failures) delay() time.Duration {
	return min(firstDelay<<min(f.count-1, 10), mostDelay)
}

// reserve says how long an attempt has to wait.
func (a *attempts) reserve(who attempt, now time.Time) (time.Duration, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.failing[a.bucket(who)]
	if f == nil {
		return 0, nil
	}
	wait := max(f.next.Sub(now), 0)
	if wait > mostQueued {
		return 0, sqlerr.New(sqlerr.TooManyConnections, "too many attempts with wrong passwords for role \"%s\"",
			who.user).
			WithHint("Try again in some seconds.")
	}
	f.next = now.Add(wait + f.delay())
	return wait, nil
}

// bucket is where an attempt is counted: in one for all when there are too many.
func (a *attempts) bucket(who attempt) attempt {
	if _, known := a.failing[who]; !known && len(a.failing) >= maxFailing {
		return attempt{}
	}
	return who
}

// ended notes whether an attempt was right.
func (a *attempts) ended(who attempt, right bool, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if right {
		delete(a.failing, who)
		return
	}
	if len(a.failing) >= maxFailing {
		maps.DeleteFunc(a.failing, func(_ attempt, f *failures) bool { return now.Sub(f.next) > failuresKept })
	}
	who = a.bucket(who)
	f := a.failing[who]
	if f == nil || now.Sub(f.next) > failuresKept {
		f = &failures{}
		if a.failing == nil {
			a.failing = map[attempt]*failures{}
		}
		a.failing[who] = f
	}
	f.count++
	if next := now.Add(f.delay()); next.After(f.next) {
		f.next = next
	}
}

// await waits until an attempt may be looked at.
func (a *attempts) await(ctx context.Context, who attempt) error {
	wait, err := a.reserve(who, time.Now())
	if err != nil || wait == 0 {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return errShutdown
	}
}
