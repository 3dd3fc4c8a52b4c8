package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/session"
	"zproxy/store"
	"zproxy/types"
	"zproxy/wire"
)

// buggy is a store with a bug that shows at one of the calls of its transactions.
type buggy struct {
	store.Store
	left     atomic.Int64 // calls until then
	inCommit atomic.Bool
}

func (b *buggy) step(commit bool) {
	if b.left.Add(-1) == 0 {
		b.inCommit.Store(commit)
		panic("a bug")
	}
}

// Begin implements store.Store.
func (b *buggy) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	b.step(false)
	txn, err := b.Store.Begin(ctx, m)
	return &buggyTxn{txn, b}, err
}

type buggyTxn struct {
	store.Txn
	b *buggy
}

// Scan implements store.Txn.
func (t *buggyTxn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	t.b.step(false)
	return t.Txn.Scan(ctx, s, r)
}

// Get implements store.Txn.
func (t *buggyTxn) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	t.b.step(false)
	return t.Txn.Get(ctx, s, g, out)
}

// Put implements store.Txn.
func (t *buggyTxn) Put(s *store.Space, item store.Item, g store.Guard) error {
	t.b.step(false)
	return t.Txn.Put(s, item, g)
}

// Commit implements store.Txn.
func (t *buggyTxn) Commit(ctx context.Context) error {
	t.b.step(true)
	return t.Txn.Commit(ctx)
}

// buggySteps are what a client sends, one message or several at a time.
var buggySteps = []func(ctx context.Context, c *pgconn.PgConn) error{
	simply("SELECT count(*), max(a) FROM t"),
	simply("INSERT INTO t SELECT g, g FROM generate_series(1000, 1002) g"),
	simply("BEGIN; UPDATE t SET a = a + 1 WHERE id < 3; DELETE FROM t WHERE id = 3; COMMIT"),
	func(ctx context.Context, c *pgconn.PgConn) error {
		r := c.ExecParams(ctx, "SELECT a FROM t WHERE id = $1", [][]byte{[]byte("7")}, nil, nil, []int16{1}).Read()
		return r.Err
	},
	func(ctx context.Context, c *pgconn.PgConn) error {
		r := c.ExecParams(ctx, "UPDATE t SET a = 0 WHERE id = $1 RETURNING a", [][]byte{[]byte("7")}, nil, nil,
			nil).Read()
		return r.Err
	},
	func(ctx context.Context, c *pgconn.PgConn) error {
		_, err := c.CopyTo(ctx, io.Discard, "COPY t TO STDOUT")
		return err
	},
	simply("BEGIN; DECLARE k CURSOR FOR SELECT * FROM t; FETCH 2 FROM k; FETCH ALL FROM k; COMMIT"),
}

func simply(sql string) func(context.Context, *pgconn.PgConn) error {
	return func(ctx context.Context, c *pgconn.PgConn) error {
		_, err := c.Exec(ctx, sql).ReadAll()
		return err
	}
}

// TestBugEndsOnlyTheStatement lets the store panic at each call in turn. The statement fails, the
// connection goes on, unless it was committing, and no other connection waits for what it had.
func TestBugEndsOnlyTheStatement(t *testing.T) {
	st := &buggy{Store: inMemory.open(t)}
	s := serveWire(t, st, session.Options{}, wire.Options{Log: slog.New(slog.DiscardHandler)})
	other := s.connect(t)
	must(t, other, "CREATE TABLE t (id int PRIMARY KEY, a int)", "CREATE INDEX t_a ON t (a)",
		"INSERT INTO t SELECT g, g FROM generate_series(1, 20) g")
	for i, step := range buggySteps {
		for call := int64(1); ; call++ {
			st.inCommit.Store(false)
			st.left.Store(call)
			showed, err := s.meetBug(t, st, step)
			st.left.Store(0)
			if err != nil {
				t.Fatalf("step %d, bug at call %d: %v", i, call, err)
			}
			must(t, other, "SET lock_timeout = '5s'; UPDATE t SET a = a WHERE id <= 7; DELETE FROM t WHERE id >= 1000")
			if !showed {
				break
			}
		}
	}
}

// meetBug takes a step on a connection of its own, and says whether the bug showed.
func (s *server) meetBug(t *testing.T, st *buggy, step func(context.Context, *pgconn.PgConn) error) (showed bool,
	err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	conn := s.connect(t)
	defer func() { _ = conn.Close(ctx) }()
	c := conn.PgConn()
	err = step(ctx, c)
	if st.left.Load() > 0 {
		return false, err
	}
	var e *pgconn.PgError
	switch {
	case !errors.As(err, &e) || e.Code != "XX000":
		return true, fmt.Errorf("the step gave %w", err)
	case st.inCommit.Load() && e.Severity == "FATAL":
		return true, nil
	case st.inCommit.Load() || e.Severity != "ERROR":
		return true, fmt.Errorf("severity %s, committing %v", e.Severity, st.inCommit.Load())
	}
	_, err = c.Exec(ctx, "ROLLBACK; SELECT 1").ReadAll()
	return true, err
}

// TestBugInBuildEndsTheBuild lets the store panic at each call of the build of an index in turn, which goes on in a
// goroutine of its own. A session that waits for it is told, and the index can be made anew.
func TestBugInBuildEndsTheBuild(t *testing.T) {
	st := &buggy{Store: inMemory.open(t)}
	s := serveWire(t, st, session.Options{Log: slog.New(slog.DiscardHandler)},
		wire.Options{Log: slog.New(slog.DiscardHandler)})
	other := s.connect(t)
	must(t, other, "CREATE TABLE t (id int PRIMARY KEY, a int)",
		"INSERT INTO t SELECT g, g FROM generate_series(1, 20) g")
	answered := 0
	for call := int64(1); ; call++ {
		st.left.Store(call)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		conn := s.connect(t).PgConn()
		_, err := conn.Exec(ctx, "CREATE INDEX CONCURRENTLY t_a ON t (a)").ReadAll()
		showed := st.left.Load() <= 0
		st.left.Store(0)
		var e *pgconn.PgError
		switch {
		case err == nil && !showed:
			if answered == 0 {
				t.Error("no bug was told of")
			}
			cancel()
			return
		case err != nil && !errors.As(err, &e):
			t.Fatalf("bug at call %d: %v", call, err)
		case err != nil:
			answered++
		}
		cancel()
		must(t, other, "SET lock_timeout = '5s'; DROP INDEX IF EXISTS t_a; UPDATE t SET a = a WHERE id = 1")
	}
}
