package freeport_test

import (
	"errors"
	"fmt"
	"net"
	"testing"

	"zproxy/internal/freeport"
)

// TestTakenPort takes the port of a server before the server does, which then gets another one.
func TestTakenPort(t *testing.T) {
	var tried []int
	err := freeport.Start(func(port int) error {
		if tried = append(tried, port); len(tried) == 1 {
			l := listen(t, port)
			t.Cleanup(func() { _ = l.Close() })
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return err
		}
		return l.Close()
	})
	if err != nil || len(tried) != 2 || tried[0] == tried[1] {
		t.Errorf("ports %d were tried: %v", tried, err)
	}
}

// TestNoStart: a server that starts on no port is tried on a few, and the error has what each start returned.
func TestNoStart(t *testing.T) {
	var failures []error
	err := freeport.Start(func(port int) error {
		failures = append(failures, fmt.Errorf("broken on %d", port))
		return failures[len(failures)-1]
	})
	if len(failures) != 3 {
		t.Errorf("%d starts", len(failures))
	}
	for _, failure := range failures {
		if !errors.Is(err, failure) {
			t.Errorf("%v is not in %v", failure, err)
		}
	}
}

func listen(t *testing.T, port int) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	return l
}
