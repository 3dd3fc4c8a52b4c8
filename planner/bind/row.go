package bind

import (
	"slices"
	"strconv"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
)

// Star implements analyze.Maker.
func (m maker) Star(e *ast.Star) ([]expr.Expr, error) {
	list, _, err := m.Scope.Star(m.Binder, e)
	return list, err
}

// FieldsOf implements analyze.Maker.
func (m maker) FieldsOf(row expr.Expr) (out analyze.Fields) {
	out.Names, out.Types = m.RecordFields(row)
	if r, ok := row.(expr.Row); ok {
		out.Relation = r.Relation
	}
	return out
}

// Field implements analyze.Maker.
func (m maker) Field(row expr.Expr, i int, of analyze.Fields) expr.Expr {
	m.noteField(row.Type(), i)
	return FieldOf(row, i, of.Names[i], of.Types[i])
}

// Unstarred lists the columns that t.* and (row).* stand for in the rows of VALUES.
func (s *Scalars) Unstarred(rows [][]ast.Expr) ([][]ast.Expr, error) {
	out := make([][]ast.Expr, len(rows))
	for i, row := range rows {
		for _, e := range row {
			list, err := s.expanded(e)
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], list...)
		}
	}
	return out, nil
}

// expanded lists the columns that t.* and the fields that (row).* stand for, without binding them.
func (s *Scalars) expanded(e ast.Expr) (out []ast.Expr, err error) {
	switch e := e.(type) {
	case *ast.Star:
		_, cols, err := s.Scope.Star(s.Binder, e)
		for _, c := range cols {
			out = append(out, &ast.Column{Parts: append(slices.Clip(e.Table), c.Name), Pos: e.Pos})
		}
		return out, err
	case *ast.Field:
		if e.Name != "*" {
			break
		}
		_, names, err := s.Analysis().Starred(e)
		for _, name := range names {
			out = append(out, &ast.Field{Arg: e.Arg, Name: name, Pos: e.Pos})
		}
		return out, err
	}
	return []ast.Expr{e}, nil
}

// rowField is the name of a field of a row.
func rowField(r expr.Row, i int) string {
	if r.Names != nil {
		return r.Names[i]
	}
	return "f" + strconv.Itoa(i+1)
}
