package archtest

import (
	"go/ast"
	"go/types"
)

// checkDeletions wants elements to be taken out of a slice by slices.Delete: append(s[:i], s[j:]...) leaves the last
// ones behind the end of the slice, and what they point to in memory.
func checkDeletions(t *tree) []string {
	var out []string
	for _, f := range t.files() {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && deletes(call) {
				out = append(out, t.problem(call.Pos(), "elements are taken out of a slice by append: slices.Delete does"))
			}
			return true
		})
	}
	return out
}

// deletes says whether a call is append(s[:i], s[j:]...).
func deletes(call *ast.CallExpr) bool {
	fn, ok := call.Fun.(*ast.Ident)
	if !ok || fn.Name != "append" || len(call.Args) != 2 || !call.Ellipsis.IsValid() {
		return false
	}
	front, ok := call.Args[0].(*ast.SliceExpr)
	if !ok || front.Low != nil || front.High == nil || front.Max != nil {
		return false
	}
	rest, ok := call.Args[1].(*ast.SliceExpr)
	return ok && rest.Low != nil && rest.High == nil && types.ExprString(front.X) == types.ExprString(rest.X)
}
