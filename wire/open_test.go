package wire

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"

	"zproxy/internal/indextest"
	"zproxy/session"
	"zproxy/store/memstore"
)

func openDB(t testing.TB) *session.DB {
	t.Helper()
	db, err := session.Open(t.Context(), memstore.New(memstore.Options{}), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		indextest.DB(t, db)
		db.Close()
	})
	return db
}

// quiet has a log that no test reads.
func quiet() Options { return Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))} }

// serve starts a server that ends with the test, and returns its address.
func serve(t testing.TB, o Options) string {
	t.Helper()
	return serveWith(t, NewServer(openDB(t), o))
}

// serveWith starts a server that ends with the test, and returns its address.
func serveWith(t testing.TB, s *Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func connectZproxy(t *testing.T) net.Conn { return dial(t, serve(t, quiet())) }
