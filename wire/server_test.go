package wire

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// brokenConn is a connection with a bug in it.
type brokenConn struct{ scriptConn }

func (*brokenConn) Read([]byte) (int, error) { panic("bug") }

func TestPanicEndsOnlyTheConnection(t *testing.T) {
	nc := &brokenConn{}
	newConn(NewServer(openDB(t), quiet()), nc, t.Context()).serve(t.Context())
	if got := strings.Join(brief(t, nc.out.Bytes()), " "); got != "EXX000" {
		t.Errorf("got %s", got)
	}
}

func TestTooManyConnections(t *testing.T) {
	o := quiet()
	o.MaxConnections = 1
	address := serve(t, o)
	first := newTestClient(t, dial(t, address))
	first.start(t)
	second := dial(t, address)
	if _, err := second.Write([]byte(packet(version30, asUser))); err != nil {
		t.Fatal(err)
	}
	got := newTestClient(t, second).until(t, "closed")
	want := `ErrorResponse {"Severity":"FATAL","Code":"53300","Message":"sorry, too many clients already"}`
	if got != want+"\nclosed\n" {
		t.Errorf("got %s", got)
	}
	first.send(t, `Query {"String": ""}`)
	first.until(t, "ReadyForQuery")
}

func TestStartupTimeout(t *testing.T) {
	o := quiet()
	o.StartupTimeout = time.Millisecond
	client := newTestClient(t, dial(t, serve(t, o)))
	if got := client.until(t, "closed"); got != "closed\n" {
		t.Errorf("got %s", got)
	}
}

func TestBrokenProtocolIsFatal(t *testing.T) {
	address := serve(t, quiet())
	for bytes, want := range map[string]string{
		"!": "invalid frontend message type 33", "Q\x7f\xff\xff\xff": "invalid message length",
	} {
		client := newTestClient(t, dial(t, address))
		client.start(t)
		if _, err := client.net.Write([]byte(bytes)); err != nil {
			t.Fatal(err)
		}
		want := `ErrorResponse {"Severity":"FATAL","Code":"08P01","Message":"` + want + `"}`
		if got := client.until(t, "closed"); got != want+"\nclosed\n" {
			t.Errorf("got %s", got)
		}
	}
}

func TestMalformedBodiesKeepTheConnection(t *testing.T) {
	login := packet(version30, asUser)
	for _, kind := range []byte{msgParse, msgBind, msgDescribe, msgExecute, msgClose} {
		got := converse(t, []byte(login+message(kind, "x")+message(msgSync, "")))
		if want := "R K4 Z E08P01 Z closed"; got != want {
			t.Errorf("%c: got %s, want %s", kind, got, want)
		}
	}
	for kind, want := range map[byte]string{msgQuery: "E08P01", msgFunctionCall: "E08P01"} {
		got := converse(t, []byte(login+message(kind, "x")))
		if want := "R K4 Z " + want + " Z closed"; got != want {
			t.Errorf("%c: got %s, want %s", kind, got, want)
		}
	}
}

// TestShutdown finds an idle client and one in its startup, and ends both.
func TestShutdown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	o := quiet()
	o.Grace = time.Hour
	s := NewServer(openDB(t), o)
	go func() { ended <- s.Serve(ctx, l) }()
	starting := newTestClient(t, dial(t, l.Addr().String()))
	idle := newTestClient(t, dial(t, l.Addr().String()))
	idle.start(t)
	cancel()
	want := `ErrorResponse {"Severity":"FATAL","Code":"57P01",` +
		`"Message":"terminating connection due to administrator command"}` + "\nclosed\n"
	if got := idle.until(t, "closed"); got != want {
		t.Errorf("idle: got %s", got)
	}
	if got := starting.until(t, "closed"); got != want {
		t.Errorf("starting: got %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the listener is open")
	}
}

func TestListenerFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := NewServer(openDB(t), quiet()).Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
