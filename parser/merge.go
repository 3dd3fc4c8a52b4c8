package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// merge is MERGE.
func merge(c *converter, n *pg.MergeStmt) ast.Statement {
	out := &ast.Merge{With: c.with(n.WithClause), Hints: c.hints.ofChange(n.Relation)}
	out.Table, out.Alias = c.tableAs(n.Relation)
	if from := c.from([]*pg.Node{n.SourceRelation}); len(from) > 0 {
		out.Using = from[0]
	}
	out.On = c.maybe(n.JoinCondition)
	for _, w := range n.MergeWhenClauses {
		out.Whens = append(out.Whens, mergeWhen(c, w.GetMergeWhenClause()))
	}
	out.Returning = c.targets(n.ReturningList)
	return out
}

// mergeWhen is one WHEN of MERGE.
func mergeWhen(c *converter, n *pg.MergeWhenClause) ast.MergeWhen {
	out := ast.MergeWhen{Matched: n.MatchKind == pg.MergeMatchKind_MERGE_WHEN_MATCHED,
		BySource: n.MatchKind == pg.MergeMatchKind_MERGE_WHEN_NOT_MATCHED_BY_SOURCE,
		Cond:     c.maybe(n.Condition), Values: c.exprs(n.Values), Overriding: overriding(n.Override)}
	switch n.CommandType {
	case pg.CmdType_CMD_UPDATE:
		out.Do = ast.MergeUpdate
	case pg.CmdType_CMD_DELETE:
		out.Do = ast.MergeDelete
	case pg.CmdType_CMD_INSERT:
		out.Do, out.Columns = ast.MergeInsert, c.columnNames(n.TargetList)
		return out
	}
	out.Set = c.assignments(n.TargetList)
	return out
}

// overriding is which values of identity columns give way, or are taken.
func overriding(o pg.OverridingKind) string {
	switch o {
	case pg.OverridingKind_OVERRIDING_SYSTEM_VALUE:
		return "system"
	case pg.OverridingKind_OVERRIDING_USER_VALUE:
		return "user"
	}
	return ""
}
