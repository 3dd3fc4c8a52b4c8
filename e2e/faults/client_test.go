package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/types"
)

// client is one session, and what it draws.
type client struct {
	*rand.Rand
	w       *world
	name    string
	number  int
	server  *server
	session *session.Session
	answer  answer
	copied  string        // what the next COPY reads
	also    []sqlerr.Code // what statements may fail with, besides
}

// answer is what the statements of a text gave.
type answer struct {
	rows  [][]int64 // of all of them; NULL is null, and the numbers of an array are columns
	count int64     // of the last one's tag
}

const null = -1 << 62

// connect opens a session of a server.
func connect(w *world, s *server, number int) *client {
	c := &client{w: w, name: fmt.Sprintf("c%d", number), number: number,
		Rand: rand.New(rand.NewPCG(w.seed, uint64(number+100)))}
	c.connect(s)
	return c
}

func (c *client) connect(s *server) {
	var err error
	c.server = s
	if c.session, err = s.db.Connect(session.Startup{User: "joe", Database: "postgres"}); err != nil {
		c.w.Error(err)
	}
}

// step does what the program draws, at times with little patience.
func (c *client) step(p program) {
	if c.IntN(8) > 0 {
		p.step(c)
		return
	}
	_, _ = c.exec("SET statement_timeout = %d", []int{1, 20, 200, 2000}[c.IntN(4)])
	c.also = append(c.also, sqlerr.QueryCanceled)
	p.step(c)
	_, _ = c.exec("RESET statement_timeout")
	c.also = nil
}

// exec runs statements. The error is one that a client must be ready for; others fail the run.
func (c *client) exec(format string, args ...any) (answer, error) {
	sql := fmt.Sprintf(format, args...)
	if c.server.isDead() {
		c.session.Close()
		c.connect(c.w.living(c.number))
	}
	ctx, cancel := c.server.connected(context.WithValue(context.Background(), clientKey{}, c.name))
	defer cancel()
	c.answer = answer{}
	if err := c.w.enter(ctx, "statement"); err != nil {
		return c.answer, cutOff
	}
	c.w.note("%s > %s", c.name, sql)
	err := c.session.Query(ctx, sql, c)
	if c.server.isDead() {
		c.w.note("%s < cut off", c.name)
		return answer{}, cutOff
	}
	if code := codeOf(err); err == nil {
		c.w.note("%s < %v %d", c.name, c.answer.rows, c.answer.count)
	} else {
		c.w.note("%s < %s %v %v", c.name, code, err, errors.Unwrap(err))
		c.judge(sql, code, err)
	}
	return c.answer, err
}

// judge says whether a client must be ready for an error. What comes of garbage is any but ours.
func (c *client) judge(sql string, code sqlerr.Code, err error) {
	switch {
	case c.w.garbage && code != sqlerr.InternalError:
	case slices.Contains(c.also, code):
	case code == sqlerr.IOError && !c.w.isFaultless(): // after tries for half a minute, or for what was left of a lease
	case !slices.Contains(expected, code):
		c.w.Errorf("-seed %d: %s: %s: %s %v", c.w.seed, c.name, sql, code, err)
	case c.w.isFaultless() && code != conflict && code != deadlock && code != duplicate:
		c.w.Errorf("-seed %d: %s: without faults: %s: %v", c.w.seed, c.name, sql, err)
	}
}

// The errors that a client must be ready for.
const (
	conflict  = sqlerr.SerializationFailure
	deadlock  = sqlerr.DeadlockDetected
	unknown   = sqlerr.StatementCompletionUnknown
	duplicate = sqlerr.UniqueViolation
	busy      = sqlerr.InsufficientResources
	hot       = sqlerr.ConfigurationLimitExceeded
)

var expected = []sqlerr.Code{conflict, deadlock, unknown, duplicate, busy, hot}

func codeOf(err error) sqlerr.Code {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return "XX000"
	}
	return ""
}

// ignore is an error that is not of a code.
func ignore(err error, code sqlerr.Code) error {
	if codeOf(err) == code {
		return nil
	}
	return err
}

// atomically runs a transaction until it commits, or its outcome is unknown, or it has failed too often. The body
// says false if it wants no commit.
func (c *client) atomically(begin string, body func() (bool, error)) (committed bool, err error) {
	for range 6 {
		committed, err = c.attempt(begin, body)
		if err == nil || codeOf(err) == unknown {
			break
		}
	}
	return committed, err
}

func (c *client) attempt(begin string, body func() (bool, error)) (bool, error) {
	if _, err := c.exec("%s", begin); err != nil {
		return false, err
	}
	want, err := body()
	if err == nil && want {
		if _, err = c.exec("COMMIT"); err == nil {
			return true, nil
		}
	}
	if c.session.Status() != 'I' {
		if _, bad := c.exec("ROLLBACK"); bad != nil && codeOf(bad) != unknown { // as when its server is killed
			c.w.Errorf("-seed %d: %s: ROLLBACK: %v", c.w.seed, c.name, bad)
		}
	}
	return false, err
}

// Columns implements session.Client.
func (c *client) Columns(*session.Portal) error { return nil }

// Rows implements session.Client.
func (c *client) Rows(_ *session.Portal, b *types.Batch) error {
	for i := range b.Len() {
		var row []int64
		for _, v := range b.Row(i) {
			switch {
			case v.IsNull():
				row = append(row, null)
			case v.Kind() == types.KindArray:
				for _, item := range v.Array().Items {
					row = append(row, item.Int())
				}
			default:
				row = append(row, v.Int())
			}
		}
		c.answer.rows = append(c.answer.rows, row)
	}
	return nil
}

// Done implements session.Client.
func (c *client) Done(o session.Outcome) error {
	c.answer.count = o.Count
	return nil
}

// Notice implements session.Client.
func (c *client) Notice(*sqlerr.Error) error { return nil }

// CopyIn implements session.Client.
func (c *client) CopyIn(session.CopyFormat) (io.Reader, error) {
	return strings.NewReader(c.copied), nil
}

// CopyOut implements session.Client.
func (c *client) CopyOut(session.CopyFormat) (io.WriteCloser, error) {
	return nil, errors.New("no copy")
}
