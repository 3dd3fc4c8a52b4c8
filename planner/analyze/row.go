package analyze

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Fields makes the fields of a row that is written out, in which t.* stands for its columns.
func (a Analysis[E]) Fields(list []ast.Expr) (out []E, err error) {
	out = slices.Grow(out, len(list))
	for _, arg := range list {
		if out, err = a.Append(out, arg); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Append appends an expression, or those that t.* and (row).* stand for. The row is made once, however deep it nests.
func (a Analysis[E]) Append(to []E, e ast.Expr) ([]E, error) {
	switch e := e.(type) {
	case *ast.Star:
		all, err := a.make.Star(e)
		return append(to, all...), err
	case *ast.Field:
		if e.Name != "*" {
			break
		}
		all, _, err := a.Starred(e)
		return append(to, all...), err
	}
	one, err := a.make.Expr(e)
	return append(to, one), err
}

// Starred makes the fields that (row).* stands for, and tells their names.
func (a Analysis[E]) Starred(e *ast.Field) (out []E, names []string, err error) {
	row, err := a.make.Expr(e.Arg)
	if err != nil {
		return nil, nil, err
	}
	fields := a.make.FieldsOf(row)
	if fields.Names == nil {
		err = sqlerr.New(sqlerr.WrongObjectType, "record type has not been registered").At(int(e.Pos))
	}
	for i := range fields.Names {
		out = append(out, a.make.Field(row, i, fields))
	}
	return out, fields.Names, err
}

// field makes (row).name.
func (a Analysis[E]) field(e *ast.Field) (none E, err error) {
	row, err := a.make.Expr(e.Arg)
	if err != nil {
		return none, err
	}
	at := int(Start(e.Arg))
	switch {
	case !row.Type().IsComposite():
		return none, sqlerr.New(sqlerr.WrongObjectType,
			"column notation .%s applied to type %s, which is not a composite type", e.Name, row.Type().Bare()).At(at)
	case e.Name == "*":
		return none, sqlerr.New(sqlerr.FeatureNotSupported, "row expansion via \"*\" is not supported here").At(at)
	}
	fields := a.make.FieldsOf(row)
	i := slices.Index(fields.Names, e.Name)
	switch {
	case i >= 0:
		return a.make.Field(row, i, fields), nil
	case fields.Relation != "":
		return none, sqlerr.New(sqlerr.UndefinedColumn, "column %s.%s does not exist", fields.Relation, e.Name).At(at)
	case row.Type().OID != types.OIDRecord:
		return none, sqlerr.New(sqlerr.UndefinedColumn, "column %q not found in data type %s", e.Name,
			row.Type()).At(at)
	}
	return none, sqlerr.New(sqlerr.UndefinedColumn, "could not identify column %q in record data type", e.Name).At(at)
}

func (a Analysis[E]) bothFields(left, right *ast.Row) (l, r []E, err error) {
	if l, err = a.Fields(left.Args); err == nil {
		r, err = a.Fields(right.Args)
	}
	return l, r, err
}

// rows makes a comparison of two rows that are written out.
func (a Analysis[E]) rows(sign string, left, right *ast.Row, pos ast.Pos) (out E, err error) {
	l, r, err := a.bothFields(left, right)
	if err != nil {
		return out, err
	}
	return a.CompareRows(sign, l, r, pos)
}

// CompareRows compares rows field by field, so that an index can be searched by it. They are equal when all fields are;
// other comparisons go by the first difference.
func (a Analysis[E]) CompareRows(sign string, left, right []E, pos ast.Pos) (out E, err error) {
	switch {
	case len(left) != len(right):
		return out, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(int(pos))
	case len(left) == 0:
		return out, sqlerr.New(sqlerr.FeatureNotSupported, "cannot compare rows of zero length").At(int(pos))
	}
	pairs, err := a.make.Pairs(sign, left, right, pos)
	switch {
	case err != nil:
		return out, err
	case len(pairs) == 1:
		return pairs[0], nil
	case sign == "=":
		return a.make.Form(&Logic[E]{"AND", pairs})
	case sign == "<>" || sign == "!=":
		return a.make.Form(&Logic[E]{"OR", pairs})
	}
	return a.make.RowCompare(pairs), nil
}
