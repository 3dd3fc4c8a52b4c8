package wire

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"zproxy/sqlerr"
)

// TestWrongPasswordsCostTime lets one address guess, one after the other and many at once, and wants the
// delay to grow, to hit no others, and to end with a right password or with time.
func TestWrongPasswordsCostTime(t *testing.T) {
	a, now := attempts{}, time.Unix(1_000_000, 0)
	network := networkOf(netip.MustParseAddr("10.0.0.1"))
	who := attempt{network, "ann"}
	wait := func(who attempt) time.Duration {
		t.Helper()
		d, err := a.reserve(who, now)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	guess := func() time.Duration {
		d := wait(who)
		now = now.Add(d)
		a.ended(who, false, now)
		return d
	}
	for i, want := range []time.Duration{0, 100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000} {
		if got := guess(); got != want*time.Millisecond {
			t.Errorf("attempt %d waits %v, want %v", i, got, want*time.Millisecond)
		}
	}
	for _, other := range []attempt{{network, "bob"}, {networkOf(netip.MustParseAddr("10.0.0.2")), "ann"}} {
		if d := wait(other); d != 0 {
			t.Errorf("%v waits %v", other, d)
		}
	}
	var err error
	queued := 0
	for ; err == nil; queued++ { // which are not even answered
		_, err = a.reserve(who, now)
	}
	if !sqlerr.Has(err, sqlerr.TooManyConnections) || queued > 4 {
		t.Errorf("%d attempts at once, then %v", queued, err)
	}
	now = now.Add(time.Minute)
	if d := wait(who); d != 0 {
		t.Errorf("waits %v after a minute", d)
	}
	if a.ended(who, true, now); wait(who) != 0 || len(a.failing) != 0 {
		t.Error("a right password does not end it")
	}
	guess()
	now = now.Add(failuresKept + time.Minute)
	a.ended(who, false, now)
	if d := wait(who); d != firstDelay {
		t.Errorf("waits %v after an old failure", d)
	}
}

// TestManyAddressesGuess wants the memory to be bounded, and none to be free of delays beyond it.
func TestManyAddressesGuess(t *testing.T) {
	a, now := attempts{}, time.Unix(1_000_000, 0)
	for i := range maxFailing + 100 {
		a.ended(attempt{user: fmt.Sprint(i)}, false, now)
	}
	if len(a.failing) > maxFailing+1 {
		t.Errorf("%d places are remembered", len(a.failing))
	}
	if d, err := a.reserve(attempt{user: "another"}, now); err == nil && d == 0 {
		t.Error("one beyond does not wait")
	}
}

// TestSilentSockets wants sockets of one address that say nothing to keep out no client of another one.
func TestSilentSockets(t *testing.T) {
	address := serve(t, quiet())
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	for range 3000 {
		silent, err := from.Dial("tcp", address)
		if err != nil {
			t.Skipf("this machine does not have so many sockets: %v", err)
		}
		defer silent.Close()
	}
	c := newTestClient(t, dial(t, address))
	c.start(t)
	c.send(t, `Query {"String": "SELECT 1"}`)
	c.until(t, "ReadyForQuery")
}
