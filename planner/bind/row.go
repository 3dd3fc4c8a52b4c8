package bind

import (
	"slices"
	"strconv"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Field implements analyze.Maker.
func (s maker) Field(e *ast.Field) (expr.Expr, error) {
	arg, err := s.Expr(e.Arg)
	if err != nil {
		return nil, err
	}
	if !arg.Type().IsComposite() {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type",
			e.Name, arg.Type().Bare()).At(int(analyze.Start(e.Arg)))
	}
	if e.Name == "*" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"row expansion via \"*\" is not supported here").At(int(analyze.Start(e.Arg)))
	}
	names, ts := s.RecordFields(arg)
	i := slices.Index(names, e.Name)
	if i < 0 {
		return nil, noField(arg, e)
	}
	return FieldOf(arg, i, e.Name, ts[i]), nil
}

// Several implements analyze.Maker. The row of (row).* is bound once, however deep it nests.
func (s maker) Several(e ast.Expr) (out []expr.Expr, err error) {
	f, ok := e.(*ast.Field)
	if !ok || f.Name != "*" {
		list, err := s.expanded(e)
		if err != nil {
			return nil, err
		}
		return s.exprs(list)
	}
	row, names, ts, err := s.starred(f)
	for i, name := range names {
		out = append(out, FieldOf(row, i, name, ts[i]))
	}
	return out, err
}

// starred binds the row of (row).*, with the fields that it has.
func (s maker) starred(e *ast.Field) (row expr.Expr, names []string, ts []types.T, err error) {
	if row, err = s.Expr(e.Arg); err != nil {
		return nil, nil, nil, err
	}
	if names, ts = s.RecordFields(row); names == nil {
		err = sqlerr.New(sqlerr.WrongObjectType, "record type has not been registered").At(int(e.Pos))
	}
	return row, names, ts, err
}

// Unstarred lists the columns that t.* and (row).* stand for in the rows of VALUES.
func (s *Scalars) Unstarred(rows [][]ast.Expr) ([][]ast.Expr, error) {
	out := make([][]ast.Expr, len(rows))
	for i, row := range rows {
		for _, e := range row {
			list, err := maker{s}.expanded(e)
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], list...)
		}
	}
	return out, nil
}

// expanded lists the columns that t.* and the fields that (row).* stand for, without binding them.
func (s maker) expanded(e ast.Expr) (out []ast.Expr, err error) {
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
		_, names, _, err := s.starred(e)
		for _, name := range names {
			out = append(out, &ast.Field{Arg: e.Arg, Name: name, Pos: e.Pos})
		}
		return out, err
	}
	return []ast.Expr{e}, nil
}

// noField is the error for a field that a row does not have.
func noField(arg expr.Expr, e *ast.Field) error {
	row, whole := arg.(expr.Row)
	switch {
	case whole && row.Relation != "":
		return sqlerr.New(sqlerr.UndefinedColumn, "column %s.%s does not exist", row.Relation,
			e.Name).At(int(analyze.Start(e.Arg)))
	case arg.Type().OID != types.OIDRecord:
		return sqlerr.New(sqlerr.UndefinedColumn, "column %q not found in data type %s", e.Name,
			arg.Type()).At(int(analyze.Start(e.Arg)))
	}
	return sqlerr.New(sqlerr.UndefinedColumn, "could not identify column %q in record data type",
		e.Name).At(int(analyze.Start(e.Arg)))
}

// rowField is the name of a field of a row.
func rowField(r expr.Row, i int) string {
	if r.Names != nil {
		return r.Names[i]
	}
	return "f" + strconv.Itoa(i+1)
}
