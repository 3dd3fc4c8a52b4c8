package bind

import (
	"slices"
	"strconv"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// rowBinder binds rows, and lists what t.* and (row).* stand for.
type rowBinder struct{ *Scalars }

// rows binds a comparison of two rows that are written out. Field by field, an index can
// be searched by it.
func (s rowBinder) rows(sign string, left, right *ast.Row, pos ast.Pos) (expr.Expr, error) {
	l, err := s.rowArgs(left)
	if err != nil {
		return nil, err
	}
	r, err := s.rowArgs(right)
	if err != nil {
		return nil, err
	}
	if len(l) != len(r) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(int(pos))
	}
	if len(l) == 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cannot compare rows of zero length").At(int(pos))
	}
	if l, r, err = s.pairwise(sign, l, r, pos); err != nil {
		return nil, err
	}
	return compareRows(sign, l, r, pos)
}

// pairwise brings the fields of two rows to types that can be compared. With an operator that does
// not compare, it only finds what is wrong first.
func (b *Binder) pairwise(sign string, left, right []expr.Expr, pos ast.Pos) (l, r []expr.Expr, err error) {
	l, r = make([]expr.Expr, len(left)), make([]expr.Expr, len(left))
	_, compares := comparisons[sign]
	for i := range left {
		if compares {
			l[i], r[i], err = b.comparable(sign, left[i], right[i], pos)
		} else if l[i], err = b.operator(sign, []expr.Expr{left[i], right[i]}, pos); err == nil {
			r[i], err = right[i], yieldsBool(l[i], pos)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return l, r, nil
}

// yieldsBool refuses an operator that says anything else of two fields.
func yieldsBool(e expr.Expr, pos ast.Pos) error {
	if e.Type().OID == types.OIDBool {
		return nil
	}
	return sqlerr.New(sqlerr.DatatypeMismatch, "row comparison operator must yield type boolean, not type %s", e.Type()).At(int(pos))
}

// compareRows compares fields that are of like types. Rows are equal when all fields
// are; other comparisons go by the first difference.
func compareRows(sign string, left, right []expr.Expr, pos ast.Pos) (expr.Expr, error) {
	op, ok := comparisons[sign]
	if !ok {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "could not determine interpretation of row comparison operator %s", sign).
			WithHint("Row comparison operators must be associated with btree operator families.").At(int(pos))
	}
	if op != expr.EQ && op != expr.NE {
		if len(left) == 1 {
			return expr.Compare{Op: op, Left: left[0], Right: right[0]}, nil
		}
		return expr.RowCompare{Op: op, Left: left, Right: right}, nil
	}
	all := make([]expr.Expr, len(left))
	for i := range all {
		all[i] = expr.Compare{Op: op, Left: left[i], Right: right[i]}
	}
	if op == expr.NE && len(all) > 1 {
		return expr.Logic{Or: true, Args: all}, nil
	}
	return expr.Conjoin(all), nil
}

// row binds ROW(...) as a value.
func (s rowBinder) row(e *ast.Row) (expr.Expr, error) {
	args, err := s.rowArgs(e)
	if err != nil {
		return nil, err
	}
	for i := range args {
		if args[i], err = s.KnownType(args[i], e.Position()); err != nil {
			return nil, err
		}
	}
	return expr.Row{Args: args}, nil
}

// rowArgs binds the fields of ROW(...), in which t.* stands for its columns.
func (s rowBinder) rowArgs(e *ast.Row) (out []expr.Expr, err error) {
	for _, arg := range e.Args {
		fields, err := s.rowArg(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, fields...)
	}
	return out, nil
}

// field binds (record).name.
func (s rowBinder) field(e *ast.Field) (expr.Expr, error) {
	arg, err := s.Expr(e.Arg)
	if err != nil {
		return nil, err
	}
	if !arg.Type().IsComposite() {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type",
			e.Name, arg.Type().Bare()).At(int(Start(e.Arg)))
	}
	if e.Name == "*" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"row expansion via \"*\" is not supported here").At(int(Start(e.Arg)))
	}
	names, ts := s.RecordFields(arg)
	i := slices.Index(names, e.Name)
	if i < 0 {
		return nil, noField(arg, e)
	}
	return FieldOf(arg, i, e.Name, ts[i]), nil
}

// rowArg is one expression, or those that t.* and (row).* stand for. The row is bound once, however
// deep it nests.
func (s rowBinder) rowArg(e ast.Expr) (out []expr.Expr, err error) {
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
func (s rowBinder) starred(e *ast.Field) (row expr.Expr, names []string, ts []types.T, err error) {
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
			list, err := rowBinder{s}.expanded(e)
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], list...)
		}
	}
	return out, nil
}

// expanded lists the columns that t.* and the fields that (row).* stand for, without binding them.
func (s rowBinder) expanded(e ast.Expr) (out []ast.Expr, err error) {
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
			e.Name).At(int(Start(e.Arg)))
	case arg.Type().OID != types.OIDRecord:
		return sqlerr.New(sqlerr.UndefinedColumn, "column %q not found in data type %s", e.Name,
			arg.Type()).At(int(Start(e.Arg)))
	}
	return sqlerr.New(sqlerr.UndefinedColumn, "could not identify column %q in record data type",
		e.Name).At(int(Start(e.Arg)))
}

// rowIsNull is IS [NOT] NULL of a row that is written out: whether all fields are NULL, or
// none is.
func (s rowBinder) rowIsNull(row *ast.Row, e *ast.Is) (expr.Expr, error) {
	args, err := s.rowArgs(row)
	if err != nil {
		return nil, err
	}
	var all []expr.Expr
	for _, x := range args {
		all = append(all, expr.IsNull{Arg: x, Not: e.Not})
	}
	if len(all) == 0 { // all of no fields are
		return expr.Const{Value: types.NewBool(true), T: types.Bool}, nil
	}
	return expr.Conjoin(all), nil
}

// rowsDistinct is IS [NOT] DISTINCT FROM of two rows that are written out.
func (s rowBinder) rowsDistinct(left, right *ast.Row, e *ast.Distinct) (expr.Expr, error) {
	ls, err := s.rowArgs(left)
	if err != nil {
		return nil, err
	}
	rs, err := s.rowArgs(right)
	if err != nil {
		return nil, err
	}
	if len(ls) != len(rs) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(int(e.Pos))
	}
	var all []expr.Expr
	for i := range ls {
		l, r, err := s.comparable("=", ls[i], rs[i], e.Pos)
		if err != nil {
			return nil, err
		}
		all = append(all, expr.Distinct{Left: l, Right: r, Not: e.Not})
	}
	if len(all) == 0 {
		return expr.Const{Value: types.NewBool(e.Not), T: types.Bool}, nil
	}
	if e.Not || len(all) == 1 {
		return expr.Conjoin(all), nil
	}
	return expr.Logic{Or: true, Args: all}, nil
}

// rowField is the name of a field of a row.
func rowField(r expr.Row, i int) string {
	if r.Names != nil {
		return r.Names[i]
	}
	return "f" + strconv.Itoa(i+1)
}
