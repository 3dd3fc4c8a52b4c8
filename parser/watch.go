package parser

import (
	"errors"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"zproxy/internal/routine"
)

// Until says when the reading of a text is to end, and what it is read for. The zero Until lets it go on.
type Until struct {
	// Ended is why the statement is to end, nil while it may go on.
	Ended func() error
	// Left is told of work that goes on after the statement has ended, and gives what is called when the work has
	// ended too.
	Left func() (done func())
	// Database is the one of the session, which names may begin with; empty: none does.
	Database string
}

// watch asks whether a statement is to end, and remembers why. A watch that is nil never ends.
type watch struct {
	Until
	detached bool // in a goroutine that the statement can leave
	err      error
}

// ended is why the statement is to end, nil while it may go on.
func (w *watch) ended() error {
	if w == nil {
		return nil
	}
	if w.err == nil && w.Ended != nil {
		w.err = w.Ended()
	}
	return w.err
}

const (
	// largeText is how many bytes libpg_query reads in about 20 ms.
	largeText = 16 << 10
	// askEvery is how long a statement waits between two looks at whether it is to end.
	askEvery = 10 * time.Millisecond
)

// parseSlot has something to receive while libpg_query reads no large text. Any number of calls may run at once: the
// state of libpg_query is in each thread, and it makes no system call. But a tree of the largest text takes half
// a gigabyte of C memory, which no account is charged for in full, so that large texts are read one after the other.
var parseSlot = func() chan struct{} {
	free := make(chan struct{}, 1)
	free <- struct{}{}
	return free
}()

// read lets libpg_query read a text, large ones one after the other, and decodes what it says.
func read(sql string, w *watch, call func(string) ([]byte, error), into proto.Message) error {
	if len(sql) < largeText {
		bytes, err := call(sql)
		if err != nil {
			return err
		}
		return proto.Unmarshal(bytes, into)
	}
	_, err := within(w, len(sql), func(w *watch) (struct{}, error) {
		if _, ok := await(w, parseSlot); !ok {
			return struct{}{}, w.err
		}
		bytes, err := parseSerially(sql, call)
		if err == nil {
			err = w.ended()
		}
		if err == nil {
			err = proto.Unmarshal(bytes, into)
		}
		return struct{}{}, err
	})
	return err
}

// parseSerially makes a call of libpg_query, and then frees the slot for the next.
func parseSerially(sql string, call func(string) ([]byte, error)) ([]byte, error) {
	defer func() { parseSlot <- struct{}{} }()
	return call(sql)
}

// errLeft ends work that its statement has left.
var errLeft = errors.New("the statement has ended")

// within works on a text of so many bytes with libpg_query, which is C and cannot be ended. Therefore a large
// text is worked on in a goroutine with a watch of its own: when the statement is to end, it leaves that work.
func within[T any](w *watch, bytes int, work func(*watch) (T, error)) (T, error) {
	if bytes < largeText || w != nil && w.detached {
		return work(w)
	}
	var out, none T
	if err := w.ended(); err != nil {
		return none, err // a statement leaves work once at most
	}
	var left atomic.Bool
	worked := make(chan error, 1)
	routine.Go(func() {
		made, err := work(&watch{detached: true, Until: Until{Ended: func() error {
			if left.Load() {
				return errLeft
			}
			return nil
		}}})
		out = made
		worked <- err
	}, func(bug error) { worked <- bug })
	if err, ok := await(w, worked); ok {
		return out, err
	}
	left.Store(true)
	w.leave(worked)
	return none, w.err
}

// leave lets work go on without the statement.
func (w *watch) leave(worked <-chan error) {
	if w.Left == nil {
		return
	}
	done := w.Left()
	routine.Go(func() {
		<-worked
		done()
	}, func(error) {})
}

// await receives from a channel, unless the statement is to end before there is something.
func await[T any](w *watch, from <-chan T) (got T, ok bool) {
	select {
	case got = <-from:
		return got, true
	default:
	}
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	for {
		select {
		case got = <-from:
			return got, true
		case <-ask.C:
			if w.ended() != nil {
				return got, false
			}
		}
	}
}
