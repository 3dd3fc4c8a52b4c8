package advice

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/catalog"
	"zproxy/internal/plantest"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

var writePage = flag.Bool("write-page", false, "write docs/advice.md anew")

const page = "../docs/advice.md"

// TestPage wants the page for users to say what the table says.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Advice on keys\n\n" +
		"`CREATE TABLE`, `CREATE INDEX`, and `ALTER TABLE` that adds a key answer with a NOTICE for each of these designs: the code is its\n" +
		"SQLSTATE, and the hint is DDL that avoids it. `ANALYZE` tells what only the values of the rows show. Nothing is refused, and\n" +
		"nothing is read for it. `SET zproxy.advice = off` silences it; temporary tables get none.\n" +
		"This page is made from the table of rules: `go test ./advice -run TestPage -write-page`.\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n\n%s\n", r.code, r.title, r.why, r.do)
	}
	if *writePage {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("docs/advice.md is not what the table says (%v); write it with -write-page", err)
	}
}

// TestCodes wants codes of class 01 that PostgreSQL does not use, each once.
func TestCodes(t *testing.T) {
	seen := map[sqlerr.Code]bool{}
	for _, r := range rules {
		if seen[r.code] || !regexp.MustCompile(`^01Z\d\d$`).MatchString(string(r.code)) {
			t.Errorf("%q is no code of advice, or is there twice", r.code)
		}
		seen[r.code] = true
	}
}

// TestScripts plays testdata. The commands:
//
//	define   makes tables and indexes, and prints the advice on each
//	know     makes a table, and an index of it if there is one, and prints the advice that
//	         is added by what is known of its rows, a line for each column behind the line ----
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := define(d.Input)
			if err != nil {
				return err.Error() + "\n"
			}
			return out
		})
	})
}

// define runs CREATE TABLE and CREATE INDEX, and shows the advice on what they make.
func define(sql string) (string, error) {
	list, err := parser.Parse(sql)
	if err != nil {
		return "", err
	}
	schema, last := &plantest.Schema{}, uint64(0)
	next := func() (uint64, error) { last++; return last, nil }
	var out strings.Builder
	for _, parsed := range list {
		p := schema.Planner()
		var table *catalog.Table
		switch tree := parsed.Statement.(type) {
		case *ast.CreateTable:
			made, err := p.CreateTable(tree, "public", next)
			if err != nil {
				return "", err
			}
			table = made.Table
			show(&out, On(table, nil, Known{}))
			for i := range table.Indexes {
				show(&out, On(table, &table.Indexes[i], Known{}))
			}
		case *ast.CreateIndex:
			old, err := p.Table(tree.Table)
			if err != nil {
				return "", err
			}
			x, err := p.CreateIndex(tree, old, next)
			if err != nil {
				return "", err
			}
			table = old.WithIndex(*x)
			show(&out, On(table, x, Known{}))
		}
		schema.Catalog = p.Catalog.With(table)
	}
	return out.String(), nil
}

func show(out *strings.Builder, list []*sqlerr.Error) {
	for _, n := range list {
		fmt.Fprintf(out, "%s: %s\n  %s\n", n.Severity, n.Message, n.Hint)
	}
}
