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
	"zproxy/sqlerr"
)

var writePage = flag.Bool("write-page", false, "write docs/advice.md anew")

const page = "../docs/advice.md"

// TestPage wants the page for users to say what the table says.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Advice on keys\n\n" +
		"`CREATE TABLE`, `CREATE INDEX`, and `ALTER TABLE` that adds or spoils a key answer with a NOTICE for each of these designs: the code\n" +
		"is its SQLSTATE, and the hint is DDL that puts a better key in the place of the one that there is, for a table that has rows, too.\n" +
		"(Only the key of a table with `PARTITION BY` cannot be changed; for that the hint is a `CREATE TABLE` whose `...` are the columns.)\n" +
		"`ANALYZE` tells what only the values of the rows show. Nothing is refused, and nothing is read for it. `SET zproxy.advice = off`\n" +
		"silences it, `ALTER ROLE you SET zproxy.advice = off` for good; temporary tables get none.\n" +
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
// each. In e2e the hints are followed.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			given, err := define(&plantest.Schema{}, d.Input)
			if err != nil {
				return err.Error() + "\n"
			}
			var out strings.Builder
			for _, n := range given {
				if !oneSentence.MatchString(n.Message) {
					t.Errorf("%s: more or less than one sentence with its code: %s", d.Pos, n.Message)
				}
				fmt.Fprintf(&out, "%s: %s\n  %s\n", n.Severity, n.Message, n.Hint)
			}
			if path == "testdata/good" && len(given) > 0 {
				t.Errorf("%s: advice on a good design", d.Pos)
			}
			return out.String()
		})
	})
}

// oneSentence matches a message without full stops but those in names.
var oneSentence = regexp.MustCompile(`^[a-z]([^.:;"]|"([^"\\]|\\.)*")* \(advice 01Z\d\d\)$`)

// define runs CREATE TABLE and CREATE INDEX, and gives the advice on what they make.
func define(schema *plantest.Schema, sql string) ([]*sqlerr.Error, error) {
	list, err := parser.Parse(sql)
	if err != nil {
		return nil, err
	}
	last := uint64(1000)
	next := func() (uint64, error) { last++; return last, nil }
	var out []*sqlerr.Error
	judge := func(t *catalog.Table, x *catalog.Index) { out = append(out, On(t, x, Known{})...) }
	for _, parsed := range list {
		p := schema.Planner()
		var table *catalog.Table
		var sequences []catalog.Object
		switch tree := parsed.Statement.(type) {
		case *ast.CreateTable:
			made, err := p.CreateTable(tree, "public", next)
			if err != nil {
				return nil, err
			}
			table = made.Table
			for _, q := range made.Sequences {
				sequences = append(sequences, q)
			}
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
		default:
			return nil, fmt.Errorf("%T makes no key", tree)
		}
		schema.Catalog = p.Catalog.With(append(sequences, table)...)
	}
	return out, nil
}
