package build

import (
	"testing"
	"testing/synctest"
	"time"

	"zproxy/cluster/backfill"
)

// TestPace holds how long a build rests behind its steps, by the clock of a bubble: as its rate says, not at all for
// rows that it did not read, and longer while statements of clients run.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		name string
		work time.Duration // that the step took
		step backfill.Progress
		busy int // statements of clients that run
		want time.Duration
		// remote says that the step waited for another machine.
		remote bool
	}{
		{"the last step reads nothing", time.Second, backfill.Progress{Rate: 1}, 0, 0, false},
		{"a rate", 0, backfill.Progress{Rows: 50, Rate: 10}, 0, 5 * time.Second, false},
		{"a rate that the work has kept", 6 * time.Second, backfill.Progress{Rows: 50, Rate: 10}, 0, 1500 * time.Millisecond,
			false},
		{"no rate", 4 * time.Millisecond, backfill.Progress{Rows: 50}, 0, time.Millisecond, false},
		{"no rate beside two statements", 4 * time.Millisecond, backfill.Progress{Rows: 50}, 2, 44 * time.Millisecond, false},
		{"work too short to rest for", 100 * time.Microsecond, backfill.Progress{Rows: 1}, 0, 0, false},
		{"a store that is elsewhere", time.Second, backfill.Progress{Rows: 50}, 2, 0, true},
		{"a rate there", 0, backfill.Progress{Rows: 50, Rate: 10}, 0, 5 * time.Second, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &Builds{}
				for range c.busy {
					b.Clients.BeginStatement()
				}
				p := b.newPace(t.Context())
				p.remote = c.remote
				p.step()
				time.Sleep(c.work)
				began := time.Now()
				p.done(c.step)
				if got := time.Since(began); got != c.want {
					t.Errorf("it rests for %v, want %v", got, c.want)
				}
			})
		})
	}
}
