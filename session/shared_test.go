package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/catalog/catalogstore"
	"zproxy/catalog/large"
	"zproxy/cluster"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// process is a DB that shares a DynamoDB with others, and can be frozen: its requests then
// neither leave nor end, and whether they still want to leave when it thaws is up to their context.
type process struct {
	*DB
	store *dynamostore.Store
	next  *dynamofake.Client

	mu     sync.Mutex
	thawed chan struct{} // nil: it is not frozen
	count  int           // requests so far
	stopAt int           // before which request it freezes by itself; 0: never
	deaf   bool          // requests about the catalog fail
	blind  int           // so many requests do not find tables but the catalog
}

// Do implements aws.HTTPClient.
func (p *process) Do(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	if p.count++; p.count == p.stopAt {
		p.thawed = make(chan struct{})
	}
	thawed, deaf, blind := p.thawed, p.deaf, p.blind > 0 && !aboutCatalog(r)
	if blind {
		p.blind--
	}
	p.mu.Unlock()
	switch {
	case deaf && aboutCatalog(r):
		return nil, io.ErrUnexpectedEOF
	case blind:
		body := io.NopCloser(strings.NewReader(`{"__type": "ResourceNotFoundException", "message": "it is a test"}`))
		return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: body, Request: r}, nil
	}
	if thawed != nil {
		<-thawed
	}
	return p.next.Do(r)
}

// aboutCatalog says whether a request is about the table of the catalog.
func aboutCatalog(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && bytes.Contains(body, []byte("zproxy.catalog"))
}

func (p *process) setDeaf(deaf bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = deaf
}

// freezeIn lets the process freeze before some request from now on.
func (p *process) freezeIn(requests int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopAt = p.count + requests
}

func (p *process) frozen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.thawed != nil
}

// asked is how many requests there were so far.
func (p *process) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *process) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopAt = 0; p.thawed != nil {
		close(p.thawed)
		p.thawed = nil
	}
}

// joined starts a process on a fake. The one named b commits all but single writes by intents.
func joined(t *testing.T, f *dynamofake.Fake, name string) *process {
	t.Helper()
	p := &process{next: f.Client(name)}
	var err error
	if p.store, err = dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: p,
			MostTogether: map[string]int{"b": 1}[name]}); err != nil {
		t.Fatal(err)
	}
	if p.DB, err = Open(t.Context(), p.store, Options{Shared: true,
		Settings: map[string]string{"zproxy.full_scan": "allow", "zproxy.advice": "off"}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.thaw()
		p.DB.Close()
		_ = p.store.Close()
	})
	return p
}

// agreesWithRows fails where an index does not hold what the rows of its table say.
func (p *process) agreesWithRows(t *testing.T) {
	t.Helper()
	for f, err := range p.Checker().All(context.WithoutCancel(t.Context()), false) {
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("index %s: %s: key %s, row %s. %s", f.Name, f.Class, f.Key, f.Row, f.Detail)
	}
}

// TestSchemaElsewhere holds that what one process makes another one knows at once or soon.
func TestSchemaElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		a, b := connect(t, joined(t, f, "a").DB, "joe"), connect(t, joined(t, f, "b").DB, "joe")
		accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)")
		accepted(t, b, "INSERT INTO t VALUES (1, 10)", "CREATE INDEX x ON t (a)")
		accepted(t, a, "INSERT INTO t VALUES (2, 20)", "ALTER TABLE t ADD COLUMN c text DEFAULT 'new'")
		if got := answer(t, b, "SELECT id, c FROM t WHERE a >= 10 ORDER BY a"); !slices.Equal(got,
			[]string{"1 new", "2 new"}) {
			t.Errorf("rows: %v", got)
		}
		accepted(t, b, "CREATE UNIQUE INDEX u ON t (c, id)", "DROP INDEX x")
		time.Sleep(2 * time.Second)
		accepted(t, a, "UPDATE t SET c = 'x' WHERE id = 2", "DROP TABLE t")
		time.Sleep(2 * time.Second)
		refused(t, b, "SELECT * FROM t", sqlerr.UndefinedTable)
	})
}

// TestWritersElsewhere holds that a change of a table waits for transactions of other
// processes that write to it, and they for the change.
func TestWritersElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
		accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)")
		accepted(t, b, "BEGIN", "INSERT INTO t VALUES (1, 1)")
		accepted(t, a, "CREATE INDEX x ON t (a)") // it need not wait, but the commit must not miss it
		refused(t, b, "COMMIT", sqlerr.SerializationFailure)
		accepted(t, b, "BEGIN", "INSERT INTO t VALUES (1, 1)")
		accepted(t, a, "CREATE INDEX y ON t (a, id) ASYNC")
		time.Sleep(time.Minute)
		if got := answer(t, connect(t, pb.DB, "joe"),
			"SELECT state FROM zproxy.indexes WHERE indexname = 'y'"); !slices.Equal(got, []string{"queued"}) {
			t.Errorf("the index is %v beside a transaction that began without it", got)
		}
		if got := answer(t, connect(t, pb.DB, "joe"), "SHOW INDEX FROM t"); len(got) != 3 ||
			!strings.HasSuffix(got[2], "QUEUED") {
			t.Errorf("SHOW INDEX: %v", got)
		}
		accepted(t, b, "COMMIT")
		time.Sleep(time.Minute)
		reached(t, b, "y", "public")
		pa.agreesWithRows(t)
	})
}

// TestFreezeAgain holds that a table which others have not let go of in time is not taken for frozen when
// its transaction tries again.
func TestFreezeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
		accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)")
		accepted(t, b, "BEGIN", "INSERT INTO t VALUES (1, 1)")
		pb.setDeaf(true)
		accepted(t, a, "BEGIN", "SET LOCAL lock_timeout = '1s'", "SAVEPOINT s")
		refused(t, a, "CREATE INDEX x ON t (a)", sqlerr.LockNotAvailable)
		accepted(t, a, "ROLLBACK TO s", "SET LOCAL lock_timeout = 0", "CREATE INDEX x ON t (a)", "COMMIT")
		if err := ask(t, b, "COMMIT"); err == nil {
			t.Error("a row is committed without its entry")
		}
		pb.setDeaf(false)
		time.Sleep(time.Minute)
		pa.agreesWithRows(t)
	})
}

// TestClose holds that a process leaves the others when it ends, also where they keep it from
// dropping what it has to drop.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
		accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)", "CREATE TABLE u (id int PRIMARY KEY)")
		accepted(t, b, "BEGIN", "SELECT * FROM u")
		accepted(t, a, "DROP TABLE t")
		a.Close()
		pa.DB.Close()
		if living, err := pb.Living(t.Context()); err != nil || len(living) != 1 {
			t.Errorf("members: %v, %v", living, err)
		}
		accepted(t, b, "COMMIT")
		time.Sleep(time.Minute)
		pb.owesNothing(t)
	})
}

// TestPendingDropAhead holds that a space is dropped for a change of the schema also where the process does not yet
// go by the change when it looks: so it is between a commit and what comes behind it.
func TestPendingDropAhead(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{})
	p := joined(t, f, "a")
	s := connect(t, p.DB, "joe")
	accepted(t, s, "CREATE TABLE t (id int PRIMARY KEY)")
	before := p.Snapshot()
	accepted(t, s, "CREATE TABLE u (id int PRIMARY KEY)") // in whose version t is thought to be no more
	space := before.Table("public", "t").TableSpace()
	d := catalogstore.PendingDrop{Space: uint64(space.ID), Name: space.Name, Sorted: space.Sorted, Member: p.MemberID(),
		Version: p.Snapshot().Version()}
	if err := p.InOwnTxn(t.Context(), func(txn store.Txn) error {
		return catalogstore.PutPendingDrop(txn,
			d)
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.DropPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	spaces, err := p.Store.Spaces(t.Context())
	if err != nil || slices.ContainsFunc(spaces, func(o store.Space) bool { return o.Name == space.Name }) {
		t.Errorf("the space is still there: %v", err)
	}
}

// TestDeafProcess lets a process lose sight of the catalog while a transaction of it is open, so that
// others take it for dead and change the table. The transaction must not be committed then, nor
// be read in.
func TestDeafProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a, b, c := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe"), connect(t, pb.DB, "joe")
		accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
		accepted(t, b, "BEGIN", "UPDATE t SET a = 5 WHERE id = 1")
		accepted(t, c, "BEGIN", "SELECT * FROM t")
		pb.setDeaf(true)
		accepted(t, a, "CREATE INDEX x ON t (a)", "UPDATE t SET a = 3 WHERE id = 2")
		for _, s := range []*Session{b, c} {
			if err := ask(t, s, map[*Session]string{b: "COMMIT", c: "SELECT * FROM t"}[s]); err == nil {
				t.Error("a process that others take for dead goes on")
			}
		}
		pb.setDeaf(false)
		time.Sleep(time.Minute)
		accepted(t, c, "ROLLBACK")
		accepted(t, b, "UPDATE t SET a = 7 WHERE id = 1")
		pa.agreesWithRows(t)
	})
}

// TestFrozenProcess freezes a process for a minute while it writes rows, before each of its
// requests in turn, while another one changes the table in ways of which it then knows nothing.
func TestFrozenProcess(t *testing.T) {
	changes := map[string]string{
		"index": "CREATE INDEX x ON t (a)", "states": "CREATE INDEX x ON t (a) ASYNC",
		"column": "ALTER TABLE t DROP COLUMN a", "truncate": "TRUNCATE t",
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			at := 1
			defer func() { t.Logf("frozen before each of %d requests", at-2) }()
			for last := false; !last; at++ {
				synctest.Test(t, func(t *testing.T) { last = freezeWriter(t, change, at) })
				if t.Failed() {
					t.Fatalf("frozen before request %d", at)
				}
			}
		})
	}
}

// freezeWriter says whether the writer was done before it could freeze.
func freezeWriter(t *testing.T, change string, at int) bool {
	f := dynamofake.New(dynamofake.Options{})
	pa, pb := joined(t, f, "a"), joined(t, f, "b")
	a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
	accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
	accepted(t, b, "SELECT * FROM t")
	pb.freezeIn(at)
	ended := make(chan error, 1)
	go func() {
		ended <- b.Query(t.Context(), "UPDATE t SET a = a + 1 WHERE id = 1; INSERT INTO t VALUES (3, 3)", &silent{})
	}()
	synctest.Wait()
	done := !pb.frozen()
	accepted(t, a, change)
	time.Sleep(time.Minute)
	pb.thaw()
	if err := <-ended; err != nil && (done || !explained(err)) {
		t.Errorf("the writer: %v", err)
	}
	time.Sleep(time.Minute)
	if strings.Contains(change, "INDEX") {
		reached(t, b, "x", "public")
	}
	accepted(t, b, "INSERT INTO t VALUES (4)")
	pa.agreesWithRows(t)
	return done
}

// explained says whether an error tells a client what it needs to know.
func explained(err error) bool {
	code := sqlerr.From(err).Code
	return slices.Contains([]sqlerr.Code{sqlerr.SerializationFailure, sqlerr.StatementCompletionUnknown,
		sqlerr.UndefinedColumn, sqlerr.IOError}, code)
}

// TestDeadBuilder lets the process that builds an index die before each of its requests in turn.
// Another one goes on with the build, and with what else was left.
func TestDeadBuilder(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	at := 1
	defer func() { t.Logf("dead before each %dth of %d requests", step, at-step) }()
	for last := false; !last; at += step {
		synctest.Test(t, func(t *testing.T) { last = killBuilder(t, at) })
		if t.Failed() {
			t.Fatalf("dead before request %d", at)
		}
	}
}

// killBuilder says whether the index was there before its builder could die.
func killBuilder(t *testing.T, at int) bool {
	f := dynamofake.New(dynamofake.Options{})
	pa, pb := joined(t, f, "a"), joined(t, f, "b")
	a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
	accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)")
	for i := range 3 {
		accepted(t, a, fmt.Sprintf("INSERT INTO t SELECT i, i FROM generate_series(%d, %d) i", 50*i, 50*i+49))
	}
	accepted(t, b, "SELECT * FROM t LIMIT 1")
	pa.freezeIn(at)
	go func() { _ = a.Query(context.WithoutCancel(t.Context()), "CREATE INDEX x ON t (a) ASYNC", &silent{}) }()
	synctest.Wait()
	for i := range 10 {
		accepted(t, b, fmt.Sprintf("UPDATE t SET a = a + 1 WHERE id = %d", 7*i))
		time.Sleep(time.Second)
	}
	died := pa.frozen()
	var got []string
	becomes(3*time.Minute, func() bool {
		got = answer(t, b, "SELECT state FROM zproxy.indexes WHERE indexname = 'x'")
		return slices.Equal(got, []string{"public"})
	})
	if len(got) > 0 && got[0] != "public" { // it may not have come to be
		t.Errorf("the index is %v: %v", got, answer(t, b, "SELECT * FROM zproxy.index_builds"))
	}
	pb.agreesWithRows(t)
	pa.thaw()
	time.Sleep(20 * time.Second) // it does what it had in mind, unless it notices that it was evicted
	becomes(3*time.Minute, func() bool { return len(pb.unowned(t)) == 0 })
	accepted(t, b, "DELETE FROM t WHERE id < 5")
	accepted(t, connect(t, pa.DB, "joe"), "UPDATE t SET a = 0 WHERE id = 100")
	pb.agreesWithRows(t)
	pb.owesNothing(t)
	return !died
}

// TestBuildGoesOn holds that a build of an index does not fail because a space is not there for a moment, nor
// because of what meets a process that does not build it any more.
func TestBuildGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a, b := connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
		accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)",
			"INSERT INTO t SELECT i, i FROM generate_series(1, 40) i")
		accepted(t, b, "BEGIN", "SELECT * FROM t") // it has to wait for that
		accepted(t, a, "CREATE INDEX x ON t (a) ASYNC")
		index := pa.Snapshot().Table("public", "t").Index("x").ID
		if err := pb.builds.Fail(t.Context(), index, sqlerr.New(sqlerr.DataException, "it is a test")); err != nil {
			t.Fatal(err)
		}
		pa.mu.Lock()
		pa.blind = 5
		pa.mu.Unlock()
		accepted(t, b, "COMMIT")
		time.Sleep(time.Minute)
		reached(t, b, "x", "public")
		pa.agreesWithRows(t)
	})
}

// TestIdleTransaction holds that a transaction which stays open for long, though spaces are not dropped and
// builds of indexes do not go on beside it, keeps no process from taking over the build of a dead one; and
// that who does not wait for a build any more asks for it no more.
func TestIdleTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a, idle, b := connect(t, pa.DB, "joe"), connect(t, pa.DB, "joe"), connect(t, pb.DB, "joe")
		accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE u (id int PRIMARY KEY, a int)")
		accepted(t, idle, "BEGIN", "SELECT * FROM u")
		accepted(t, a, "DROP TABLE t")
		accepted(t, b, "CREATE INDEX x ON u (a) ASYNC")
		index := pb.Snapshot().Table("public", "u").Index("x").ID
		accepted(t, a, "SET statement_timeout = '2s'")
		time.Sleep(2 * time.Second)
		refused(t, a, "SELECT zproxy.wait_for_index('u', 'x')", sqlerr.QueryCanceled)
		before := pa.asked()
		time.Sleep(10 * time.Second)
		if n := pa.asked() - before; n > 40 {
			t.Errorf("%d requests in ten seconds of doing nothing", n)
		}
		pb.freezeIn(1)
		time.Sleep(3 * time.Minute)
		if build, err := pa.ReadBuild(t.Context(), index); err != nil || build == nil || build.Owner != pa.MemberID() {
			t.Errorf("no process has taken over the build: %+v, %v", build, err)
		}
		accepted(t, idle, "COMMIT")
		time.Sleep(time.Minute)
		reached(t, a, "x", "public")
		pa.owesNothing(t)
	})
}

// becomes waits until something is so, for some time at the most.
func becomes(most time.Duration, so func() bool) {
	for until := time.Now().Add(most); !so() && time.Now().Before(until); {
		time.Sleep(5 * time.Second)
	}
}

// owesNothing fails where there are spaces that the catalog does not own.
func (p *process) owesNothing(t *testing.T) {
	t.Helper()
	for _, name := range p.unowned(t) {
		t.Errorf("no table owns the space %s", name)
	}
}

// unowned are the spaces that the catalog does not own.
func (p *process) unowned(t *testing.T) (names []string) {
	t.Helper()
	owned := map[uint64]bool{}
	for _, table := range p.Whole().Tables() {
		for _, s := range cluster.SpacesOf(table) {
			owned[uint64(s.ID)] = true
		}
	}
	spaces, err := p.Store.Spaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range spaces {
		if !owned[uint64(s.ID)] && s.ID != catalogstore.SpaceID && s.ID != large.SpaceID {
			names = append(names, s.Name)
		}
	}
	return names
}
