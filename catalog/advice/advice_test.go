package advice

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/internal/plantest"
	"zproxy/internal/testpage"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

var writePage = flag.Bool("write-page", false, "write docs/advice.md anew")

const page = "../../docs/advice.md"

// TestPage wants the page for users to say what the table says.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Advice on keys\n\n" +
		"`CREATE TABLE`, `CREATE INDEX`, and `ALTER TABLE` that adds or spoils a key answer with a NOTICE for each of these designs: the code\n" +
		"is its SQLSTATE, and the hint is DDL that puts a better key in the place of the one that there is, for a table that has rows, too.\n" +
		"(Only the key of a table with `PARTITION BY` cannot be changed; for that the hint is a `CREATE TABLE` whose `...` are the columns.)\n" +
		"`ANALYZE` tells what only the values of the rows show. Nothing is refused, and nothing is read for it. You hear of what the store suffers\n" +
		"from that has the table; with `SET zproxy.advice = portable` also of what others would suffer from, such as the hot end of a key that grows, which\n" +
		"neither Pebble nor DynamoDB has. `SET zproxy.advice = off` silences advice, `ALTER ROLE you SET zproxy.advice = off` for good; temporary\n" +
		"tables get none.\n" +
		"This page is made from the table of rules: `go test ./catalog/advice -run TestPage -write-page`.\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n\n%s\n\n%s\n", r.code, r.title, r.why, r.do, r.stores)
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

// inOrder is what advice has to know of a store whose partitions are in order.
var inOrder = store.Capabilities{OrderedPartitions: true}

// TestScripts plays testdata: each define makes tables and indexes, and shows the advice on
// each: on every store, on those of a kind, or only to a client that wants all. In e2e the hints are followed.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var given, all [2][]string // of stores in order and of others
			for i, on := range []store.Capabilities{inOrder, {Units: true}} {
				for _, split := range []bool{false, true} {
					list, err := advised(&plantest.Schema{}, d.Input, Known{Store: on, Split: split})
					if err != nil {
						return err.Error() + "\n"
					}
					for _, n := range list {
						if !oneSentence.MatchString(n.Message) {
							t.Errorf("%s: more or less than one sentence with its code: %s", d.Pos, n.Message)
						}
						notice := fmt.Sprintf("NOTICE: %s\n  %s\n", n.Message, n.Hint)
						if !split {
							given[i] = append(given[i], notice)
						} else if !slices.Contains(given[i], notice) {
							all[i] = append(all[i], notice)
						}
					}
				}
			}
			if path == "testdata/good" && len(given[0])+len(given[1])+len(all[0])+len(all[1]) > 0 {
				t.Errorf("%s: advice on a good design", d.Pos)
			}
			more := merged(all[0], all[1])
			return merged(given[0], given[1]) + strings.ReplaceAll(more, "NOTICE", "NOTICE if portable")
		})
	})
}

// merged is what two kinds of stores are told; what only one of them is told says so.
func merged(ordered, hashed []string) string {
	var out strings.Builder
	for _, n := range ordered {
		if i := slices.Index(hashed, n); i >= 0 {
			only(&out, "hashed", hashed[:i])
			hashed = hashed[i+1:]
			out.WriteString(n)
			continue
		}
		only(&out, "ordered", []string{n})
	}
	only(&out, "hashed", hashed)
	return out.String()
}

func only(out *strings.Builder, kind string, list []string) {
	for _, n := range list {
		out.WriteString(strings.Replace(n, "NOTICE", "NOTICE ("+kind+")", 1))
	}
}

// oneSentence matches a message without full stops but those in names.
var oneSentence = regexp.MustCompile(`^[a-z]([^.:;"]|"([^"\\]|\\.)*")* \(advice 01Z\d\d\)$`)

// advised runs CREATE TABLE and CREATE INDEX, and gives the advice on what they make.
func advised(schema *plantest.Schema, sql string, known Known) ([]*sqlerr.Error, error) {
	list, err := parser.Parse(sql)
	if err != nil {
		return nil, err
	}
	last := uint64(1000)
	next := func() (uint64, error) { last++; return last, nil }
	var out []*sqlerr.Error
	judge := func(t *catalog.Table, x *catalog.Index) { out = append(out, On(t, x, known)...) }
	for _, parsed := range list {
		b := define.Builder{Planner: schema.Planner(), Next: next}
		var table *catalog.Table
		var sequences []catalog.Object
		switch tree := parsed.Statement.(type) {
		case *ast.CreateTable:
			made, err := b.CreateTable(tree, "public")
			if err != nil {
				return nil, err
			}
			table = made.Table
			for i := range tree.ForeignKeys { // each to the table itself
				a := define.Alter{Builder: b, Table: table}
				if table, _, err = a.AddForeignKey(&tree.ForeignKeys[i], table); err != nil {
					return nil, err
				}
			}
			for _, q := range made.Sequences {
				sequences = append(sequences, q)
			}
			judge(table, nil)
			for i := range table.Indexes {
				judge(table, &table.Indexes[i])
			}
		case *ast.CreateIndex:
			old, err := b.Table(tree.Table)
			if err != nil {
				return nil, err
			}
			t, x, err := b.CreateIndex(tree, old)
			if err != nil {
				return nil, err
			}
			table = t.WithIndex(*x)
			judge(table, x)
		default:
			return nil, fmt.Errorf("%T makes no key", tree)
		}
		schema.Catalog = b.Catalog.With(append(sequences, table)...)
	}
	return out, nil
}

// made is table t as DDL makes it, with its indexes.
func made(t *testing.T, sql string) *catalog.Table {
	t.Helper()
	schema := &plantest.Schema{}
	if _, err := advised(schema, sql, Known{Store: inOrder}); err != nil {
		t.Fatal(err)
	}
	return schema.Catalog.Relation("public", "t").(*catalog.Table)
}

// shown are messages and hints.
func shown(list []*sqlerr.Error) string {
	var out strings.Builder
	for _, n := range list {
		fmt.Fprintf(&out, "%s\n%s\n", n.Message, n.Hint)
	}
	return out.String()
}

// TestSince holds what is said of a changed table: what was said before, or of an index that is no
// more, is not said again, but of a new key it is.
func TestSince(t *testing.T) {
	before := made(t, "CREATE TABLE t (at timestamp PRIMARY KEY, id int, v varchar(200)); CREATE INDEX i ON t (v)")
	i := func(t *catalog.Table) *catalog.Index { return &t.Indexes[0] }
	for _, c := range []struct {
		name   string
		change func(t *catalog.Table)
		want   string
	}{
		{"nothing", func(*catalog.Table) {}, ""},
		{"another key that is as bad", func(t *catalog.Table) { t.KeyID++ }, "01Z01 "},
		{"another index that is as bad", func(t *catalog.Table) { i(t).ID++ }, "01Z13 "},
		{"a column that grows now", func(t *catalog.Table) { t.Columns[2].Default = "uuidv7()" }, "01Z03 "},
		{"a better key", func(t *catalog.Table) { t.Primary.Partition[0].Column = 2 }, ""},
	} {
		after := *before
		after.Columns, after.Indexes = slices.Clone(before.Columns), slices.Clone(before.Indexes)
		after.Primary.Partition = slices.Clone(before.Primary.Partition)
		c.change(&after)
		got := ""
		for _, n := range Since(before, &after, Known{Store: inOrder, Split: true}) {
			got += string(n.Code) + " "
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestByValues says what was not said of the design: also more of the same kind.
func TestByValues(t *testing.T) {
	table := made(t, "CREATE TABLE t (a varchar(200), b text, c int CHECK (c IN (1, 2)), PRIMARY KEY (a, b)); CREATE INDEX i ON t (c)")
	known := Known{Store: inOrder,
		Stats:    catalog.Stats{Rows: 1e6, Columns: map[uint32]catalog.ColumnStats{2: {Width: 200}, 3: {Distinct: 2}}},
		Declared: map[uint32]float64{3: 2},
	}
	if got := shown(ByValues(table, nil, known)); !strings.Contains(got, `"a", "b"`) {
		t.Errorf("of the key: %s", got)
	}
	if got := shown(ByValues(table, &table.Indexes[0], known)); got != "" {
		t.Errorf("of the index, again: %s", got)
	}
}

// TestLater wants the hint about an index that is built beside readers and writers to be of the kind,
// and nothing to be said of what the build will learn.
func TestLater(t *testing.T) {
	table := made(t, `CREATE TABLE t (id int PRIMARY KEY, at timestamp, w text); CREATE INDEX "I" ON t (at); CREATE INDEX z ON t USING zorder (id, w)`)
	want := `index "I" of table "t" begins with the time "at", so that entries which come in the order of time all go to one end of it (advice 01Z02)
DROP INDEX CONCURRENTLY "I"; CREATE INDEX CONCURRENTLY "I" ON t (at) WITH (shards = 4)
`
	if got := shown(On(table, &table.Indexes[0], Known{Store: inOrder, Split: true, Later: true})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := codes(table, &table.Indexes[1], Known{Store: inOrder, Later: true}); got != "[]" {
		t.Errorf("of what is not known yet: %s", got)
	}
	if got := codes(table, &table.Indexes[1], Known{Store: inOrder}); got != "[01Z09]" {
		t.Errorf("of what is known: %s", got)
	}
}
