package define_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/catalog"
	"zproxy/internal/plantest"
)

// TestLayouts runs the commands of testdata/layouts: layout shows how the keys of tables
// and indexes are made, refuse why there can be none such.
func TestLayouts(t *testing.T) {
	datadriven.RunTest(t, "testdata/layouts", func(t *testing.T, d *datadriven.TestData) string {
		var s plantest.Schema
		err := s.Define(d.Input)
		switch {
		case d.Cmd == "refuse" && err == nil:
			t.Errorf("%s: taken", d.Pos)
		case d.Cmd == "layout" && err != nil:
			t.Errorf("%s: refused: %v", d.Pos, err)
		case d.Cmd != "refuse" && d.Cmd != "layout":
			d.Fatalf(t, "there is no command %q", d.Cmd)
		}
		if err != nil {
			return plantest.Refusal(d.Input, err)
		}
		var b strings.Builder
		for _, table := range s.Catalog.Tables() {
			showLayout(&b, table, table.Name, &table.Primary)
			readsBack(t, table, &table.Primary, table.Options)
			for i := range table.Indexes {
				x := &table.Indexes[i]
				showLayout(&b, table, x.Name, &x.Layout)
				readsBack(t, table, &x.Layout, x.Options)
			}
		}
		return b.String()
	})
}

// showLayout shows a layout, and the key as it was declared where the parts do not tell it.
func showLayout(b *strings.Builder, t *catalog.Table, name string, l *catalog.Layout) {
	fmt.Fprintf(b, "%s: %s", name, t.Describe(l))
	for i, k := range l.Key {
		b.WriteString(map[bool]string{true: " of (", false: ", "}[i == 0] + t.Columns[t.Ordinal(k.ID)].Name)
		if k.Desc {
			b.WriteString(" DESC")
		}
	}
	if l.Key != nil {
		b.WriteString(")")
	}
	b.WriteString("\n")
}

// readsBack wants the text of a template to be read as the same template.
func readsBack(t *testing.T, table *catalog.Table, l *catalog.Layout, options map[string]string) {
	t.Helper()
	if options["partition_key"] == "" {
		return
	}
	text := table.TemplateText(l.Partition[0])
	var s plantest.Schema
	option := strings.ReplaceAll(text, "'", "''")
	create := "CREATE TABLE again (" + columnList(table) + ") WITH (partition_key = '" + option + "'"
	for _, name := range []string{"shards", "shard_by"} {
		if value, there := options[name]; there {
			create += ", " + name + " = " + value
		}
	}
	if err := s.Define(create + ")"); err != nil {
		t.Errorf("%s: %v", create, err)
		return
	}
	again := s.Catalog.Table("public", "again")
	want, got := pieces(table, l), pieces(again, &again.Primary)
	if !reflect.DeepEqual(got, want) || again.TemplateText(again.Primary.Partition[0]) != text {
		t.Errorf("%s reads back as %+v, want %+v", text, got, want)
	}
}

// columnList are the columns of a table with all of them in the primary key, so that a
// template may be over any.
func columnList(t *catalog.Table) string {
	var columns, names []string
	for _, c := range t.Columns {
		if !c.Hidden {
			name := `"` + strings.ReplaceAll(c.Name, `"`, `""`) + `"`
			columns, names = append(columns, name+" "+c.Type.String()), append(names, name)
		}
	}
	return strings.Join(columns, ", ") + ", PRIMARY KEY (" + strings.Join(names, ", ") + ")"
}

// pieces are those of a template, with its columns by name: shards are of other columns in
// another key.
func pieces(t *catalog.Table, l *catalog.Layout) []string {
	var out []string
	for _, p := range l.Partition[0].Pieces {
		p.Of = nil
		name := ""
		if at := t.Ordinal(p.Column); at >= 0 {
			name = t.Columns[at].Name
		}
		p.Column = 0
		for i := range p.Pieces {
			name += " " + t.DescribePart(p.Pieces[i])
		}
		p.Pieces = nil
		out = append(out, fmt.Sprintf("%+v %s", p, name))
	}
	return out
}
