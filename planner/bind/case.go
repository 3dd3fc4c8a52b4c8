package bind

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/types"
)

func (s *Scalars) caseExpr(e *ast.Case) (expr.Expr, error) {
	out := expr.Case{}
	for _, w := range e.Whens {
		cond := w.Cond
		if e.Arg != nil {
			cond = &ast.Operator{Name: "=", Left: e.Arg, Right: w.Cond, Pos: e.Pos}
		}
		c, err := s.Condition(cond, "CASE/WHEN")
		if err != nil {
			return nil, err
		}
		out.Whens = append(out.Whens, expr.When{Cond: c})
	}
	var results []ast.Expr // ELSE first, since the first one decides the type
	if e.Else != nil {
		results = append(results, e.Else)
	}
	for _, w := range e.Whens {
		results = append(results, w.Result)
	}
	planned, t, err := s.CommonOf(results, "CASE")
	if err != nil {
		return nil, err
	}
	if e.Else != nil {
		out.Else, planned = planned[0], planned[1:]
	}
	for i := range out.Whens {
		out.Whens[i].Result = planned[i]
	}
	if out.T = t; e.Else == nil {
		out.T.Mod = -1 // NULL, which there is else, has none
	}
	return out, nil
}

func starts(list []ast.Expr) []ast.Pos {
	out := make([]ast.Pos, len(list))
	for i, e := range list {
		out[i] = Start(e)
	}
	return out
}

// CommonOf binds expressions and brings them to one type.
func (s *Scalars) CommonOf(list []ast.Expr, what string) ([]expr.Expr, types.T, error) {
	all, err := s.exprs(list)
	if err != nil {
		return nil, types.Unknown, err
	}
	return s.Common(all, what, starts(list))
}
