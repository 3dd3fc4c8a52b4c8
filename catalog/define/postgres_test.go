package define_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/pglocal"
	"zproxy/internal/plantest"
	"zproxy/sqlerr"
)

// TestPostgresSaysTheSame runs the definitions of the scripts in PostgreSQL, too: what is refused must have the same
// code, text and place.
func TestPostgresSaysTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL is not started")
	}
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, "postgres://postgres@"+pglocal.Start(t)+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	differences := []string{}
	datadriven.RunTest(t, "testdata/ddl", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd != "create" && d.Cmd != "create-error" {
			return d.Expected
		}
		var s plantest.Schema
		ours, theirs := "", created(t, conn, d.Input)
		if err := s.Define(d.Input); err != nil {
			ours = refused(err)
		}
		if ours != theirs {
			differences = append(differences, fmt.Sprintf("%s: %s\n%s\nPostgreSQL:\n%s", d.Pos, d.Input, ours, theirs))
		}
		return d.Expected
	})
	for _, different := range differences {
		t.Error(different)
	}
}

var zorder = regexp.MustCompile(`(?i)CREATE INDEX [^;]* USING zorder [^;]*`)

func run(t *testing.T, conn *pgconn.PgConn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// refused is an error as PostgreSQL could say it.
func refused(err error) string {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return failure(string(e.Code), e.Message, e.Position, e.Detail, e.Hint)
}

func failure(code, message string, position int, detail, hint string) string {
	return fmt.Sprintf("%s at %d: %s\n%s\n%s\n", code, position, message, detail, hint)
}

// created is what PostgreSQL says of DDL, which it then forgets.
func created(t *testing.T, conn *pgconn.PgConn, sql string) string {
	t.Helper()
	defer run(t, conn, "ROLLBACK")
	run(t, conn, "BEGIN")
	_, err := conn.Exec(t.Context(), zorder.ReplaceAllString(sql, "")).ReadAll()
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return failure(e.Code, e.Message, int(e.Position), e.Detail, e.Hint)
	}
	return ""
}
