package inspect

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/parser"
	"zproxy/store/sample"
)

// print is what is printed of a table.
func (f *Found) text(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := f.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPrint prints the DDL of some designs:
//
//	design name=shop
//
// The items are always those of the first seed.
func TestPrint(t *testing.T) {
	datadriven.RunTest(t, "testdata/print", func(t *testing.T, td *datadriven.TestData) string {
		var name string
		td.ScanArgs(t, "name", &name)
		for _, make := range designs {
			if d := make(1); d.name == name {
				return Infer(d.sample()).text(t)
			}
		}
		t.Fatalf("there is no design %q", name)
		return ""
	})
}

// TestPrintedIsRead wants SQL's grammar to read what is printed of each design, and of names that need quotes.
func TestPrintedIsRead(t *testing.T) {
	all := map[string]*Found{}
	for _, make := range designs {
		d := make(1)
		all[d.name] = Infer(d.sample())
	}
	odd := newDesign("it's\n-- \"odd\"", 1)
	odd.table.Name = "Odd.table-1"
	for range 20 {
		odd.add(0, odd.item("PK", "SELECT{#"+odd.uuid(), "SK", "it's#"+odd.user(), "a\n\"b", 1, "select", true, "é;--",
			"x"))
	}
	odd.add(wrong, odd.item("PK", "new\nline';", "SK", "x"))
	all[odd.name] = Infer(odd.sample())
	for name, found := range all {
		list, err := parser.Parse(found.text(t))
		if err != nil || len(list) != len(found.Kinds) {
			t.Errorf("%s: %d statements, %d kinds, %v\n%s", name, len(list), len(found.Kinds), err, found.text(t))
		}
	}
}

// TestNothingSampled infers from no items at all, and from very few.
func TestNothingSampled(t *testing.T) {
	for n := range 4 {
		d := newDesign("few", 1, "GSI1")
		for range n {
			d.add(0, d.item("PK", "ORDER#1", "SK", "METADATA", "n", 1))
		}
		found := Infer(d.sample())
		if items := len(found.Unfit); len(found.Kinds) > 0 {
			if items+found.Kinds[0].Items != n {
				t.Errorf("%d items of %d are in a kind or listed", items+found.Kinds[0].Items, n)
			}
		} else if items != n {
			t.Errorf("%d items of %d are listed", items, n)
		}
	}
	bare := &sample.Sample{Table: sample.Table{Name: "n", Partition: sample.Attribute{Name: "id", Type: sample.Number}}}
	for i := range 10 {
		bare.Items = append(bare.Items, sample.Item{"id": valueOf(i), "name": valueOf("x")})
	}
	found := Infer(bare)
	if len(found.Kinds) != 1 || len(found.Kinds[0].Templates) != 0 || len(found.Kinds[0].Columns) != 2 {
		t.Errorf("a table with a number for a key: %+v", found.Kinds)
	}
}
