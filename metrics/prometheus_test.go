package metrics_test

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/metrics"
	"zproxy/session"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
	"zproxy/wire"
)

// served is a server with a client.
func served(t *testing.T, st store.Store) (metrics.Sources, *pgx.Conn) {
	t.Helper()
	db, err := session.Open(t.Context(), st, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &pipes{opened: make(chan net.Conn), closed: make(chan struct{})}
	server := wire.NewServer(db, wire.Options{})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = st.Close()
	})
	config, err := pgx.ParseConfig("postgres://postgres@127.0.0.1/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	config.DialFunc = l.dial
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return metrics.Sources{DB: db, Wire: server, Store: st, Rows: db.Rows.Total}, conn
}

// pipes is a listener of connections in the process, which a fake clock waits for as it does not for the network's.
type pipes struct {
	opened chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.opened <- local{theirs}
	return ours, nil
}

// local is a connection from the server's own machine.
type local struct{ net.Conn }

func (local) LocalAddr() net.Addr  { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (local) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.opened:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// scrape is what Prometheus gets, by the lines of samples.
func scrape(t *testing.T, s metrics.Sources) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	metrics.Handler(s).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	lines := map[string]string{}
	for line := range strings.Lines(w.Body.String()) {
		if at := strings.LastIndexByte(line, ' '); at > 0 && line[0] != '#' {
			lines[line[:at]] = strings.TrimSpace(line[at:])
		}
	}
	return lines
}

func TestCounts(t *testing.T) {
	s, conn := served(t, memstore.New(memstore.Options{}))
	for _, sql := range []string{
		"CREATE TABLE t (id int PRIMARY KEY, a int)", "INSERT INTO t SELECT i, i FROM generate_series(1, 20) AS i",
		"SELECT * FROM t WHERE id < 11", "SELECT 1 / (id - 3) FROM t", "BEGIN",
	} {
		_, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		if failed := err != nil; failed != strings.Contains(sql, "/") {
			t.Fatal(sql, err)
		}
	}
	got := scrape(t, s)
	for sample, want := range map[string]string{
		`zproxy_statements_total{kind="select",outcome="ok"}`:      "1",
		`zproxy_statements_total{kind="select",outcome="22"}`:      "1",
		`zproxy_statements_total{kind="insert",outcome="ok"}`:      "1",
		`zproxy_statement_seconds_count{kind="select"}`:            "2",
		`zproxy_statement_seconds_bucket{kind="select",le="+Inf"}`: "2",
		`zproxy_rows_returned_total`:                               "30",
		`zproxy_items_written_total`:                               "20",
		`zproxy_conflicts_total`:                                   "0",
		`zproxy_connections{state="idle in transaction"}`:          "1",
		`zproxy_connections{state="idle"}`:                         "0",
		`zproxy_connections_open`:                                  "1",
		`zproxy_connections_total`:                                 "1",
		`zproxy_authentication_failures_total`:                     "0",
	} {
		if got[sample] != want {
			t.Errorf("%s is %q, want %s", sample, got[sample], want)
		}
	}
	if got["go_goroutines"] == "" || got["zproxy_rows_read_total"] == "0" {
		t.Error("the runtime's metrics are missing, or rows that were read")
	}
	for sample := range got {
		if strings.HasPrefix(sample, "zproxy_store_") || strings.HasPrefix(sample, "zproxy_dynamodb_") {
			t.Errorf("a store in memory has %s", sample)
		}
	}
}

// TestPebble wants every measure of the store in the table, and none there that it lacks.
func TestPebble(t *testing.T) {
	st, err := pebblestore.Open(t.TempDir(), pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := served(t, st)
	got, count := scrape(t, s), 0
	for _, name := range metrics.Names() {
		if strings.HasPrefix(name, "zproxy_store_") {
			count++
			if got[name] == "" {
				t.Errorf("there is no %s", name)
			}
		}
	}
	if n := len(st.Measures()); n != count {
		t.Errorf("the store has %d measures, and the table %d", n, count)
	}
}

// TestDynamoDB has a store that refuses writes to one partition. The client learns which, and so do
// the metrics. The clock is a fake one, which the statement's timeout waits for and nothing else does.
func TestDynamoDB(t *testing.T) { synctest.Test(t, refuseWrites) }

func refuseWrites(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{})
	defer f.Close()
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: f.Client("")})
	if err != nil {
		t.Fatal(err)
	}
	s, conn := served(t, st)
	for _, sql := range []string{
		"CREATE TABLE t (tenant int, id int, PRIMARY KEY (tenant, id)) PARTITION BY HASH (tenant)",
		"CREATE TABLE u (id text PRIMARY KEY) WITH (shards = 4)",
		"SET statement_timeout = '200ms'",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	const reason = "TableWriteKeyRangeThroughputExceeded"
	f.SetFaults(dynamofake.Faults{Throttle: 1, Reasons: []string{reason},
		Only: func(r *dynamofake.Request) bool { return r.Op == "PutItem" }})
	for sql, want := range map[string]string{
		"INSERT INTO t VALUES (7, 1)":   `53400: too many requests for partition (tenant = 7) of table "t"`,
		"INSERT INTO u VALUES ('Oslo')": `53400: too many requests for partition (shard(id) = 2) of table "u"`,
	} {
		var e *pgconn.PgError
		if _, err := conn.Exec(t.Context(), sql); !errors.As(err, &e) || e.Code+": "+e.Message != want ||
			!strings.HasSuffix(e.Detail, "The store says: "+reason+".") {
			t.Errorf("%s: %+v, want %s", sql, e, want)
		}
	}
	got := scrape(t, s)
	for _, sample := range []string{
		`zproxy_dynamodb_hot_partitions{partition="partition (tenant = 7)",space="table \"t\""}`,
		`zproxy_dynamodb_hot_partitions{partition="partition (shard(id) = 2)",space="table \"u\""}`,
		`zproxy_dynamodb_attempts_total{operation="PutItem"}`,
		`zproxy_dynamodb_retries_total`, `zproxy_dynamodb_waited_seconds_total`,
	} {
		if got[sample] == "" || got[sample] == "0" {
			t.Errorf("%s is %q", sample, got[sample])
		}
	}
	for name := range st.Measures() {
		if got["zproxy_dynamodb_"+name] == "" && got["zproxy_dynamodb_"+name+"_total"] == "" && name != "in_flight" {
			t.Errorf("there is no metric of %s", name)
		}
	}
}
