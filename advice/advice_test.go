package advice

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/catalog"
	"zproxy/internal/plantest"
	"zproxy/internal/testpage"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/expr"
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
	testpage.Check(t, page, b.String(), *writePage)
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

// TestScripts plays testdata: each define makes tables and indexes, and shows the advice on
// each. Whoever follows a hint gets no advice on what it makes.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			given, err := define(&plantest.Schema{}, d.Input)
			if err != nil {
				return err.Error() + "\n"
			}
			var out strings.Builder
			for _, g := range given {
				fmt.Fprintf(&out, "%s: %s\n  %s\n", g.Severity, g.Message, g.Hint)
				if problem := follow(g); problem != "" {
					t.Errorf("%s: %s\n%s", d.Pos, g.Hint, problem)
				}
			}
			return out.String()
		})
	})
}

// given is advice on a key of a table.
type given struct {
	*sqlerr.Error
	table *catalog.Table
	index *catalog.Index
}

// define runs CREATE TABLE and CREATE INDEX, and gives the advice on what they make.
func define(schema *plantest.Schema, sql string) ([]given, error) {
	list, err := parser.Parse(sql)
	if err != nil {
		return nil, err
	}
	last := uint64(1000)
	next := func() (uint64, error) { last++; return last, nil }
	var out []given
	judge := func(t *catalog.Table, x *catalog.Index) {
		for _, n := range On(t, x, Known{}) {
			out = append(out, given{n, t, x})
		}
	}
	for _, parsed := range list {
		p := schema.Planner()
		var table *catalog.Table
		switch tree := parsed.Statement.(type) {
		case *ast.CreateTable:
			made, err := p.CreateTable(tree, "public", next)
			if err != nil {
				return nil, err
			}
			table = made.Table
			judge(table, nil)
			for i := range table.Indexes {
				judge(table, &table.Indexes[i])
			}
		case *ast.CreateIndex:
			old, err := p.Table(tree.Table)
			if err != nil {
				return nil, err
			}
			x, err := p.CreateIndex(tree, old, next)
			if err != nil {
				return nil, err
			}
			table = old.WithIndex(*x)
			judge(table, x)
		}
		schema.Catalog = p.Catalog.With(table)
	}
	return out, nil
}

// follow runs a hint in a catalog without the key that it is about, and says what is wrong
// with what it makes. What alters a column is run in scripts of e2e.
func follow(g given) string {
	if strings.HasPrefix(g.Hint, "ALTER TABLE") {
		return ""
	}
	schema := &plantest.Schema{}
	p := schema.Planner()
	sql := g.Hint
	if g.index != nil {
		t := *g.table
		t.Indexes = nil
		schema.Catalog = p.Catalog.With(&t)
	} else {
		sql = strings.Replace(sql, "...", columns(g.table), 1)
	}
	left, err := define(schema, sql)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	for _, l := range left {
		if l.index != nil || g.index == nil {
			out.WriteString(l.Message + "\n")
		}
	}
	return out.String()
}

// columns are those of a table, as CREATE TABLE has them.
func columns(t *catalog.Table) string {
	var list []string
	for _, c := range t.Columns {
		definition := expr.QuoteIdent(c.Name) + " " + c.Type.String()
		switch {
		case c.Hidden:
			continue
		case fromSequence(&c):
			definition += " GENERATED ALWAYS AS IDENTITY"
		case c.Default != "":
			definition += " DEFAULT " + c.Default
		}
		list = append(list, definition)
	}
	return strings.Join(list, ", ")
}
