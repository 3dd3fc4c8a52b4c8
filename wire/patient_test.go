package wire

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestClientThatDoesNotRead writes into a pipe without a buffer.
func TestClientThatDoesNotRead(t *testing.T) { synctest.Test(t, doesNotRead) }

func doesNotRead(t *testing.T) {
	end := errors.New("the statement is to end")
	for _, test := range []struct {
		ended error
		want  error
	}{{nil, os.ErrDeadlineExceeded}, {end, end}} {
		client, server := net.Pipe()
		defer func() { _ = client.Close() }()
		p := newPatient(server, time.Millisecond, func() error { return test.ended })
		o := &output{conn: p, buf: []byte("x")}
		for range 2 { // the error stays
			if err := o.flush(); !errors.Is(err, test.want) {
				t.Error(err)
			}
		}
	}
}

// TestClientThatReadsSlowly takes a byte now and then, over more time than a client may take none.
func TestClientThatReadsSlowly(t *testing.T) { synctest.Test(t, readsSlowly) }

func readsSlowly(t *testing.T) {
	client, server := net.Pipe()
	p := newPatient(server, 4*glance, func() error { return nil })
	over := make(chan struct{})
	go func() {
		defer close(over)
		for b := make([]byte, 1); ; time.Sleep(glance * 3 / 2) {
			if _, err := client.Read(b); err != nil {
				return
			}
		}
	}()
	if n, err := p.Write([]byte("123456")); n != 6 || err != nil {
		t.Errorf("%d bytes were written: %v", n, err)
	}
	_ = client.Close()
	<-over
}

// TestEndsForSilentReader wants all that ends a statement to end one whose client does not take its
// rows. If a message was cut short, the connection ends with it.
func TestEndsForSilentReader(t *testing.T) {
	address := serve(t, quiet())
	for name, end := range map[string]func(watcher *testClient, pid uint32, secret []byte){
		"timeout": nil,
		"cancel":  func(_ *testClient, pid uint32, secret []byte) { requestCancel(t, address, pid, secret) },
		"terminate": func(watcher *testClient, pid uint32, _ []byte) {
			watcher.send(t, fmt.Sprintf(`Query {"String": "SELECT pg_terminate_backend(%d)"}`, pid))
			watcher.until(t, "ReadyForQuery")
		},
	} {
		t.Run(name, func(t *testing.T) {
			watcher, silent := newTestClient(t, dial(t, address)), newTestClient(t, dial(t, address))
			startWithKey(t, watcher)
			pid, secret := startWithKey(t, silent)
			if end == nil {
				silent.send(t, `Query {"String": "SET statement_timeout = 200"}`)
				silent.until(t, "ReadyForQuery")
			}
			silent.send(t, `Query {"String": "SELECT repeat('x', 1000) FROM generate_series(1, 10000000)"}`)
			silent.until(t, "DataRow")
			if end != nil {
				end(watcher, pid, secret)
			}
			for there := true; there; time.Sleep(10 * time.Millisecond) {
				watcher.send(t, fmt.Sprintf(`Query {"String": "SELECT count(*) FROM pg_stat_activity WHERE pid = %d AND state = 'active'"}`, pid))
				there = !strings.Contains(watcher.until(t, "ReadyForQuery"), `{"text":"0"}`)
			}
		})
	}
}
