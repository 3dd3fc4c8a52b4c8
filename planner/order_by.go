package planner

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// sortKey is an ORDER BY expression: an item of the select list, or of its own.
type sortKey struct {
	plan.SortKey
	item int // -1: not in the select list
}

// orderBy plans ORDER BY: a number or the name of a column of the result means that
// column, anything else is an expression over the columns of FROM.
func (q *query) orderBy(s *ast.Select) ([]sortKey, error) {
	var keys []sortKey
	for _, o := range s.OrderBy {
		k := sortKey{item: -1}
		k.Desc = o.Desc
		k.NullsFirst = o.NullsFirst()
		item, err := q.listItem(o.Expr, "ORDER BY")
		if err != nil {
			return nil, err
		}
		if item >= 0 {
			k.item, k.Expr = item, q.list[item]
		} else if k.Expr, err = q.Expr(o.Expr); err != nil {
			return nil, err
		}
		if k.Expr, err = q.KnownType(k.Expr, analyze.Start(o.Expr)); err != nil {
			return nil, err
		}
		if !bind.Ordered(k.Expr.Type()) {
			return nil, bind.Unordered(k.Expr.Type(), analyze.Start(o.Expr))
		}
		if k.item < 0 {
			k.item = bind.IndexOf(q.list, k.Expr)
		}
		if s.Distinct && s.DistinctOn == nil && k.item < 0 {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference,
				"for SELECT DISTINCT, ORDER BY expressions must appear in select list").At(int(analyze.Start(o.Expr)))
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// listItem is the item of the select list that an expression of ORDER BY or GROUP BY
// means by its number or name, -1 for none.
func (q *query) listItem(e ast.Expr, clause string) (int, error) {
	// In GROUP BY a column of FROM comes first.
	if c, ok := e.(*ast.Column); ok && len(c.Parts) == 1 && clause == "GROUP BY" {
		if found, _, err := q.Scope.Own(c); err == nil && found != nil {
			return -1, nil
		}
	}
	same := func(i, k int) bool { return expr.Equal(q.list[i], q.list[k]) }
	return bind.ListItem(e, clause, len(q.list), func(i int) string { return q.cols[i].Name }, same)
}
