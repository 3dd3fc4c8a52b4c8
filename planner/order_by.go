package planner

import (
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/collate"
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
		var k sortKey
		e, item, err := clause.Listed(q.Analysis(), o.Expr, clause.OrderBy, q.selected())
		if err != nil {
			return nil, err
		}
		by, err := clause.SortBy(q.Analysis(), e, o)
		if err != nil {
			return nil, err
		}
		k.SortKey, k.item = plan.SortKey{Expr: by.Expr, Desc: by.Desc, NullsFirst: by.NullsFirst}, item
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

// collated has sort keys compare as their collations say. What it makes of a key is no part of the query any more: it
// comes behind all that looks for keys among other expressions.
func collated(q *query, keys []sortKey) (err error) {
	for i := range keys {
		if keys[i].Expr, err = collate.Sorted(q.Catalog, keys[i].Expr); err != nil {
			return err
		}
	}
	return nil
}
