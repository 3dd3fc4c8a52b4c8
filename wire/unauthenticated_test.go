package wire

import (
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"zproxy/internal/testseed"
)

// TestSlowClientsUnauthenticated fills the limit with clients that send nothing. The next one is
// turned away until one of them has gone, and those that are in stay.
func TestSlowClientsUnauthenticated(t *testing.T) {
	o := quiet()
	o.MaxStarting = 6
	s := NewServer(openDB(t), o)
	address := serveWith(t, s)
	inside := newTestClient(t, dial(t, address))
	inside.start(t)
	var slow []net.Conn
	for range 3 { // half of all may come from one address
		slow = append(slow, dial(t, address))
	}
	turnedAway := newTestClient(t, dial(t, address))
	if got := turnedAway.until(t, "closed"); got != "closed\n" {
		t.Errorf("got %s", got)
	}
	inside.send(t, `Query {"String": ""}`)
	inside.until(t, "ReadyForQuery")
	_ = slow[0].Close()
	for !s.unauthenticated.enter(netip.MustParseAddr("127.0.0.1")) { // until the server has noticed
		runtime.Gosched()
	}
	s.unauthenticated.leave(netip.MustParseAddr("127.0.0.1"))
	newTestClient(t, dial(t, address)).start(t)
	for _, nc := range slow {
		_ = nc.Close()
	}
}

// TestUnauthenticated counts in total and by network.
func TestUnauthenticated(t *testing.T) {
	d := unauthenticatedLimits{most: 4, mostFrom: 2, from: map[netip.Prefix]int{}}
	addr := netip.MustParseAddr
	for _, step := range []struct {
		leaves bool
		from   string
		want   bool
	}{
		{from: "10.0.0.1", want: true}, {from: "10.0.0.1", want: true}, {from: "10.0.0.1"},
		{from: "2001:db8::1", want: true}, {from: "2001:db8::ffff:1", want: true}, {from: "2001:db8::2"},
		{from: "10.0.0.2"}, {leaves: true, from: "10.0.0.1", want: true}, {from: "10.0.0.2", want: true},
		{leaves: true, from: "10.0.0.1", want: true}, {leaves: true, from: "10.0.0.2", want: true},
		{leaves: true, from: "2001:db8::1", want: true}, {leaves: true, from: "2001:db8::3", want: true},
	} {
		if step.leaves {
			d.leave(addr(step.from))
		} else if got := d.enter(addr(step.from)); got != step.want {
			t.Errorf("%s: got %t", step.from, got)
		}
	}
	if d.total != 0 || len(d.from) != 0 {
		t.Errorf("left over: %d, %v", d.total, d.from)
	}
}

// TestGuesses sends wrong keys until nothing of their network is heard any more, for a while.
func TestGuesses(t *testing.T) {
	var g guesses
	attacker, other, now := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2"), time.Now()
	for i := range maxGuesses {
		if !g.mayAsk(attacker, now) {
			t.Fatalf("not heard after %d", i)
		}
		g.wasWrong(attacker)
	}
	switch {
	case g.mayAsk(attacker, now.Add(guessWindow)):
		t.Error("heard again")
	case !g.mayAsk(other, now):
		t.Error("another is not heard")
	case !g.mayAsk(attacker, now.Add(guessWindow+1)):
		t.Error("never heard again")
	}
	for i := range maxGuessers {
		g.wasWrong(netip.AddrFrom4([4]byte{11, byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	if g.mayAsk(other, now.Add(guessWindow+1)) {
		t.Error("the list of networks has no bound")
	}
}

// TestWrongKeysDoNothing guesses the key of a session, after which the right one is not
// heard either.
func TestWrongKeysDoNothing(t *testing.T) {
	s := NewServer(openDB(t), quiet())
	address := serveWith(t, s)
	c := newTestClient(t, dial(t, address))
	pid, secret := startWithKey(t, c)
	c.send(t, `Query {"String": "CREATE TABLE guess_t (a int PRIMARY KEY)"}`)
	c.until(t, "ReadyForQuery")
	c.send(t, `Query {"String": "COPY guess_t FROM STDIN"}`)
	c.until(t, "CopyInResponse")
	for _, length := range []int{0, 3, 5, 31, 33, 256} { // of no key
		requestCancel(t, address, pid, make([]byte, length))
	}
	if n := s.guesses.wrong[networkOf(netip.MustParseAddr("127.0.0.1"))]; n != 0 {
		t.Errorf("%d guesses", n)
	}
	for i := range maxGuesses {
		requestCancel(t, address, pid, append([]byte{^secret[0], byte(i)}, secret[2:]...))
	}
	requestCancel(t, address, pid, secret)
	c.send(t, `CopyData "1\n"`, "CopyDone")
	want := `CommandComplete {"CommandTag":"COPY 1"}` + "\n" + `ReadyForQuery {"TxStatus":"I"}` + "\n"
	if got := c.until(t, "ReadyForQuery"); got != want {
		t.Errorf("got %s", got)
	}
}

// TestDeclaredLengths says at each step that much is to come, and sends one byte.
func TestDeclaredLengths(t *testing.T) {
	long := string(binary.BigEndian.AppendUint32(nil, 1<<30))
	login := packet(version30, asUser)
	s := withPassword(t, quiet(), "pencil")
	for _, sent := range []string{
		long + "x",
		login + "p" + long + "x",
		login + initialResponse(mechanism, "n,,n=,r=abc") + "p" + long + "x",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		nc := &scriptConn{in: strings.NewReader(sent)}
		newConn(s, nc, t.Context()).serve(t.Context())
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
			t.Errorf("%d bytes for %q", grown, sent)
		}
	}
}

// TestAfterAnyErrorSyncOrTheEnd sends messages with random damage. Whatever is wrong with
// them, the Sync behind is answered, or the connection ends.
func TestAfterAnyErrorSyncOrTheEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 1))
	kinds := []byte("BCDEHPQFcdfS")
	for range 300 {
		sent := packet(version30, asUser)
		for range random.IntN(8) {
			body := make([]byte, random.IntN(40))
			for i := range body {
				body[i] = byte(random.IntN(6))
			}
			kind := kinds[random.IntN(len(kinds))]
			m := []byte(message(kind, string(body)))
			if random.IntN(4) == 0 {
				m[4]++ // the next message begins later than it says
			}
			sent += string(m)
		}
		nc := &scriptConn{in: strings.NewReader(sent + message(msgSync, ""))}
		newConn(NewServer(openDB(t), quiet()), nc, t.Context()).serve(t.Context())
		names := brief(t, nc.out.Bytes())
		if last := names[len(names)-1]; last != "Z" && !strings.HasPrefix(last, "E08P01") {
			t.Errorf("%q was answered %v", sent, names)
		}
	}
}

// deadlineConn remembers until when the server was willing to wait.
type deadlineConn struct {
	scriptConn
	deadlines []time.Time
}

func (c *deadlineConn) SetReadDeadline(d time.Time) error {
	c.deadlines = append(c.deadlines, d)
	return nil
}

// TestOneDeadline wants one deadline over everything that a client says before it is in,
// and none of the kind after that.
func TestOneDeadline(t *testing.T) {
	asked := packet(codeGSS, "") + packet(codeSSL, "")
	for _, test := range []struct {
		sent, password string
		deadlines      int
	}{
		{asked + packet(version30, asUser), "", 2},
		{asked + packet(version30, asUser) + initialResponse(mechanism, "n,,n=,r=abc") + message(msgPassword, "c=biws,r=abc,p="+noProof), "pencil", 1},
	} {
		s := NewServer(openDB(t), quiet())
		if test.password != "" {
			s = withPassword(t, quiet(), test.password)
		}
		s.nonce = func() string { return "" }
		nc := &deadlineConn{scriptConn: scriptConn{in: strings.NewReader(test.sent)}}
		newConn(s, nc, t.Context()).serve(t.Context())
		if len(nc.deadlines) != test.deadlines || nc.deadlines[0].IsZero() || test.deadlines > 1 &&
			!nc.deadlines[1].IsZero() {
			t.Errorf("%q: deadlines %v", test.sent, nc.deadlines)
		}
	}
}

// TestWishesWaitForThePassword sends settings that are wrong. Only who knows the password
// learns that.
func TestWishesWaitForThePassword(t *testing.T) {
	for _, option := range []string{"nonsense\x001\x00", "options\x00-x\x00", "datestyle\x00nonsense\x00"} {
		login := packet(version30, option+asUser)
		guess := initialResponse(mechanism, "n,,n=,r=abc") + message(msgPassword, "c=biws,r=abc,p="+noProof)
		s := withPassword(t, quiet(), "pencil")
		s.nonce = func() string { return "" }
		stranger, friend := &scriptConn{in: strings.NewReader(login + guess)}, &scriptConn{in: strings.NewReader(login)}
		newConn(s, stranger, t.Context()).serve(t.Context())
		newConn(NewServer(openDB(t), quiet()), friend, t.Context()).serve(t.Context())
		if got := strings.Join(brief(t, stranger.out.Bytes()), " "); !strings.HasSuffix(got, "E28P01") {
			t.Errorf("%q: a stranger is answered %s", option, got)
		}
		if got := strings.Join(brief(t, friend.out.Bytes()), " "); !strings.HasPrefix(got, "E42") &&
			!strings.HasPrefix(got, "E22") {
			t.Errorf("%q: a friend is answered %s", option, got)
		}
	}
}
