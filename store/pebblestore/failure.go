package pebblestore

import "fmt"

// fail ends the process. What Pebble makes of an error of the disk is to go on with some of its
// parts, while others wait for ever.
func (s *Store) fail(err error) {
	err = fmt.Errorf("the store can no longer write: %w", err)
	if s.fatal != nil {
		s.fatal(err)
	}
	panic(err)
}

// fatalLogger is what Pebble reports to.
type fatalLogger struct {
	logger
	fail func(error)
}

// Fatalf must not return: Pebble calls it when it cannot go on.
func (l fatalLogger) Fatalf(format string, args ...any) { l.fail(fmt.Errorf(format, args...)) }
