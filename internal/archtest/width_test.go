package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// A line has at most so many columns, with a tab as four of them. Not measured are rows of tables, lines with a long
// text in quotes, and generated files.
const (
	widest        = 120
	tabWidth      = 4
	longText      = 60 // bytes
	linesReported = 5
)

// wider are the packages with lines that are wider, and how many at most. The numbers may only become smaller.
var wider = map[string]int{
	"bench":                        1,
	"cmd/zproxy":                   1,
	"e2e":                          5,
	"expr":                         2,
	"expr/builtin/format":          1,
	"optimizer":                    1,
	"parser":                       1,
	"store/dynamostore/dynamofake": 1,
	"store/pebblestore":            1,
}

// wideLines are the numbers of those of a text that are too wide.
func wideLines(text []byte) (out []int) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimRight(line, "\n")
		if columns := len([]rune(string(line))) + (tabWidth-1)*bytes.Count(line, []byte("\t")); columns > widest {
			out = append(out, number)
		}
	}
	return out
}

// checkWidth counts the wide lines of each package.
func checkWidth(t *tree) []string { return t.wide(wider) }

func (t *tree) wide(except map[string]int) (out []string) {
	all := map[string][]string{}
	for p, f := range t.files() {
		if f.generated || len(f.wide) == 0 {
			continue
		}
		table := t.tableLines(f)
		for _, line := range f.wide {
			if !table[line] {
				all[p.path] = append(all[p.path], fmt.Sprintf("%s:%d", f.path, line))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if n := len(all[name]); n > except[name] {
			some := strings.Join(all[name][:min(n, linesReported)], ", ")
			out = append(out, fmt.Sprintf("%s has %d lines wider than %d columns, and %d are excepted: %s", name, n,
				widest,
				except[name], some))
		}
	}
	return append(out, t.unknown(except)...)
}

// unknown are exceptions for packages that there are not.
func (t *tree) unknown(except map[string]int) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(except)) {
		if t.packages[name] == nil {
			out = append(out, name+" is excepted, and is no package")
		}
	}
	return out
}

// tableLines are those of a file that are rows of a table or have a long text.
func (t *tree) tableLines(f *file) map[int]bool {
	out := map[int]bool{}
	add := func(from, to token.Pos) {
		for line := t.fset.Position(from).Line; line <= t.fset.Position(to).Line; line++ {
			out[line] = true
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				_, nested := e.(*ast.CompositeLit)
				if nested || t.fset.Position(e.Pos()).Line > t.fset.Position(n.Lbrace).Line {
					add(e.Pos(), e.End())
				}
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && len(n.Value) > longText {
				add(n.Pos(), n.End())
			}
		}
		return true
	})
	return out
}
