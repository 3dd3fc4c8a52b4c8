package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"zproxy/store"
	"zproxy/store/memstore"
)

// stuck is a store that does not answer when it is told so.
type stuck struct {
	store.Store
	on bool
}

func (s *stuck) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	if s.on {
		return nil, errors.New("no answer")
	}
	return s.Store.Begin(ctx, m)
}

func TestHealth(t *testing.T) {
	h := &health{}
	status := func(path string) int {
		w := httptest.NewRecorder()
		h.routes(false).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code
	}
	want := func(when, path string, code int) {
		t.Helper()
		if got := status(path); got != code {
			t.Errorf("%s: %s answers %d, want %d", when, path, got, code)
		}
	}
	want("starting", "/healthz", 200)
	want("starting", "/readyz", 503)
	want("starting", "/metrics", 503)

	log := slog.New(slog.DiscardHandler)
	s, err := open(t.Context(), &options{storage: storage{store: storeMemory}, maxConnections: 7,
		observing: observing{logMinDuration: "-1"}},
		log)
	if err != nil {
		t.Fatal(err)
	}
	defer s.store.Close()
	ctx, stop := context.WithCancel(t.Context())
	h.serves(ctx, s)
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		want("serving", path, 200)
	}
	want("serving", "/debug/pprof/", 404)
	stop()
	want("stopping", "/healthz", 200)
	want("stopping", "/readyz", 503)
	want("stopping", "/metrics", 200)
}

// TestNotReady asks when the store does not answer.
func TestNotReady(t *testing.T) {
	st := &stuck{Store: memstore.New(memstore.Options{})}
	s, err := openOn(t.Context(), st, &options{maxConnections: 1, observing: observing{logMinDuration: "-1"}},
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h := &health{}
	h.serves(t.Context(), s)
	for _, on := range []bool{false, true, false} {
		st.on = on
		w := httptest.NewRecorder()
		h.ready(w, httptest.NewRequest("GET", "/readyz", nil))
		if (w.Code == 503) != on || strings.Contains(w.Body.String(), "no answer") {
			t.Errorf("with a store that does not answer (%t) it is %d: %s", on, w.Code, w.Body)
		}
	}
}

// TestHTTP serves with the settings given as flags.
func TestHTTP(t *testing.T) {
	conn, stop := running(t, "--listen", "127.0.0.1:0", "--store", "memory", "--http", "127.0.0.1:0",
		"--max-connections", "17", "--log-min-duration-statement", "1500")
	defer stop()
	var limit, duration, address string
	for sql, to := range map[string]*string{"SHOW max_connections": &limit,
		"SHOW log_min_duration_statement": &duration, "SHOW zproxy.http": &address} {
		if err := conn.QueryRow(t.Context(), sql).Scan(to); err != nil {
			t.Fatal(err)
		}
	}
	if limit != "17" || duration != "1500ms" || !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("SHOW says %s, %s, %s", limit, duration, address)
	}
	for path, part := range map[string]string{"/metrics": "zproxy_connections_open 1\n", "/readyz": "ok",
		"/healthz": "ok", "/debug/pprof/goroutine?debug=1": "goroutine profile"} {
		r, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if r.StatusCode != 200 || !strings.Contains(string(body), part) {
			t.Errorf("%s answers %d: %.300s", path, r.StatusCode, body)
		}
	}
}
