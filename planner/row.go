package planner

import (
	"slices"
	"strconv"

	"zproxy/parser/ast"
	"zproxy/planner/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// rowOperands are the fields of two rows that are written out beside an operator.
func rowOperands(e *ast.Operator) (left, right *ast.Row, ok bool) {
	left, ok = e.Left.(*ast.Row)
	if !ok {
		return nil, nil, false
	}
	right, ok = e.Right.(*ast.Row)
	return left, right, ok
}

// rows plans a comparison of two rows that are written out. Field by field, an index can
// be searched by it.
func (s *scalars) rows(sign string, left, right *ast.Row, pos ast.Pos) (expr.Expr, error) {
	if len(left.Args) != len(right.Args) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(int(pos))
	}
	if len(left.Args) == 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cannot compare rows of zero length").At(int(pos))
	}
	l, r := make([]expr.Expr, len(left.Args)), make([]expr.Expr, len(left.Args))
	for i := range l {
		var err error
		if l[i], err = s.expr(left.Args[i]); err != nil {
			return nil, err
		}
		if r[i], err = s.expr(right.Args[i]); err != nil {
			return nil, err
		}
	}
	l, r, err := s.pairwise(sign, l, r, pos)
	if err != nil {
		return nil, err
	}
	return compareRows(sign, l, r, pos)
}

// pairwise brings the fields of two rows to types that can be compared. With an operator that does
// not compare, it only finds what is wrong first.
func (s *scalars) pairwise(sign string, left, right []expr.Expr, pos ast.Pos) (l, r []expr.Expr, err error) {
	l, r = make([]expr.Expr, len(left)), make([]expr.Expr, len(left))
	_, compares := comparisons[sign]
	for i := range left {
		if compares {
			l[i], r[i], err = s.comparable(sign, left[i], right[i], pos)
		} else if l[i], err = s.operator(sign, []expr.Expr{left[i], right[i]}, pos); err == nil {
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

// row plans ROW(...) as a value.
func (s *scalars) row(e *ast.Row) (expr.Expr, error) {
	out := expr.Row{}
	for _, arg := range e.Args {
		if star, ok := arg.(*ast.Star); ok {
			fields, _, err := s.scope.star(s.Planner, star)
			if err != nil {
				return nil, err
			}
			out.Args = append(out.Args, fields...)
			continue
		}
		field, err := s.expr(arg)
		if err != nil {
			return nil, err
		}
		if field, err = s.knownType(field, start(arg)); err != nil {
			return nil, err
		}
		out.Args = append(out.Args, field)
	}
	return out, nil
}

// field plans (record).name.
func (s *scalars) field(e *ast.Field) (expr.Expr, error) {
	arg, err := s.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	if arg.Type().OID != types.OIDRecord {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type",
			e.Name, types.Of(arg.Type().OID)).At(int(start(e.Arg)))
	}
	if e.Name == "*" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "row expansion via \"*\" is not supported here").At(int(start(e.Arg)))
	}
	names, ts := s.recordFields(arg)
	i := slices.Index(names, e.Name)
	if i < 0 {
		return nil, sqlerr.New(sqlerr.UndefinedColumn, "could not identify column %q in record data type", e.Name).At(int(start(e.Arg)))
	}
	return expr.Field{Arg: arg, Place: i, Name: e.Name, T: ts[i]}, nil
}

// rowIsNull is IS [NOT] NULL of a row that is written out: whether all fields are NULL, or
// none is.
func (s *scalars) rowIsNull(row *ast.Row, e *ast.Is) (expr.Expr, error) {
	var all []expr.Expr
	for _, arg := range row.Args {
		x, err := s.expr(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, expr.IsNull{Arg: x, Not: e.Not})
	}
	if len(all) == 0 { // all of no fields are
		return expr.Const{Value: types.NewBool(true), T: types.Bool}, nil
	}
	return expr.Conjoin(all), nil
}

// rowsDistinct is IS [NOT] DISTINCT FROM of two rows that are written out.
func (s *scalars) rowsDistinct(left, right *ast.Row, e *ast.Distinct) (expr.Expr, error) {
	if len(left.Args) != len(right.Args) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(int(e.Pos))
	}
	var all []expr.Expr
	for i := range left.Args {
		l, r, err := s.pair("=", left.Args[i], right.Args[i], e.Pos)
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
