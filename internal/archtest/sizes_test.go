package archtest

import (
	"fmt"
	"go/ast"
)

// limits are the largest sizes that are allowed.
type limits struct{ function, file, parameters, methods int }

// allowed fit a screen and a head. Generated files are excepted, and nothing else.
var allowed = limits{function: 70, file: 500, parameters: 5, methods: 6}

// checkSizes measures files, functions in lines, their parameters without the receiver,
// and the methods that interfaces declare.
func checkSizes(t *tree) []string { return t.over(allowed) }

func (t *tree) over(l limits) []string {
	var out []string
	for _, f := range t.files() {
		if f.generated {
			continue
		}
		if f.lines > l.file {
			out = append(out, fmt.Sprintf("%s: %d lines", f.path, f.lines))
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if lines := t.lines(n); lines > l.function {
					out = append(out, t.problem(n.Pos(), "%s has %d lines", n.Name.Name, lines))
				}
			case *ast.FuncType:
				if count := n.Params.NumFields(); count > l.parameters {
					out = append(out, t.problem(n.Pos(), "%d parameters", count))
				}
			case *ast.InterfaceType:
				if count := declared(n); count > l.methods {
					out = append(out, t.problem(n.Pos(), "an interface of %d methods", count))
				}
			}
			return true
		})
	}
	return out
}

func (t *tree) lines(f *ast.FuncDecl) int {
	return t.fset.Position(f.End()).Line - t.fset.Position(f.Type.Pos()).Line + 1
}

func declared(i *ast.InterfaceType) int {
	count := 0
	for _, m := range i.Methods.List {
		count += len(m.Names)
	}
	return count
}
