package archtest

import (
	"go/ast"
	"strings"
)

// The package that starts goroutines, and the program whose goroutines it starts.
const (
	starter = "internal/routine"
	program = "cmd/zproxy"
)

// checkGoroutines wants every goroutine of the program to be started by one package, which turns a panic into an
// error: by no go statement elsewhere, and by no method Go of a group that does not say who is told of a bug.
func checkGoroutines(t *tree) []string {
	within := map[string]bool{}
	t.reach(program, within)
	var out []string
	for p, f := range t.files() {
		if !within[p.path] || p.path == starter || p.forTests(f) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				out = append(out, t.problem(n.Pos(), "a go statement: %s starts goroutines", starter))
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
					out = append(out, t.problem(n.Pos(),
						"a goroutine whose bugs are not reported: %s starts goroutines", starter))
				}
			}
			return true
		})
	}
	return out
}

// reach notes a package and what it imports of the project, but for its tests.
func (t *tree) reach(name string, seen map[string]bool) {
	p := t.packages[name]
	if p == nil || seen[name] {
		return
	}
	seen[name] = true
	for _, f := range p.files {
		if f.test {
			continue
		}
		for _, target := range f.imports {
			if own, ok := strings.CutPrefix(target, module); ok {
				t.reach(own, seen)
			}
		}
	}
}
