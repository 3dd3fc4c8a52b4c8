package main

import (
	"strings"
	"testing"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

func TestPrintTable(t *testing.T) {
	var out strings.Builder
	printTable(&out, result{
		columns: []plan.Column{{Name: "n", Type: types.Int4}, {Name: "name", Type: types.Text},
			{Name: "c", Type: types.Text}},
		rows: [][]string{{"1", "Zürich", "CH"}, {"1234", "", ""}},
	})
	const want = `
  n   |  name  | c
------+--------+----
    1 | Zürich | CH
 1234 |        |
(2 rows)
`
	if "\n"+out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

func TestComplaint(t *testing.T) {
	err := sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", "b").At(7)
	const want = `
ERROR:  42703: column "b" does not exist
LINE 1: SELECT b FROM t;
               ^
`
	if got := "\n" + complaint("SELECT b FROM t", err); got != want {
		t.Errorf("got%s", got)
	}
}

func TestHead(t *testing.T) {
	for _, c := range []struct {
		lines int
		want  string
	}{{1, "a\n"}, {2, "a\nbc\n"}, {5, "a\nbc\nd"}} {
		h := &head{from: strings.NewReader("a\nbc\nd"), lines: c.lines}
		var out strings.Builder
		for p := make([]byte, 2); ; {
			n, err := h.Read(p)
			out.Write(p[:n])
			if err != nil {
				break
			}
		}
		if out.String() != c.want {
			t.Errorf("%d lines: %q", c.lines, out.String())
		}
	}
}
