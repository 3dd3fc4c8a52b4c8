package e2e

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/goleak"

	"zproxy/internal/indextest"
	"zproxy/internal/pglocal"
	"zproxy/internal/testserver"
	"zproxy/session"
	"zproxy/session/settings"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/dynamostore/dynamolocal"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
	"zproxy/wire"
)

var (
	record = flag.Bool("record", false, "write into testdata/postgres what a PostgreSQL 15 of this machine answers")
	cache  = flag.String("statement-cache", string(settings.CacheRepeated),
		"the zproxy.statement_cache of servers; always has each statement planned for its shape")
)

// TestMain wants no goroutine to be left, but for those of DynamoDB Local, which lives as
// long as the process, and of connections to it, which the SDK keeps.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("zproxy/store/dynamostore/dynamolocal.run.func1"),
		goleak.IgnoreAnyFunction("os/exec.(*Cmd).Start.func2"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// kind is a store that tests run on.
type kind struct {
	name   string
	open   func(t testing.TB) store.Store
	shared bool // by other processes, as far as a server knows
}

var (
	inMemory  = kind{name: "memory", open: func(testing.TB) store.Store { return memstore.New(memstore.Options{}) }}
	unordered = kind{name: "unordered",
		open: func(testing.TB) store.Store { return memstore.New(memstore.Options{Unordered: true}) }}
	onPebble = kind{name: "pebble", open: func(t testing.TB) store.Store { return openPebble(t, vfs.NewMem()) }}
	kinds    = []kind{inMemory, unordered, onPebble}
)

// onDynamoDB is the emulator, with tables of this opening alone.
var onDynamoDB = kind{name: "dynamodb", shared: true, open: func(t testing.TB) store.Store {
	t.Helper()
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: dynamolocal.Start(t), TablePrefix: fmt.Sprintf("e2e%d", time.Now().UnixNano())})
	if err != nil {
		t.Fatal(err)
	}
	return st
}}

// onFake is DynamoDB in this process.
var onFake = fakeOf("fake", dynamofake.Options{})

func fakeOf(name string, o dynamofake.Options) kind {
	return kind{name: name, shared: true, open: func(t testing.TB) store.Store {
		t.Helper()
		st, err := dynamostore.Open(t.Context(), dynamostore.Options{Region: "us-east-1",
			Endpoint: "http://127.0.0.1:1", HTTPClient: dynamofake.New(o).Client("")})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}}
}

func openPebble(t testing.TB, fs vfs.FS) store.Store {
	t.Helper()
	st, err := pebblestore.Open("db", pebblestore.Options{FS: fs, CacheBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// onEvery runs a test on a server over each kind of store.
func onEvery(t *testing.T, test func(t *testing.T, s *server)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { test(t, openDB(t, k)) })
	}
}

// server is a zproxy that listens on this machine.
type server struct {
	store   store.Store
	address string
	stop    func() // may be called before the test ends
}

// openDB starts a server on an empty store. When the test ends, the indexes of all
// tables are compared with their rows.
func openDB(t testing.TB, k kind) *server {
	t.Helper()
	st := k.open(t)
	indextest.AtEnd(t, st)
	return serve(t, st, session.Options{Shared: k.shared})
}

// serve starts a server on a store, for as long as the test lasts.
func serve(t testing.TB, st store.Store, o session.Options) *server {
	t.Helper()
	return serveWire(t, st, o, wire.Options{})
}

// serveWire is serve with options of the protocol. Sessions may read whole tables on every store.
func serveWire(t testing.TB, st store.Store, o session.Options, w wire.Options) *server {
	t.Helper()
	o.Settings = map[string]string{"zproxy.full_scan": "allow", "zproxy.statement_cache": *cache}
	s := testserver.Start(t, st, o, w)
	return &server{store: st, address: s.Address, stop: s.Stop}
}

func (s *server) url() string {
	return fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", s.address)
}

// connect opens a connection that lasts as long as the test.
func (s *server) connect(t testing.TB) *pgx.Conn {
	t.Helper()
	return connect(t, s.url())
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) })
	return c
}

// connectPostgres starts a PostgreSQL and connects to it.
func connectPostgres(t testing.TB) *pgconn.PgConn {
	t.Helper()
	return connect(t, "postgres://postgres@"+pglocal.Start(t)+"/postgres?sslmode=disable").PgConn()
}

// must runs statements that cannot fail.
func must(t testing.TB, c *pgx.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := c.PgConn().Exec(context.Background(), sql).ReadAll(); err != nil {
			t.Fatalf("%s\n%v", sql, err)
		}
	}
}
