package e2e

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// endless are statements that take minutes, nearly all of it within calls of one function, or that
// wait for a client that does not read.
var endless = []struct {
	name, sql string
	silent    bool // the client reads nothing until the statement has ended
}{
	{"set of pieces", "SELECT count(*) FROM generate_series(1, 1000) i, regexp_split_to_table(repeat('x,', 50000000) || i, ',')", false},
	{"template", "SELECT count(to_char(timestamp '2024-01-01' + i * interval '1 s', repeat('HH24:MI ', 1300000))) FROM generate_series(1, 10000) i", false},
	{"digits", "SELECT count(ln(repeat('9', 100000)::numeric + i)) FROM generate_series(1, 10000) i", false},
	{"array", "SELECT count(string_to_array(repeat('x,', 5000000) || i, ',')) FROM generate_series(1, 10000) i", false},
	{"bytes", "SELECT count(encode((repeat('x', 100000000) || i)::bytea, 'base64')) FROM generate_series(1, 10000) i", false},
	{"silent client", "SELECT repeat('x', 1000) || i FROM generate_series(1, 100000000) i", true},
	{"silent client, one row", "SELECT repeat('x', 200000000)", true},
}

// endingTimeout is the statement_timeout of those that it ends, endingGrace what the test server leaves
// to statements at its end, and endingBound how long anything is waited for.
const (
	endingTimeout = 100 * time.Millisecond
	endingGrace   = time.Second
	endingBound   = 20 * time.Second
)

// endings are the ways in which a statement ends before it is done.
var endings = []struct {
	name, code string
	end        func(s *server, watcher *pgx.Conn, c *pgconn.PgConn) error // nil: it is due by itself
	wait       time.Duration                                              // until it has an effect
}{
	{"timeout", "57014", nil, endingTimeout},
	{"cancel", "57014", func(_ *server, _ *pgx.Conn, c *pgconn.PgConn) error {
		return c.CancelRequest(context.Background())
	}, 0},
	{"terminate", "57P01", func(_ *server, watcher *pgx.Conn, c *pgconn.PgConn) error {
		_, err := watcher.Exec(context.Background(), "SELECT pg_terminate_backend($1)", int64(c.PID()))
		return err
	}, 0},
	{"shutdown", "57P01", func(s *server, _ *pgx.Conn, _ *pgconn.PgConn) error {
		s.stop() // returns once all statements have ended
		return nil
	}, endingGrace},
}

// TestStatementsEnd wants each way to end a statement to end each statement that takes long, with its
// code. The bound is far below what they take and far above what an ending takes; -cancel measures that.
func TestStatementsEnd(t *testing.T) {
	for _, how := range endings {
		for _, what := range endless {
			t.Run(how.name+"/"+what.name, func(t *testing.T) {
				s := openDB(t, inMemory)
				watcher, c := s.connect(t), s.connect(t).PgConn()
				prepareEnding(t, c, how.end == nil)
				began := time.Now()
				answer, result := c.Exec(context.Background(), what.sql), make(chan error, 1)
				if !what.silent {
					go func() { result <- answer.Close() }()
				}
				if how.end != nil {
					waitActive(t, watcher, c.PID(), true)
					time.Sleep(endingTimeout) // to be within the function
					began = time.Now()
					if err := how.end(s, watcher, c); err != nil {
						t.Fatal(err)
					}
				}
				if what.silent {
					waitActive(t, watcher, c.PID(), false)
					go func() { result <- answer.Close() }()
				}
				select {
				case err := <-result:
					checkEnded(t, err, how.code, what.silent)
				case <-time.After(endingBound):
					t.Fatal("the statement goes on")
				}
				if late := time.Since(began) - how.wait; *cancelFlag && late > 200*time.Millisecond {
					t.Logf("%v late", late.Round(time.Millisecond))
				}
			})
		}
	}
}

// prepareEnding sets up a session. What functions make for a batch of rows may be more than there is,
// since nothing keeps it.
func prepareEnding(t *testing.T, c *pgconn.PgConn, timeout bool) {
	t.Helper()
	sql := "SET zproxy.statement_memory = '1000GB'"
	if timeout {
		sql += "; SET statement_timeout = '" + endingTimeout.String() + "'"
	}
	if _, err := c.Exec(context.Background(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// waitActive waits until a session runs a statement, or runs none. At the end of the server none does.
func waitActive(t *testing.T, watcher *pgx.Conn, pid uint32, want bool) {
	t.Helper()
	const sql = "SELECT count(*) > 0 FROM pg_stat_activity WHERE pid = $1 AND state = 'active'"
	for until := time.Now().Add(endingBound); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		active := false
		err := watcher.QueryRow(context.Background(), sql, int64(pid)).Scan(&active)
		if active == want && (err == nil || watcher.IsClosed()) {
			return
		}
	}
	t.Fatalf("active is %v", !want)
}

// checkEnded looks at how a client learns that its statement has ended. One whose message was cut short
// learns nothing but the end of its connection.
func checkEnded(t *testing.T, err error, code string, silent bool) {
	t.Helper()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e) && e.Code == code:
	case silent && errors.Is(err, io.ErrUnexpectedEOF):
	default:
		t.Errorf("ended with %v, want %s", err, code)
	}
}
