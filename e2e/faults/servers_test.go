package faults

import (
	"context"
	"errors"
	"time"

	"zproxy/cluster/fleet"
	"zproxy/session"
	"zproxy/sqlerr"
)

// server is a process of the run. Its requests to the store end when it is killed: what is under way may have arrived,
// nothing else does, and its clients hear no answer.
type server struct {
	w      *world
	number int
	db     *session.DB
	life   context.Context // ends when the server is killed
	end    context.CancelFunc
	stands time.Time // until when its requests stand still
}

// cutOff is what a client knows of a statement whose server is killed: nothing.
var cutOff = sqlerr.New(sqlerr.StatementCompletionUnknown, "the server was killed")

var errDead = errors.New("the server is dead")

// open starts a server.
func (w *world) open(b *backend) *server {
	s := &server{w: w, number: len(w.servers)}
	s.life, s.end = context.WithCancel(w.Context())
	var err error
	s.db, err = session.Open(w.Context(), b.open(s), session.Options{
		Shared: true, Fleet: fleet.Options{Lease: w.lease},
		Settings: map[string]string{"zproxy.full_scan": "allow", "zproxy.advice": "off"},
	})
	if err != nil {
		w.Fatal(err)
	}
	w.servers = append(w.servers, s)
	return s
}

func (s *server) isDead() bool { return s.life.Err() != nil }

// request waits for the turn of a request to the store.
func (s *server) request(ctx context.Context, label string) error {
	if s.isDead() {
		return errDead
	}
	if late := s.stand(); late {
		ctx = context.WithValue(context.Background(), clientKey{}, ctx.Value(clientKey{})) // it leaves all the same
	}
	if err := s.w.enter(ctx, label); err != nil {
		return err
	}
	if s.isDead() {
		return errDead
	}
	return nil
}

// connected is the context of a statement, which ends with the server.
func (s *server) connected(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// stand waits until the server goes on that stands still, and says whether it did.
func (s *server) stand() bool {
	s.w.mu.Lock()
	wait := time.Until(s.stands)
	s.w.mu.Unlock()
	if wait <= 0 {
		return false
	}
	time.Sleep(wait)
	return true
}

// drawKill draws whether a server is killed, or stands still for longer than its lease, and when. Where leases are
// long, all would wait for its lease to end.
func (w *world) drawKill() {
	if len(w.servers) > 1 && w.lease < time.Hour && w.IntN(2) == 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.kill = w.requests + 1 + w.IntN([]int{50, 400, 3000}[w.IntN(3)])
		w.pause = w.IntN(2) == 0
	}
}

// killWhenReached kills one of the servers if its time has come, or has it stand still: then what it is about to ask
// arrives when others have gone on without it.
func (w *world) killWhenReached() {
	w.mu.Lock()
	reached := w.kill > 0 && w.requests >= w.kill && !w.faultless
	if reached {
		w.kill = 0
	}
	w.mu.Unlock()
	if reached {
		s := w.servers[w.IntN(len(w.servers))]
		if w.pause {
			w.note("server %d stands still", s.number)
			w.mu.Lock()
			s.stands = time.Now().Add(w.lease + time.Duration(w.Int64N(int64(3*w.lease))))
			w.mu.Unlock()
			return
		}
		w.note("server %d is killed", s.number)
		s.end()
	}
}

// living is a server that a client can go to.
func (w *world) living(number int) *server {
	for i := range w.servers {
		if s := w.servers[(number+i)%len(w.servers)]; !s.isDead() {
			return s
		}
	}
	return nil // never: one is killed at most, of several
}
