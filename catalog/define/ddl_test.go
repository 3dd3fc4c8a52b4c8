package define_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/internal/plantest"
)

// runDDL runs the commands of testdata/ddl: create shows the tables that statements make,
// each statement on its own; create-error shows why they are refused. own-create and
// refuse-create are the same for what PostgreSQL does not have, or has and we have not.
func runDDL(t *testing.T, d *datadriven.TestData) string {
	var s plantest.Schema
	err := s.Define(d.Input)
	switch d.Cmd {
	case "create", "own-create":
		if err != nil {
			t.Errorf("%s: refused", d.Pos)
			return plantest.Refusal(d.Input, err)
		}
		var b strings.Builder
		for _, table := range s.Catalog.Tables() {
			describe(&b, table)
		}
		return b.String()
	case "create-error", "refuse-create":
		if err == nil {
			t.Errorf("%s: taken", d.Pos)
			return ""
		}
		return plantest.Refusal(d.Input, err)
	}
	d.Fatalf(t, "there is no command %q", d.Cmd)
	return ""
}

func TestDDL(t *testing.T) {
	datadriven.RunTest(t, "testdata/ddl", runDDL)
}

func describe(b *strings.Builder, t *catalog.Table) {
	fmt.Fprintf(b, "%s.%s, key %q\n", t.Schema, t.Name, t.PrimaryKey)
	for _, c := range t.Columns {
		fmt.Fprintf(b, "  %s %s", c.Name, c.Type)
		if c.NotNull {
			b.WriteString(" NOT NULL")
		}
		if c.Default != "" {
			fmt.Fprintf(b, " DEFAULT %s", c.Default)
		}
		if c.Hidden {
			b.WriteString(" hidden")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "  %s\n", layout(t, &t.Primary))
	for _, x := range t.Indexes {
		fmt.Fprintf(b, "  %s %s: %s", x.Method, x.Name, layout(t, &x.Layout))
		for _, id := range x.Include {
			fmt.Fprintf(b, " +%s", t.Columns[t.Ordinal(id)].Name)
		}
		if x.Covers {
			b.WriteString(" covers")
		}
		b.WriteString("\n")
	}
}

// layout shows a layout as partition | sort | tie-breaker.
func layout(t *catalog.Table, l *catalog.Layout) string {
	parts := func(list []catalog.Part) string {
		var out []string
		for _, p := range list {
			out = append(out, partText(t, p))
		}
		return strings.Join(out, ", ")
	}
	unique := ""
	if l.Unique {
		unique = "unique "
	}
	text := fmt.Sprintf("(%s | %s | %s", parts(l.Partition), parts(l.Sort), parts(l.Tie))
	return unique + strings.TrimRight(text, " |") + ")"
}

func partText(t *catalog.Table, p catalog.Part) string {
	if p.Kind == part.ZAddress && p.Count == 0 {
		var dims []string
		for _, d := range p.Curve {
			dims = append(dims, fmt.Sprintf("%s %d bits %s", t.Columns[t.Ordinal(d.Column)].Name, d.Bits, d.Map))
		}
		return "z(" + strings.Join(dims, ", ") + ")"
	}
	return t.DescribePart(p)
}
