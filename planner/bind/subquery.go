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
	"EXECUTE parameters", "COPY FROM WHERE conditions", Predicate, "statistics expressions",
	"column generation expressions", "index expressions", "trigger WHEN conditions", "partition bound",
	"partition key expressions", "CALL arguments", inlinedClause}

// MayQuery implements analyze.Maker.
func (m maker) MayQuery(e *ast.Subquery) error {
	where := m.withoutQueries()
	if where == "" {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot use subquery in %s",
		strings.TrimSuffix(where, "s")).At(int(e.Pos))
}

// withoutQueries is the clause, here or around, that has no subqueries; empty: there is none.
func (s *Scalars) withoutQueries() string {
	if slices.Contains(withoutSubqueries, s.Where) {
		return s.Where
	}
	return s.around
}

// Query implements analyze.Maker.
func (m maker) Query(s *ast.Select, before int) (expr.Expr, []expr.Expr, error) {
	out, cols, err := m.Inner(s)
	values := make([]expr.Expr, len(cols))
	for i, c := range cols {
		values[i] = expr.Column{Index: before + i, Name: c.Name, T: c.Type}
	}
	return out, values, err
}

var subqueryKinds = map[ast.SubqueryKind]expr.SubqueryKind{
	ast.ScalarSubquery: expr.ScalarSubquery, ast.ExistsSubquery: expr.ExistsSubquery,
	ast.ArraySubquery: expr.ArraySubquery, ast.AnySubquery: expr.AnySubquery, ast.AllSubquery: expr.AllSubquery,
}

// Subquery implements analyze.Maker.
func (m maker) Subquery(query expr.Expr, kind ast.SubqueryKind, t types.T) expr.Expr {
	out := query.(expr.Subquery)
	out.Kind, out.T = subqueryKinds[kind], t
	return out
}

// Tested implements analyze.Maker. What is compared is brought to one type, and the test is then taken over the row of
// the left values and the columns.
func (m maker) Tested(query expr.Expr, e *ast.Subquery, left, columns []expr.Expr) (expr.Expr, error) {
	out := query.(expr.Subquery)
	out.Kind, out.T = subqueryKinds[e.Kind], types.Bool
	var err error
	out.Left, out.Test, err = m.test(e.Operator, left, columns, e.Pos)
	return out, err
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

// test compares values with columns of the row that they will stand in front of. It
// returns the values as they are compared.
func (s *Scalars) test(sign string, left, right []expr.Expr, pos ast.Pos) ([]expr.Expr, expr.Expr, error) {
	if len(left) == 1 {
		e, err := called(s.Binder, func() (expr.Expr, error) {
			return s.operation(sign, []expr.Expr{left[0], right[0]}, pos)
		})
		if err != nil {
			return nil, nil, err
		}
		in := e.Inputs()
		out := e.WithInputs([]expr.Expr{expr.Column{Index: 0, Name: in[0].String(), T: in[0].Type()}, in[1]})
		return in[:1], out, yieldsBool(out, pos)
	}
	values, columns, err := s.pairwise(sign, left, right, pos)
	if err != nil {
		return nil, nil, err
	}
	inputs := make([]expr.Expr, len(values))
	for i, v := range values {
		inputs[i] = expr.Column{Index: i, Name: v.String(), T: v.Type()}
	}
	test, err := s.Analysis().CompareRows(sign, inputs, columns, pos)
	return values, test, err
}

// IndexPredicate is what errors call the condition of an index.
const IndexPredicate = "index predicates"

// Predicate is what errors call a condition that stands in a text of its own.
const Predicate = "predicates"
