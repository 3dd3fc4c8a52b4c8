package analyze

import (
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// subquery makes the value of a query, an array of its column, or a test of its rows.
func (a Analysis[E]) subquery(e *ast.Subquery) (none E, err error) {
	if e.Kind == ast.AnySubquery || e.Kind == ast.AllSubquery {
		return a.tested(e)
	}
	if err := a.make.MayQuery(e); err != nil {
		return none, err
	}
	q, cols, err := a.make.Query(e.Select, 0)
	switch {
	case err != nil:
		return none, err
	case e.Kind == ast.ExistsSubquery:
		return a.make.Subquery(q, e.Kind, types.Bool), nil
	case len(cols) != 1:
		return none, sqlerr.New(sqlerr.SyntaxError, "subquery must return only one column").At(int(e.Pos))
	}
	t := cols[0].Type()
	if e.Kind == ast.ArraySubquery {
		if t = arrayOf(t); t.OID == types.OIDInvalid {
			return none, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s",
				cols[0].Type()).At(int(e.Pos))
		}
	}
	return a.make.Subquery(q, e.Kind, t), nil
}

// arrayOf is the type of arrays of a type; an array's is its own, but for vectors, of which there are arrays.
func arrayOf(t types.T) types.T {
	if types.Nests(t.OID) {
		return t
	}
	array, _ := types.ArrayOf(t)
	return array
}

// tested compares values with all rows of a query, with any of them or with its only one.
func (a Analysis[E]) tested(e *ast.Subquery) (none E, err error) {
	if err := a.make.MayQuery(e); err != nil {
		return none, err
	}
	left, err := a.compared(e.Left)
	if err != nil {
		return none, err
	}
	q, cols, err := a.make.Query(e.Select, len(left))
	switch {
	case err != nil:
		return none, err
	case len(cols) < len(left):
		return none, sqlerr.New(sqlerr.SyntaxError, "subquery has too few columns").At(int(e.Pos))
	case len(cols) > len(left):
		return none, sqlerr.New(sqlerr.SyntaxError, "subquery has too many columns").At(int(e.Pos))
	}
	return a.make.Tested(q, e, left, cols)
}

// compared makes the values that stand before a subquery: the fields of a row that is written out, or one value.
func (a Analysis[E]) compared(e ast.Expr) ([]E, error) {
	switch e := e.(type) {
	case *ast.Row:
		return a.Fields(e.Args)
	case *ast.Star:
		whole, err := a.make.WholeRow(e)
		return []E{whole}, err
	}
	return a.Fields([]ast.Expr{e})
}
