package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

func (c *converter) selectStmt(n *pg.SelectStmt) *ast.Select {
	if n == nil {
		return nil
	}
	c.refuse(n.WithClause != nil, n.WithClause, "WITH")
	if n.Op != pg.SetOperation_SETOP_NONE {
		c.setOperation(n)
		return nil
	}
	c.refuse(n.All, n, "ALL")
	c.refuse(n.Larg != nil || n.Rarg != nil, n, "a set operation")
	c.refuse(n.IntoClause != nil, n.IntoClause, "SELECT INTO")
	c.refuse(len(n.WindowClause) > 0, n, "WINDOW")
	c.refuse(len(n.LockingClause) > 0, n, "FOR UPDATE, FOR SHARE")
	c.refuse(n.GroupDistinct, n, "GROUP BY DISTINCT")
	s := &ast.Select{Pos: -1, Values: c.rows(n.ValuesLists)}
	if hasKeyword(n) {
		s.Hints = c.hints.ofSelect()
	}
	s.Distinct, s.DistinctOn = c.distinct(n.DistinctClause)
	s.Targets = c.targets(n.TargetList)
	if len(s.Targets) > 0 {
		s.Pos = s.Targets[0].Pos
	}
	s.From = c.from(n.FromClause)
	s.Where = c.maybe(n.WhereClause)
	s.GroupBy = c.groupBy(n.GroupClause)
	s.Having = c.maybe(n.HavingClause)
	s.OrderBy = c.orderBy(n.SortClause)
	s.Limit = c.limit(n)
	s.Offset = c.maybe(n.LimitOffset)
	return s
}

// hasKeyword says whether a SELECT was written as such: not as VALUES and not as TABLE t,
// whose * has no place in the text.
func hasKeyword(n *pg.SelectStmt) bool {
	if len(n.TargetList) == 0 {
		return len(n.ValuesLists) == 0
	}
	return n.TargetList[0].GetResTarget().GetLocation() >= 0
}

// query is a SELECT or VALUES where the grammar allows other statements, too.
func (c *converter) query(n *pg.Node) *ast.Select {
	if n.GetSelectStmt() == nil {
		c.unknown(n)
		return nil
	}
	return c.selectStmt(n.GetSelectStmt())
}

func (c *converter) setOperation(n *pg.SelectStmt) {
	switch n.Op {
	case pg.SetOperation_SETOP_UNION:
		c.refuse(true, n, "UNION")
	case pg.SetOperation_SETOP_INTERSECT:
		c.refuse(true, n, "INTERSECT")
	default:
		c.refuse(true, n, "EXCEPT")
	}
}

// distinct reads the list that stands for DISTINCT, one empty node when there is no ON.
func (c *converter) distinct(list []*pg.Node) (bool, []ast.Expr) {
	if len(list) == 1 && list[0].GetNode() == nil {
		return true, nil
	}
	return len(list) > 0, c.exprs(list)
}

func (c *converter) rows(lists []*pg.Node) [][]ast.Expr {
	var out [][]ast.Expr
	for _, l := range lists {
		out = append(out, c.exprs(l.GetList().GetItems()))
	}
	return out
}

func (c *converter) targets(list []*pg.Node) []ast.Target {
	var out []ast.Target
	for _, n := range list {
		t := n.GetResTarget()
		c.refuse(len(t.GetIndirection()) > 0, n, "a subscript or field selection")
		out = append(out, ast.Target{Expr: c.expr(t.GetVal()), Alias: t.GetName(), Pos: c.at(t.GetLocation())})
	}
	return out
}

func (c *converter) from(list []*pg.Node) []ast.From {
	var out []ast.From
	for _, n := range list {
		switch {
		case n.GetRangeVar() != nil:
			out = append(out, c.fromTable(n.GetRangeVar()))
		case n.GetRangeSubselect() != nil:
			out = append(out, c.fromSelect(n.GetRangeSubselect()))
		default:
			c.unknown(n)
		}
	}
	return out
}

func (c *converter) fromTable(n *pg.RangeVar) *ast.FromTable {
	return &ast.FromTable{
		Name:    c.table(n),
		Alias:   n.GetAlias().GetAliasname(),
		Columns: names(n.GetAlias().GetColnames()),
	}
}

func (c *converter) fromSelect(n *pg.RangeSubselect) *ast.FromSelect {
	c.refuse(n.Lateral, n, "LATERAL")
	s := c.query(n.Subquery)
	f := &ast.FromSelect{Select: s, Alias: n.GetAlias().GetAliasname(), Columns: names(n.GetAlias().GetColnames()), Pos: -1}
	if s != nil {
		f.Pos = s.Pos
	}
	return f
}

// table is the name of a table. ONLY is refused: it differs once a table has partitions.
func (c *converter) table(n *pg.RangeVar) ast.Name {
	if n == nil {
		return ast.Name{Pos: -1}
	}
	c.refuse(!n.Inh, n, "ONLY")
	c.refuse(n.Relpersistence == "t", n, "a temporary table")
	c.refuse(n.Relpersistence != "p", n, "an unlogged table")
	if n.Catalogname != "" {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"",
			n.Catalogname, n.Schemaname, n.Relname).At(int(c.at(n.Location))))
	}
	return ast.Name{Schema: n.Schemaname, Name: n.Relname, Pos: c.at(n.Location)}
}

// tableOnly is the name of a table where an alias would be lost.
func (c *converter) tableOnly(n *pg.RangeVar) ast.Name {
	c.refuse(n.GetAlias() != nil, n, "an alias of this table")
	return c.table(n)
}

// tableAs is a table with an alias that does not rename its columns.
func (c *converter) tableAs(n *pg.RangeVar) (ast.Name, string) {
	c.refuse(len(n.GetAlias().GetColnames()) > 0, n, "a list of column aliases of this table")
	return c.table(n), n.GetAlias().GetAliasname()
}

func (c *converter) groupBy(list []*pg.Node) []ast.Expr {
	for _, n := range list {
		c.refuse(n.GetGroupingSet() != nil, n, "GROUPING SETS, ROLLUP, CUBE")
	}
	return c.exprs(list)
}

func (c *converter) orderBy(list []*pg.Node) []ast.Sort {
	var out []ast.Sort
	for _, n := range list {
		s := n.GetSortBy()
		c.refuse(s.GetSortbyDir() == pg.SortByDir_SORTBY_USING || len(s.GetUseOp()) > 0, n, "ORDER BY ... USING")
		out = append(out, ast.Sort{
			Expr:  c.expr(s.GetNode()),
			Desc:  s.GetSortbyDir() == pg.SortByDir_SORTBY_DESC,
			Nulls: nulls(s.GetSortbyNulls()),
		})
	}
	return out
}

func nulls(n pg.SortByNulls) ast.NullsOrder {
	switch n {
	case pg.SortByNulls_SORTBY_NULLS_FIRST:
		return ast.NullsFirst
	case pg.SortByNulls_SORTBY_NULLS_LAST:
		return ast.NullsLast
	}
	return ast.NullsDefault
}

// limit is LIMIT, nil for LIMIT ALL and LIMIT NULL, which the grammar reads alike.
func (c *converter) limit(n *pg.SelectStmt) ast.Expr {
	c.refuse(n.LimitOption == pg.LimitOption_LIMIT_OPTION_WITH_TIES, n, "WITH TIES")
	if n.LimitCount.GetAConst().GetIsnull() {
		return nil
	}
	return c.maybe(n.LimitCount)
}
