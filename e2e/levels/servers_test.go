package levels

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"zproxy/cluster/fleet"
	"zproxy/internal/anomaly"
	"zproxy/internal/indextest"
	"zproxy/internal/pglocal"
	"zproxy/internal/testserver"
	"zproxy/session"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
	"zproxy/wire"
)

// TestMain wants no goroutine to be left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// levels are those that clients ask for.
var levels = []anomaly.Level{anomaly.ReadCommitted, anomaly.RepeatableRead, anomaly.Serializable}

// keeps is what a server makes of each level that clients ask for.
type keeps map[anomaly.Level]anomaly.Level

// kept is what is promised of each level, which is to be the level itself. What a store does not keep yet says so
// here: tests then want what the weaker level promises.
var (
	asNamed = keeps{anomaly.ReadCommitted: anomaly.ReadCommitted, anomaly.RepeatableRead: anomaly.RepeatableRead,
		anomaly.Serializable: anomaly.Serializable}
	// onDynamoDB what was read is looked at again.
	onDynamoDB = asNamed
)

// server is one that the tests run on.
type server struct {
	name   string
	keeps  keeps
	start  func(t testing.TB) (urls []string) // for as long as the test lasts; of several processes, if it is that
	zorder bool                               // it has Z-order indexes
	// waits says that read committed waits where it meets another transaction, and is never refused with 40001, but
	// for a change of the schema where processes share the store. Statements without a block never are, as what they
	// do is repeated elsewhere.
	waits bool
	// atomic says that a statement reads the rows of one moment. Otherwise it may miss one that is moved to another
	// key meanwhile, or find it twice.
	atomic  bool
	differs string // the file of its answers to schedules that are not those of PostgreSQL
}

var (
	postgres = server{name: "postgres", keeps: asNamed, waits: true, atomic: true, start: func(t testing.TB) []string {
		return []string{urlOf(pglocal.Start(t))}
	}}
	zproxies = []server{
		overStore("pebble", asNamed, false, openPebble),
		overStore("memory", asNamed, false, func(testing.TB) store.Store { return memstore.New(memstore.Options{}) }),
		overStore("fake", onDynamoDB, true, func(t testing.TB) store.Store { return openFake(t, newFake(), "", 0) }),
	}
	// processes are several on one store. They do not know of each other's locks.
	processes = server{name: "processes", keeps: onDynamoDB, zorder: true,
		start: func(t testing.TB) []string { return startProcesses(t, "off") }}
	// consistent are processes whose queries read until all is of one moment.
	consistent = server{name: "consistent processes", keeps: onDynamoDB, zorder: true, atomic: true,
		start: func(t testing.TB) []string { return startProcesses(t, "on") }}
)

// startProcesses starts several on one store. One commits all but single writes by intents.
func startProcesses(t testing.TB, consistent string) (urls []string) {
	// Pages are short and take their time, so that what others write comes between those of a statement.
	f := dynamofake.New(dynamofake.Options{PageItems: 4, Before: func(r *dynamofake.Request) {
		if (r.Op == "Query" || r.Op == "Scan") && !strings.Contains(r.Tables[0], "zproxy.catalog") {
			time.Sleep(time.Millisecond / 4)
		}
	}})
	indextest.AtEnd(t, openFake(t, f, "check", 0))
	for i, name := range []string{"a", "b", "c"} {
		st := openFake(t, f, name, []int{0, 0, 1}[i])
		t.Cleanup(func() { _ = st.Close() })
		urls = append(urls, serve(t, st, session.Options{Shared: true,
			Settings: map[string]string{"zproxy.consistent_statements": consistent},
			Fleet:    fleet.Options{Renew: 20 * time.Millisecond}}))
	}
	return urls
}

// serve runs a zproxy on a store, in which queries may read whole tables.
func serve(t testing.TB, st store.Store, o session.Options) (url string) {
	settings := map[string]string{"zproxy.full_scan": "allow"}
	maps.Copy(settings, o.Settings)
	o.Settings = settings
	return urlOf(testserver.Start(t, st, o, wire.Options{}).Address)
}

func urlOf(address string) string {
	return "postgres://postgres@" + address + "/postgres?sslmode=disable"
}

func newFake() *dynamofake.Fake { return dynamofake.New(dynamofake.Options{}) }

// overStore is a zproxy on an empty store. When the test ends, indexes are compared with rows.
func overStore(name string, k keeps, shared bool, open func(testing.TB) store.Store) server {
	differs := "embedded"
	if shared {
		differs = "dynamodb"
	}
	return server{name: name, keeps: k, differs: differs, zorder: true, waits: true, atomic: !shared,
		start: func(t testing.TB) []string {
			st := open(t)
			indextest.AtEnd(t, st)
			return []string{serve(t, st, session.Options{Shared: shared})}
		}}
}

func openPebble(t testing.TB) store.Store {
	t.Helper()
	st, err := pebblestore.Open("db", pebblestore.Options{FS: vfs.NewMem(), CacheBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// openFake is a client of a fake, which writes so many items by one request; 0: as many as DynamoDB takes.
func openFake(t testing.TB, f *dynamofake.Fake, name string, together int) store.Store {
	t.Helper()
	st, err := dynamostore.Open(t.Context(), dynamostore.Options{Region: "us-east-1",
		Endpoint: "http://127.0.0.1:1", HTTPClient: f.Client(name), MostTogether: together})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// connect opens a connection that lasts as long as the test. Deadlocks are found soon, where the server has a setting
// for that.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) })
	_, _ = c.Exec(ctx, "SET deadlock_timeout = '20ms'")
	return c
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
