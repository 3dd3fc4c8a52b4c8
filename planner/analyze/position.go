package analyze

import "zproxy/parser/ast"

// Start is where an expression begins. PostgreSQL reports a wrong type there, and what is
// wrong with an operator at its sign.
func Start(e ast.Expr) ast.Pos {
	pos := e.Position()
	switch e := e.(type) {
	case *ast.Operator:
		return earlier(pos, e.Left)
	case *ast.Logic:
		return earlier(pos, e.Args[0])
	case *ast.Is:
		return earlier(pos, e.Arg)
	case *ast.Distinct:
		return earlier(pos, e.Left)
	case *ast.Between:
		return earlier(pos, e.Arg)
	case *ast.In:
		return earlier(pos, e.Arg)
	case *ast.Like:
		return earlier(pos, e.Arg)
	case *ast.Cast:
		if literal, ok := e.Arg.(*ast.Literal); ok && literal.Kind == ast.LiteralString {
			return literal.Pos // also that of date '2024-01-01'
		}
		return earlier(pos, e.Arg)
	}
	return pos
}

func earlier(pos ast.Pos, left ast.Expr) ast.Pos {
	if left == nil {
		return pos
	}
	return min(pos, Start(left))
}
