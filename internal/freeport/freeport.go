// Package freeport finds TCP ports for servers that cannot listen on port 0 and say which port they got, for tests and
// the bench. The ports lie below the range from which the system takes those of outgoing connections: a port of that
// range may be taken at any time while the server starts. Read Start first.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports lie in [low, low+count), below the range for outgoing connections of Linux (from 32768) and of others (from
// 49152).
const (
	low   = 15000
	count = 15000
)

// attempts is how many ports Pick tries for a free one, and Start for a server that starts.
const attempts = 3

// Start calls start with a free port, and again with others if it fails: another process may take the port first.
func Start(start func(port int) error) error {
	var failed error
	for range attempts {
		port, err := Pick()
		if err != nil {
			return errors.Join(failed, err)
		}
		if err = start(port); err == nil {
			return nil
		}
		failed = errors.Join(failed, fmt.Errorf("port %d: %w", port, err))
	}
	return failed
}

// Pick gives a port that was free a moment ago on all addresses of the machine.
func Pick() (port int, err error) {
	for range attempts {
		port = low + rand.IntN(count)
		l, failed := net.Listen("tcp", fmt.Sprintf(":%d", port))
		if failed == nil {
			return port, l.Close()
		}
		err = failed
	}
	return 0, err
}
