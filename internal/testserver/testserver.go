// Package testserver runs a zproxy for tests. It listens on a port of its own and ends with the test. Clients, and
// what they expect, are not here. Read Start first.
package testserver

import (
	"context"
	"maps"
	"net"
	"sync"
	"testing"
	"time"

	"zproxy/internal/testlog"
	"zproxy/session"
	"zproxy/store"
	"zproxy/wire"
)

// Server is a zproxy that listens on this machine.
type Server struct {
	Address string
	// Stop ends it, and returns once it has ended. It may be called before the test ends.
	Stop func()
}

// Start serves a store, which it does not close, for as long as the test lasts. Sessions begin without
// advice on keys, which PostgreSQL does not give. An error that the server logs fails the test, unless
// w has another log.
func Start(t testing.TB, st store.Store, o session.Options, w wire.Options) Server {
	t.Helper()
	settings := map[string]string{"zproxy.advice": "off"}
	maps.Copy(settings, o.Settings)
	o.Settings = settings
	db, err := session.Open(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if w.Grace = time.Second; w.Log == nil {
		w.Log = testlog.New(t)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := wire.NewServer(db, w).Serve(ctx, l); err != nil {
			t.Error(err)
		}
	}()
	stop := sync.OnceFunc(func() {
		cancel()
		<-ended
		db.Close()
	})
	t.Cleanup(stop)
	return Server{l.Addr().String(), stop}
}
