package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryRefusalIsListed walks the code for refusals: what is made by sqlerr.Unsupported, or by
// refuse in the parser, and errors of 0A000 and, in the packages that read statements, of 22023 by
// other means. Each must be in the page of what is not supported, or in testdata/refusals with where
// it comes from: the words of PostgreSQL's own refusals, and what no statement can reach.
func TestEveryRefusalIsListed(t *testing.T) {
	page, err := os.ReadFile(unsupportedPage)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := os.ReadFile(filepath.FromSlash("testdata/refusals"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(listed)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			known[line] = false
		}
	}
	found := 0
	for _, r := range refusals(t) {
		found++
		if _, ok := known[r.format]; ok {
			known[r.format] = true
			continue
		}
		if !r.pattern().Match(page) {
			t.Errorf("%s: no row of %s, and no line of testdata/refusals, is %s", r.pos, unsupportedPage, r.format)
		}
	}
	for format, used := range known {
		if !used {
			t.Errorf("testdata/refusals: no code says %s", format)
		}
	}
	if found < 150 {
		t.Errorf("only %d refusals in the code", found)
	}
}

// refusal is a place in the code that refuses a statement.
type refusal struct {
	pos    token.Position
	format string // of fmt
}

var verbs = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]`)

// pattern is a row of the page whose message the format makes.
func (r refusal) pattern() *regexp.Regexp {
	parts := verbs.Split(r.format, -1)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(tableCell(part))
	}
	return regexp.MustCompile(`(?m)^\| ` + strings.Join(parts, `.*`) + ` \|`)
}

// statementReaders are the packages that read what statements say, options and values of settings among it.
var statementReaders = []string{
	"parser", "planner", "analyze", "bind", "bound", "stored", "session", "settings", "statement", "ddl", "define",
	"index", "table", "copy", "host", "identity", "notify", "explain", "part", "transaction",
}

// refusals are all of the code.
func refusals(t *testing.T) []refusal {
	t.Helper()
	var out []refusal
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "cmd" || d.Name() == "bench" || d.Name() == "internal" || d.Name() == "e2e" ||
			strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		reads := slices.Contains(statementReaders, f.Name.Name)
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if format, ok := refusalOf(call, reads); ok {
					out = append(out, refusal{files.Position(call.Pos()), format})
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refusalOf is the format of the message that a call refuses a statement with.
func refusalOf(call *ast.CallExpr, reads bool) (string, bool) {
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if name, bare := call.Fun.(*ast.Ident); bare && name.Name == "bad" && reads && len(call.Args) > 0 {
		return text(call.Args[0]), true // as such helpers are called
	}
	if !ok {
		return "", false
	}
	switch {
	case fn.Sel.Name == "Unsupported" && len(call.Args) > 0:
		return text(call.Args[0]) + " is not supported", true
	case fn.Sel.Name == "refuse" && len(call.Args) == 3:
		return text(call.Args[2]) + " is not supported", true
	case fn.Sel.Name == "New" && len(call.Args) > 1:
		code, ok := call.Args[0].(*ast.SelectorExpr)
		if ok && (code.Sel.Name == "FeatureNotSupported" || reads && code.Sel.Name == "InvalidParameterValue") {
			return text(call.Args[1]), true
		}
	}
	return "", false
}

// text is a constant text, with %v for what is not constant in it.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return "%v"
}
