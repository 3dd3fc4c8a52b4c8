package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"zproxy/internal/routine"
	"zproxy/metrics"
	"zproxy/store"
)

// health answers over HTTP how the process is. It answers before the store is open and
// until the last client is gone.
type health struct {
	server *http.Server          // nil: there is none
	served atomic.Pointer[bound] // nil while the store is being opened
}

// bound is a server that clients may use until its context ends.
type bound struct {
	ctx     context.Context
	server  *server
	metrics http.Handler
}

const (
	// readyLimit is how long the store may take to answer a small read.
	readyLimit = time.Second
	// httpLimit bounds how long a client may take for its request and to read the answer.
	// A profile of 30 seconds fits into it.
	httpLimit = time.Minute
)

// openHealth listens where the settings say; otherwise no port answers.
func openHealth(o *options, log *slog.Logger) (*health, error) {
	h := &health{}
	if o.http == "" {
		return h, nil
	}
	l, err := net.Listen("tcp", o.http)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	o.http = l.Addr().String() // also where any port was asked for
	loopback := l.Addr().(*net.TCPAddr).IP.IsLoopback()
	h.server = &http.Server{
		Handler: h.routes(loopback), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: httpLimit, IdleTimeout: httpLimit, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	ended := func(err error) { log.Error("http ended", "error", err) }
	routine.Go(func() {
		if err := h.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			ended(err)
		}
	}, ended)
	log.Info("metrics and health over http", "address", l.Addr(), "profiles", loopback)
	return h, nil
}

// routes are what is answered. Profiles tell what is in memory, so that only those on
// this machine get them.
func (h *health) routes(profiles bool) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	m.HandleFunc("GET /readyz", h.ready)
	m.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if b := h.served.Load(); b != nil {
			b.metrics.ServeHTTP(w, r)
			return
		}
		http.Error(w, "starting", http.StatusServiceUnavailable)
	})
	if profiles {
		m.HandleFunc("GET /debug/pprof/", pprof.Index)
		m.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		m.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
		m.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	}
	return m
}

// ready says whether a new client would be served.
func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	b := h.served.Load()
	if b == nil || b.ctx.Err() != nil {
		http.Error(w, "starting or stopping", http.StatusServiceUnavailable)
		return
	}
	ctx, stop := context.WithTimeout(r.Context(), readyLimit)
	defer stop()
	err := b.server.db.Ready(ctx)
	if prober, ok := b.server.store.(store.Prober); ok && err == nil {
		err = prober.Probe(ctx)
	}
	if err != nil {
		http.Error(w, "the store does not answer", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// serves says that a server is there for clients until a context ends.
func (h *health) serves(ctx context.Context, s *server) {
	h.served.Store(&bound{ctx, s, metrics.Handler(metrics.Sources{DB: s.db, Wire: s.wire, Store: s.store,
		Rows: s.db.Rows.Total, Plans: s.db.StatementCache})})
}

func (h *health) close() {
	if h.server != nil {
		_ = h.server.Close()
	}
}
