package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// spinnerPair is a connection over TCP, its server's end as a spinner.
func spinnerPair(t *testing.T, last *atomic.Pointer[spinner]) (client net.Conn, server *spinner) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if client, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), accepted.Close() })
	return client, newSpinner(accepted, last)
}

// pass sends a byte and wants it to be read.
func pass(t *testing.T, client net.Conn, server *spinner) {
	t.Helper()
	b := []byte{0}
	if _, err := client.Write([]byte{7}); err != nil {
		t.Fatal(err)
	}
	if n, err := server.Read(b); n != 1 || err != nil || b[0] != 7 {
		t.Fatalf("read %d bytes, %v: %v", n, b, err)
	}
}

// TestSpinningReadEnds reads what spins to the end of the client, and into an end of the wait.
func TestSpinningReadEnds(t *testing.T) {
	client, server := spinnerPair(t, new(atomic.Pointer[spinner]))
	for range alone {
		pass(t, client, server)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = server.SetReadDeadline(time.Unix(1, 0)) })
	if n, err := server.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read %d bytes: %v", n, err)
	}
	_ = server.SetReadDeadline(time.Time{})
	pass(t, client, server)
	_ = client.Close()
	if n, err := server.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("read %d bytes: %v", n, err)
	}
}

// TestWhoSpins wants reads to spin of a connection that is alone in use, less and less often in vain.
func TestWhoSpins(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("needs two processors: on one, no read spins")
	}
	var last atomic.Pointer[spinner]
	client, server := spinnerPair(t, &last)
	for n := range alone {
		if server.begin() {
			t.Fatalf("spins after %d reads", n)
		}
		pass(t, client, server)
	}
	var skipped []int
	for n := 0; len(skipped) < 9; n++ {
		server.spun = false
		if !server.begin() {
			continue
		}
		if server.begin() {
			t.Fatal("spins twice in a read")
		}
		if skipped = append(skipped, n); server.raw.Control(func(fd uintptr) {
			if server.into = make([]byte, 1); server.spin(fd) {
				t.Error("nothing was sent, yet something is read")
			}
		}) != nil {
			t.Fatal("the connection is closed")
		}
		n = -1
	}
	if want := []int{0, 1, 2, 4, 8, 16, 32, 64, 64}; !slices.Equal(skipped, want) {
		t.Errorf("reads that did not spin: %d, want %d", skipped, want)
	}

	otherClient, other := spinnerPair(t, &last)
	pass(t, otherClient, other)
	server.spun, server.skip = false, 0
	if server.begin() {
		t.Error("spins while another connection is in use")
	}
}
