package planner_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/pglocal"
	"zproxy/internal/plantest"
	"zproxy/sqlerr"
	"zproxy/types"
)

// TestPostgresSaysTheSame prepares every statement of the scripts with PostgreSQL, too:
// parameters and columns must have the same types and names, and errors the same code,
// text and place.
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
	datadriven.Walk(t, "testdata/queries", func(t *testing.T, path string) {
		var s plantest.Schema
		var differences []string // datadriven ends a script with its first failure
		run(t, conn, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "define":
				run(t, conn, d.Input)
				if err := s.Define(d.Input); err != nil {
					d.Fatalf(t, "%v", err)
				}
			case "plan", "error":
				ours, theirs := summary(ask(&s, d)), prepared(conn, d)
				if ours != theirs {
					differences = append(differences,
						fmt.Sprintf("%s: %s\n%s\nPostgreSQL:\n%s", d.Pos, d.Input, ours, theirs))
				}
			}
			return d.Expected
		})
		for _, different := range differences {
			t.Error(different)
		}
	})
	run(t, conn, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
}

var zorder = regexp.MustCompile(`(?i)CREATE INDEX [^;]* USING zorder [^;]*`)

func run(t *testing.T, conn *pgconn.PgConn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), zorder.ReplaceAllString(sql, "")).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// summary is an answer without what is ours alone.
func summary(a answer) string {
	if a.err != nil {
		var e *sqlerr.Error
		if !errors.As(a.err, &e) {
			return a.err.Error()
		}
		return failure(string(e.Code), e.Message, e.Position, e.Detail, e.Hint)
	}
	var b strings.Builder
	for i, p := range a.params {
		fmt.Fprintf(&b, "$%d %s\n", i+1, types.Of(p.OID))
	}
	for _, c := range a.node.Columns() {
		fmt.Fprintf(&b, "%s %s\n", c.Name, c.Type)
	}
	return b.String()
}

func failure(code, message string, position int, detail, hint string) string {
	return fmt.Sprintf("%s at %d: %s\n%s\n%s\n", code, position, message, detail, hint)
}

// prepared is what PostgreSQL says of a statement.
func prepared(conn *pgconn.PgConn, d *datadriven.TestData) string {
	params, err := declared(d)
	if err != nil {
		return err.Error()
	}
	var oids []uint32
	for _, p := range params {
		oids = append(oids, uint32(p.OID))
	}
	s, err := conn.Prepare(context.Background(), "", d.Input, oids)
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return failure(e.Code, e.Message, int(e.Position), e.Detail, e.Hint)
	case err != nil:
		return err.Error()
	case d.Cmd == "error": // with constants, when it is planned
		_, err := conn.Exec(context.Background(), d.Input).ReadAll()
		if errors.As(err, &e) {
			return failure(e.Code, e.Message, int(e.Position), e.Detail, e.Hint)
		}
	}
	var b strings.Builder
	for i, oid := range s.ParamOIDs {
		fmt.Fprintf(&b, "$%d %s\n", i+1, types.Of(types.OID(oid)))
	}
	for _, f := range s.Fields {
		fmt.Fprintf(&b, "%s %s\n", f.Name, types.T{OID: types.OID(f.DataTypeOID), Mod: f.TypeModifier})
	}
	return b.String()
}
