package archtest

import (
	"go/ast"
	"slices"
	"strings"
)

// seeded are the names of math/rand that draw nothing without a seed, or are no functions.
var seeded = []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}

// checkSeeds wants tests to draw nothing but by a seed, and the flag of one to be that of internal/testseed.
func checkSeeds(t *tree) []string {
	var out []string
	for p, f := range t.files() {
		if !p.forTests(f) || p.path == "internal/testseed" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch from := f.imports[x.Name]; {
			case strings.HasPrefix(from, "math/rand") && !slices.Contains(seeded, s.Sel.Name):
				out = append(out, t.problem(s.Pos(), "%s.%s draws without a seed", x.Name, s.Sel.Name))
			case from == "flag" && len(call.Args) > 0 && strings.Contains(textOf(call.Args[0]), "seed"):
				out = append(out, t.problem(s.Pos(), "a flag of a seed: tests have -seed, by internal/testseed"))
			}
			return true
		})
	}
	return out
}

// textOf is a literal as it is written, and empty for what is none.
func textOf(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok {
		return l.Value
	}
	return ""
}
