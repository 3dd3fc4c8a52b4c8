package deparse_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/internal/pglocal"
	"zproxy/internal/plantest"
	"zproxy/parser"
	"zproxy/planner/deparse"
	"zproxy/types"
)

// TestScripts runs testdata. define takes CREATE TABLE and CREATE VIEW; view prints a query as that of a
// view; check prints the CHECK constraint of a table, given by what stands in the parentheses of CREATE
// TABLE; default prints the default of a column, given by its type and DEFAULT. pretty prints as
// pg_get_viewdef(oid, true) does.
//
// TestPostgresPrintsTheSame holds the recorded texts against PostgreSQL.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s plantest.Schema
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "define" {
				if err := s.Define(d.Input); err != nil {
					d.Fatalf(t, "%v", err)
				}
				return ""
			}
			text, err := printed(s, d)
			if err != nil {
				t.Errorf("%s: %v", d.Pos, err)
			}
			return text + "\n"
		})
	})
}

// printed is what the deparser makes of a command. The objects of the command are in a schema of its own.
func printed(s plantest.Schema, d *datadriven.TestData) (string, error) {
	if err := s.Define(statement(d)); err != nil {
		return "", err
	}
	dp := deparser(s.Catalog)
	style := deparse.Style{Indent: true, Pretty: d.HasArg("pretty")}
	r := s.Catalog.Relation("public", "it")
	switch d.Cmd {
	case "view":
		return dp.View(r.(*catalog.View), style)
	case "check":
		t := r.(*catalog.Table)
		return dp.Check(t, t.Checks[0], style)
	}
	return dp.Default(r.(*catalog.Table).Columns[0], style)
}

// statement defines the object whose text a command is about.
func statement(d *datadriven.TestData) string {
	switch d.Cmd {
	case "view":
		return "CREATE VIEW it AS " + d.Input
	case "check":
		return "CREATE TABLE it (" + d.Input + ")"
	case "default":
		return "CREATE TABLE it (c " + d.Input + ")"
	}
	panic(fmt.Sprintf("%s: there is no command %q", d.Pos, d.Cmd))
}

func deparser(snap *catalog.Snapshot) *deparse.Deparser {
	return &deparse.Deparser{
		Catalog: snap, Path: []string{"public"}, Env: &types.Env{}, ParseExpr: parser.Expression,
		ParseQuery:   parser.Query,
		RelationName: func(id uint32) string { return expr.QuoteIdent(snap.Numbered(id).Ref().Name) },
	}
}

// TestPostgresPrintsTheSame holds the texts of the scripts against those of PostgreSQL.
func TestPostgresPrintsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL is not started")
	}
	ctx := context.Background()
	address := "postgres://postgres@" + pglocal.Start(t) + "/postgres?default_query_exec_mode=simple_protocol"
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	run := func(t *testing.T, sql string) {
		t.Helper()
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("%v: %s", err, sql)
		}
	}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		run(t, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
		var differences []string // datadriven ends a script with its first failure
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "define" {
				run(t, d.Input)
				return d.Expected
			}
			run(t, "BEGIN")
			defer run(t, "ROLLBACK")
			run(t, statement(d))
			text := ""
			if err := conn.QueryRow(ctx, texts[d.Cmd], d.HasArg("pretty")).Scan(&text); err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			if text != strings.TrimSuffix(d.Expected, "\n") {
				differences = append(differences, fmt.Sprintf("%s: %s\n%s\nPostgreSQL:\n%s", d.Pos, d.Input, d.Expected,
					text))
			}
			return d.Expected
		})
		for _, different := range differences {
			t.Error(different)
		}
	})
}

// texts are the queries that ask PostgreSQL for the text of what a command defines.
var texts = map[string]string{
	"view":    "SELECT pg_get_viewdef('it'::regclass, $1::boolean)",
	"check":   "SELECT pg_get_expr(conbin, conrelid, $1::boolean) FROM pg_constraint WHERE conrelid = 'it'::regclass AND contype = 'c'",
	"default": "SELECT pg_get_expr(adbin, adrelid, $1::boolean) FROM pg_attrdef WHERE adrelid = 'it'::regclass",
}
