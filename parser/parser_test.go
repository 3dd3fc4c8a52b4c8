package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/sqlerr"
)

// TestScripts runs testdata: parse prints trees, error prints where and why a text is
// refused.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				return parse(d.Input, tree{positions: d.HasArg("positions")})
			case "error":
				return refusal(d.Input)
			}
			t.Fatalf("no command %s", d.Cmd)
			return ""
		})
	})
}

func parse(sql string, p tree) string {
	all, err := Parse(sql)
	if err != nil {
		return refusal(sql)
	}
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintln(&b, p.format(s.Statement))
		if len(all) > 1 {
			fmt.Fprintf(&b, "  at %d: %s\n", s.Offset, s.Text)
		}
		if s.Params > 0 {
			fmt.Fprintf(&b, "  params: %d\n", s.Params)
		}
		if s.AllowFiltering {
			fmt.Fprintln(&b, "  allow filtering")
		}
		for _, says := range s.Clauses {
			fmt.Fprintf(&b, "  says %s\n", says)
		}
		for _, n := range s.Notices {
			fmt.Fprintf(&b, "  notice at %d: %s\n", n.Pos, n.Message)
		}
	}
	return b.String()
}

// refusal is the line with the error, a caret below its place, and the error.
func refusal(sql string) string {
	_, err := Parse(sql)
	if err == nil {
		return "accepted\n"
	}
	e := sqlerr.From(err)
	var b strings.Builder
	if e.Position > 0 {
		before := sql[:e.Position-1]
		start := strings.LastIndexByte(before, '\n') + 1
		line, _, _ := strings.Cut(sql[start:], "\n")
		fmt.Fprintf(&b, "%s\n%s^\n", line, strings.Repeat(" ", len([]rune(before[start:]))))
	}
	fmt.Fprintf(&b, "%s: %s\n", e.Code, e.Message)
	if e.Hint != "" {
		fmt.Fprintf(&b, "HINT: %s\n", e.Hint)
	}
	return b.String()
}

// TestUnsupported wants what is in the list of refused statements to be refused for what
// it is.
func TestUnsupported(t *testing.T) {
	datadriven.RunTest(t, "testdata/scripts/unsupported", func(t *testing.T, d *datadriven.TestData) string {
		if _, err := Parse(d.Input); !sqlerr.Has(err, sqlerr.FeatureNotSupported) {
			t.Errorf("%s: %v", d.Input, err)
		}
		return d.Expected
	})
}
