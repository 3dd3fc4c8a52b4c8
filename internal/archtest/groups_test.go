package archtest

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// checkGroups wants each group of imports, which a blank line ends, to be of one kind: the standard library, other
// modules, or the project.
func checkGroups(t *tree) (out []string) {
	line := func(at token.Pos) int { return t.fset.Position(at).Line }
	for _, f := range t.files() {
		var last *ast.ImportSpec
		for _, spec := range f.syntax.Imports {
			if last != nil && line(spec.Pos()) == line(last.End())+1 && kindOf(spec) != kindOf(last) {
				out = append(out, t.problem(spec.Pos(), "imports of several kinds in one group"))
			}
			last = spec
		}
	}
	return out
}

// kindOf tells the standard library, the project and other modules apart, whose paths begin with a domain.
func kindOf(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	first, _, _ := strings.Cut(path, "/")
	switch {
	case first == "zproxy":
		return "project"
	case strings.Contains(first, "."):
		return "module"
	}
	return "standard"
}
