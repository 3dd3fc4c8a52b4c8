package bind

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Variables are names that stand for values which a function has: its parameters and variables.
type Variables interface {
	// Named is what a name stands for, nil for nothing.
	Named(parts []string) expr.Expr
	// Numbered is what $n stands for, nil for nothing.
	Numbered(n int) expr.Expr
	// Conflicts says whether a name may not stand for a column and for a variable.
	Conflicts() bool
}

// variable is what a name stands for that may be a variable: one that is no column, or found is.
func (m maker) variable(e *ast.Column, found expr.Expr, missing error) (expr.Expr, error) {
	if missing != nil {
		known, ok := missing.(*sqlerr.Error)
		if !ok || known.Code != sqlerr.UndefinedColumn && known.Code != sqlerr.UndefinedTable {
			return nil, missing
		}
		if v := m.Variables.Named(e.Parts); v != nil {
			m.Scope.carries(v)
			return v, nil
		}
		return nil, missing
	}
	if m.Variables.Conflicts() && m.Variables.Named(e.Parts) != nil {
		return nil, sqlerr.New(sqlerr.AmbiguousColumn, "column reference %s is ambiguous", quoteParts(e.Parts)).
			WithDetail("It could refer to either a PL/pgSQL variable or a table column.").At(int(e.Pos))
	}
	return found, nil
}

// carries notes that a query reads what a variable stands for, which may be of the row around a call in FROM.
func (s *Scope) carries(v expr.Expr) {
	expr.Any(v, func(e expr.Expr) bool {
		if outer, ok := e.(expr.Outer); ok {
			for at := s; at != nil && at.Link != nil; at = at.Outer {
				at.Link.Depends[outer.Slot] = true
			}
		}
		return false
	})
}
