package bind

import (
	"maps"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// withoutSubqueries are the places whose expressions are computed on their own.
var withoutSubqueries = []string{"check constraints", IndexPredicate, "DEFAULT expressions", "transform expressions",
	"EXECUTE parameters", "COPY FROM WHERE conditions", Predicate}

// Subquery implements analyze.Maker.
func (s maker) Subquery(e *ast.Subquery) (expr.Expr, error) {
	if err := s.mayQuery(e); err != nil {
		return nil, err
	}
	var kind expr.SubqueryKind
	switch e.Kind {
	case ast.ExistsSubquery:
		kind = expr.ExistsSubquery
	case ast.ArraySubquery:
		kind = expr.ArraySubquery
	case ast.AnySubquery, ast.AllSubquery:
		return s.RowSubquery(e)
	}
	out, cols, err := s.Inner(e.Select)
	if err != nil {
		return nil, err
	}
	out.Kind, out.T = kind, types.Bool
	if kind == expr.ExistsSubquery {
		return out, nil
	}
	if len(cols) != 1 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery must return only one column").At(int(e.Pos))
	}
	out.T = cols[0].Type
	if kind == expr.ArraySubquery {
		if out.T = ArrayOf(out.T); out.T.OID == types.OIDInvalid {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s",
				cols[0].Type).At(int(e.Pos))
		}
	}
	return out, nil
}

// mayQuery refuses a subquery where none may stand.
func (s *Scalars) mayQuery(e *ast.Subquery) error {
	if !slices.Contains(withoutSubqueries, s.Where) {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot use subquery in %s",
		strings.TrimSuffix(s.Where, "s")).At(int(e.Pos))
}

// Inner plans the query of a subquery, in the scope of the expression.
func (s *Scalars) Inner(sel *ast.Select) (expr.Subquery, []plan.Column, error) {
	in := s.Scope.Inside()
	in.Tables = in.Tables.Refused("a subquery")
	in.by = s
	n, err := s.queries.Query(sel, in)
	if err != nil {
		return expr.Subquery{}, nil, err
	}
	s.Numbers++
	out := expr.Subquery{Plan: plan.Sub{Node: n}, Number: s.Numbers, Depends: slices.Sorted(maps.Keys(in.Link.Depends))}
	for _, slot := range in.Link.Slots {
		out.Slots, out.Args = append(out.Slots, slot.Number), append(out.Args, slot.Value)
	}
	return out, n.Columns(), nil
}

// RowSubquery implements analyze.Maker. It binds ANY and ALL, too. What is compared
// is brought to one type, and the test is then taken over the row of the left values and
// the columns.
func (s maker) RowSubquery(e *ast.Subquery) (expr.Expr, error) {
	if err := s.mayQuery(e); err != nil {
		return nil, err
	}
	row, ok := e.Left.(*ast.Row)
	if !ok {
		row = &ast.Row{Args: []ast.Expr{e.Left}}
		if star, ok := e.Left.(*ast.Star); ok {
			whole, err := s.Scope.starRow(s.Binder, star)
			return s.comparedWith([]expr.Expr{whole}, e, err)
		}
	}
	left, err := s.Analysis().Fields(row.Args)
	return s.comparedWith(left, e, err)
}

// comparedWith is RowSubquery with the values on the left.
func (s *Scalars) comparedWith(left []expr.Expr, e *ast.Subquery, err error) (expr.Expr, error) {
	if err != nil {
		return nil, err
	}
	out, cols, err := s.Inner(e.Select)
	if err != nil {
		return nil, err
	}
	switch {
	case len(cols) < len(left):
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has too few columns").At(int(e.Pos))
	case len(cols) > len(left):
		return nil, sqlerr.New(sqlerr.SyntaxError, "subquery has too many columns").At(int(e.Pos))
	}
	out.T = types.Bool
	out.Kind = map[ast.SubqueryKind]expr.SubqueryKind{
		ast.ScalarSubquery: expr.ScalarSubquery, ast.AnySubquery: expr.AnySubquery, ast.AllSubquery: expr.AllSubquery,
	}[e.Kind]
	right := make([]expr.Expr, len(cols))
	for i, c := range cols {
		right[i] = expr.Column{Index: len(left) + i, Name: c.Name, T: c.Type}
	}
	out.Left, out.Test, err = s.test(e.Operator, left, right, e.Pos)
	return out, err
}

// test compares values with columns of the row that they will stand in front of. It
// returns the values as they are compared.
func (b *Binder) test(sign string, left, right []expr.Expr, pos ast.Pos) ([]expr.Expr, expr.Expr, error) {
	if len(left) == 1 {
		e, err := b.operation(sign, []expr.Expr{left[0], right[0]}, pos)
		if err != nil {
			return nil, nil, err
		}
		in := e.Inputs()
		out := e.WithInputs([]expr.Expr{expr.Column{Index: 0, Name: in[0].String(), T: in[0].Type()}, in[1]})
		return in[:1], out, yieldsBool(out, pos)
	}
	values, columns, err := b.pairwise(sign, left, right, pos)
	if err != nil {
		return nil, nil, err
	}
	inputs := make([]expr.Expr, len(values))
	for i, v := range values {
		inputs[i] = expr.Column{Index: i, Name: v.String(), T: v.Type()}
	}
	test, err := compareRows(sign, inputs, columns, pos)
	return values, test, err
}

// IndexPredicate is what errors call the condition of an index.
const IndexPredicate = "index predicates"

// Predicate is what errors call a condition that stands in a text of its own.
const Predicate = "predicates"
