package parser

import (
	"cmp"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// selectStmt converts the parts of a SELECT in the order of the text, which hints rely on.
// A set operation has none of the clauses between its two sides and ORDER BY.
func (c *converter) selectStmt(n *pg.SelectStmt) *ast.Select {
	if n == nil {
		return nil
	}
	if n.IntoClause != nil && n.IntoClause != c.into {
		c.fail(sqlerr.New(sqlerr.SyntaxError, "SELECT ... INTO is not allowed here").At(int(c.position(n.IntoClause))))
	}
	s := &ast.Select{With: c.with(n.WithClause), Pos: -1}
	if s.SetOp = c.setOp(n); s.SetOp != nil && s.SetOp.Left != nil {
		s.Pos = s.SetOp.Left.Pos
	}
	c.clauses(s, n)
	s.OrderBy = c.orderBy(n.SortClause)
	bounds := c.inTextOrder([]*pg.Node{limit(n), n.LimitOffset})
	s.Limit, s.Offset = bounds[0], bounds[1]
	s.LimitAll = n.LimitCount != nil && limit(n) == nil
	s.WithTies = n.LimitOption == pg.LimitOption_LIMIT_OPTION_WITH_TIES
	if s.WithTies && len(n.SortClause) > 0 && n.LimitCount.GetAConst().GetIsnull() {
		c.fail(sqlerr.New(sqlerr.InvalidRowCountInLimit, "row count cannot be null in FETCH FIRST ... WITH TIES clause"))
	}
	s.Locking = c.locking(n.LockingClause)
	return s
}

// clauses converts the clauses of a SELECT up to WINDOW, or the rows of VALUES.
func (c *converter) clauses(s *ast.Select, n *pg.SelectStmt) {
	if hasKeyword(n) {
		s.Hints = c.hints.ofSelect()
	}
	s.Values = c.rows(n.ValuesLists)
	s.Distinct, s.DistinctOn = c.distinct(n.DistinctClause)
	s.Targets = c.targets(n.TargetList)
	if len(s.Targets) > 0 {
		s.Pos = s.Targets[0].Pos
	}
	s.From = c.from(n.FromClause)
	s.Where = c.maybe(n.WhereClause)
	s.GroupBy = ast.GroupBy{Items: c.groupBy(n.GroupClause), Once: n.GroupDistinct}
	s.Having = c.maybe(n.HavingClause)
	for _, w := range n.WindowClause {
		s.Windows = append(s.Windows, *c.window(w.GetWindowDef()))
	}
}

// hasKeyword says whether a SELECT was written as such: not as a set operation, not as
// VALUES and not as TABLE t, whose * has no place in the text.
func hasKeyword(n *pg.SelectStmt) bool {
	if len(n.TargetList) == 0 {
		return n.Op == pg.SetOperation_SETOP_NONE && len(n.ValuesLists) == 0
	}
	return n.TargetList[0].GetResTarget().GetLocation() >= 0
}

func (c *converter) setOp(n *pg.SelectStmt) *ast.SetOp {
	if n.Op == pg.SetOperation_SETOP_NONE {
		c.refuse(n.All || n.Larg != nil || n.Rarg != nil, n, "a set operation")
		return nil
	}
	kind := ast.Union
	switch n.Op {
	case pg.SetOperation_SETOP_INTERSECT:
		kind = ast.Intersect
	case pg.SetOperation_SETOP_EXCEPT:
		kind = ast.Except
	}
	return &ast.SetOp{Kind: kind, All: n.All, Left: c.selectStmt(n.Larg), Right: c.selectStmt(n.Rarg)}
}

// with is WITH and its queries.
func (c *converter) with(n *pg.WithClause) *ast.With {
	if n == nil {
		return nil
	}
	out := &ast.With{Recursive: n.Recursive}
	for _, q := range n.Ctes {
		out.Queries = append(out.Queries, c.commonTable(q.GetCommonTableExpr()))
	}
	return out
}

func (c *converter) commonTable(n *pg.CommonTableExpr) ast.CommonTable {
	out := ast.CommonTable{
		Name:      n.GetCtename(),
		Columns:   names(n.Aliascolnames),
		Statement: c.dml(n.Ctequery),
		Pos:       c.at(n.Location),
	}
	if s := n.SearchClause; s != nil {
		out.Search = &ast.Search{Breadth: s.SearchBreadthFirst, Columns: names(s.SearchColList),
			Sequence: s.SearchSeqColumn, Pos: c.at(s.Location)}
	}
	if s := n.CycleClause; s != nil {
		out.Cycle = &ast.Cycle{Columns: names(s.CycleColList), Mark: s.CycleMarkColumn, Path: s.CyclePathColumn,
			Value: c.expr(s.CycleMarkValue), Default: c.expr(s.CycleMarkDefault), Pos: c.at(s.Location)}
	}
	switch n.Ctematerialized {
	case pg.CTEMaterialize_CTEMaterializeAlways:
		out.Materialized = ast.MaterializedAlways
	case pg.CTEMaterialize_CTEMaterializeNever:
		out.Materialized = ast.MaterializedNever
	}
	return out
}

// query is a SELECT or VALUES where the grammar allows other statements, too.
func (c *converter) query(n *pg.Node) *ast.Select {
	if n.GetSelectStmt() == nil {
		c.unknown(n)
		return nil
	}
	return c.selectStmt(n.GetSelectStmt())
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
		name := cmp.Or(t.GetName(), jsonName(t.GetVal()))
		out = append(out, ast.Target{Expr: c.expr(t.GetVal()), Alias: name, Pos: c.at(t.GetLocation())})
	}
	return out
}

// table is the name of a table. ONLY is refused: it differs once a table has partitions.
func (c *converter) table(n *pg.RangeVar) ast.Name {
	if n == nil {
		return ast.Name{Pos: -1}
	}
	out := c.relation(n)
	out.Only = !n.Inh
	return out
}

// relation is the name of a table with or without ONLY.
func (c *converter) relation(n *pg.RangeVar) ast.Name {
	schema := n.Schemaname
	c.says(n.Relpersistence == "u", "UNLOGGED")
	if n.Relpersistence == "t" {
		if schema != "" && schema != ast.TemporarySchema {
			c.fail(sqlerr.New(sqlerr.InvalidTableDefinition,
				"cannot create temporary relation in non-temporary schema").At(int(c.at(n.Location))))
		}
		schema = ast.TemporarySchema
	}
	if here(c, n.Catalogname) {
		n.Catalogname = "" // what is kept as text is read by sessions of any database
	}
	if n.Catalogname != "" {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"",
			n.Catalogname, n.Schemaname, n.Relname).At(int(c.at(n.Location))))
	}
	return ast.Name{Schema: schema, Name: n.Relname, Pos: c.at(n.Location)}
}

// here says whether a name is that of the session's database.
func here(c *converter, database string) bool {
	return c.watch != nil && c.watch.Database != "" && database == c.watch.Database
}

// withoutDatabase is a name without the session's database, before at least so many parts.
func withoutDatabase(c *converter, parts []*pg.Node, least int) []*pg.Node {
	if len(parts) > least && here(c, parts[0].GetString_().GetSval()) {
		return parts[1:]
	}
	return parts
}

// tables are the names of a list of tables.
func (c *converter) tables(list []*pg.Node) []ast.Name {
	var out []ast.Name
	for _, n := range list {
		out = append(out, c.tableOnly(n.GetRangeVar()))
	}
	return out
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

func (c *converter) orderBy(list []*pg.Node) []ast.Sort {
	var out []ast.Sort
	for _, n := range list {
		s := n.GetSortBy()
		item := ast.Sort{
			Expr:  c.expr(s.GetNode()),
			Desc:  s.GetSortbyDir() == pg.SortByDir_SORTBY_DESC,
			Using: c.operatorName(s.GetUseOp()),
			Nulls: nulls(s.GetSortbyNulls()),
		}
		if item.Using != "" {
			item.Pos = c.at(s.GetLocation())
		}
		out = append(out, item)
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
func limit(n *pg.SelectStmt) *pg.Node {
	if n.LimitCount.GetAConst().GetIsnull() && n.LimitOption != pg.LimitOption_LIMIT_OPTION_WITH_TIES {
		return nil
	}
	return n.LimitCount
}

func (c *converter) locking(list []*pg.Node) []ast.Locking {
	var out []ast.Locking
	for _, n := range list {
		l := n.GetLockingClause()
		strength := lockStrength(l.GetStrength())
		c.says(strength != "update", ast.WeakerLock(strength))
		c.says(l.GetWaitPolicy() == pg.LockWaitPolicy_LockWaitError, "NOWAIT among processes")
		c.says(l.GetWaitPolicy() == pg.LockWaitPolicy_LockWaitSkip, "SKIP LOCKED among processes")
		out = append(out, ast.Locking{
			Strength:   strength,
			Tables:     c.tables(l.GetLockedRels()),
			NoWait:     l.GetWaitPolicy() == pg.LockWaitPolicy_LockWaitError,
			SkipLocked: l.GetWaitPolicy() == pg.LockWaitPolicy_LockWaitSkip,
			Pos:        c.position(l),
		})
	}
	return out
}

func lockStrength(s pg.LockClauseStrength) string {
	switch s {
	case pg.LockClauseStrength_LCS_FORKEYSHARE:
		return "key share"
	case pg.LockClauseStrength_LCS_FORSHARE:
		return "share"
	case pg.LockClauseStrength_LCS_FORNOKEYUPDATE:
		return "no key update"
	}
	return "update"
}
