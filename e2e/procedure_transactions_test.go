package e2e

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestProcedureCommits has a procedure wait between its transactions: others see what it has committed, and are
// notified.
func TestProcedureCommits(t *testing.T) {
	db := openDB(t, inMemory)
	c := db.connect(t)
	must(t, c, "CREATE TABLE done (i int)", `CREATE PROCEDURE steps() LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO done VALUES (1); NOTIFY steps, 'first'; COMMIT;
		INSERT INTO done VALUES (2); NOTIFY steps, 'second'; ROLLBACK;
		INSERT INTO done VALUES (3); PERFORM pg_advisory_lock(1); END $$`)
	listener := db.connect(t)
	must(t, listener, "LISTEN steps", "SELECT pg_advisory_lock(1)")
	called := make(chan error, 1)
	go func() {
		_, err := c.Exec(t.Context(), "CALL steps()")
		called <- err
	}()
	got, err := listener.WaitForNotification(t.Context())
	if err != nil || got.Payload != "first" {
		t.Fatalf("got %v, %v", got, err)
	}
	ask := func(want string) {
		t.Helper()
		if got := scalar(t.Context(), listener.PgConn(), "SELECT array_agg(i ORDER BY i) FROM done"); got != want {
			t.Errorf("done: %s, want %s", got, want)
		}
	}
	ask("{1}")
	must(t, listener, "SELECT pg_advisory_unlock(1)")
	if err := <-called; err != nil {
		t.Fatal(err)
	}
	ask("{1,3}")
}

// TestProcedureCommitsExtended calls a procedure that commits by the extended protocol, also from a portal that is read
// in parts.
func TestProcedureCommitsExtended(t *testing.T) {
	c := openDB(t, inMemory).connect(t)
	must(t, c, `CREATE PROCEDURE counts(INOUT n int) LANGUAGE plpgsql AS
		$$ BEGIN n := n + 1; COMMIT; n := n * 2; ROLLBACK; END $$`)
	for want, given := range map[int]int{10: 4, 12: 5} {
		var got int
		if err := c.QueryRow(t.Context(), "CALL counts($1)", given).Scan(&got); err != nil || got != want {
			t.Errorf("counts(%d) = %d, %v", given, got, err)
		}
	}
	tx, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var e *pgconn.PgError
	if _, err := tx.Exec(t.Context(), "CALL counts($1)", 1); !errors.As(err, &e) || e.Code != "2D000" {
		t.Errorf("in a block: %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestProcedureIsNotRepeated has another session write what the second transaction of a procedure writes: that fails,
// and what the first one did is there once.
func TestProcedureIsNotRepeated(t *testing.T) {
	db := openDB(t, inMemory)
	c, other := db.connect(t), db.connect(t)
	must(t, c, "CREATE TABLE done (i int)", "CREATE TABLE one (x int PRIMARY KEY, n int)",
		"INSERT INTO one VALUES (1, 0)",
		`CREATE PROCEDURE steps() LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO done VALUES (1); COMMIT; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
		PERFORM n FROM one; PERFORM pg_advisory_lock(1); UPDATE one SET n = n + 1; END $$`)
	must(t, other, "SELECT pg_advisory_lock(1)")
	called := make(chan error, 1)
	go func() {
		_, err := c.Exec(t.Context(), "CALL steps()")
		called <- err
	}()
	for scalar(t.Context(), other.PgConn(), "SELECT count(*) FROM pg_locks WHERE NOT granted") != "1" {
	}
	must(t, other, "UPDATE one SET n = 5", "SELECT pg_advisory_unlock(1)")
	var e *pgconn.PgError
	if err := <-called; !errors.As(err, &e) || e.Code != "40001" {
		t.Errorf("the procedure: %v", err)
	}
	for sql, want := range map[string]string{"SELECT count(*) FROM done": "1", "SELECT n FROM one": "5"} {
		if got := scalar(t.Context(), c.PgConn(), sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
