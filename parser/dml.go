package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

func (c *converter) insert(n *pg.InsertStmt) ast.Statement {
	c.refuse(n.WithClause != nil, n.WithClause, "WITH")
	c.refuse(n.Override > pg.OverridingKind_OVERRIDING_NOT_SET, n.Relation, "OVERRIDING")
	out := &ast.Insert{Table: c.tableOnly(n.Relation), Columns: c.columnNames(n.Cols), Replace: c.lifted.replace}
	if n.SelectStmt != nil {
		out.Select = c.query(n.SelectStmt)
	}
	out.OnConflict = c.onConflict(n.OnConflictClause)
	out.Returning = c.targets(n.ReturningList)
	return out
}

// columnNames are the columns of INSERT, which the grammar reads as targets.
func (c *converter) columnNames(list []*pg.Node) []ast.ColumnName {
	var out []ast.ColumnName
	for _, n := range list {
		out = append(out, c.columnName(n.GetResTarget()))
	}
	return out
}

func (c *converter) columnName(n *pg.ResTarget) ast.ColumnName {
	c.refuse(len(n.GetIndirection()) > 0, n, "a subscript or field selection")
	return ast.ColumnName{Name: n.GetName(), Pos: c.at(n.GetLocation())}
}

func (c *converter) onConflict(n *pg.OnConflictClause) *ast.OnConflict {
	if n == nil {
		return nil
	}
	out := &ast.OnConflict{Pos: c.at(n.Location)}
	if n.Infer != nil {
		c.refuse(n.Infer.WhereClause != nil, n.Infer, "WHERE in the target of ON CONFLICT")
		out.Constraint = n.Infer.Conname
		for _, k := range n.Infer.IndexElems {
			out.Columns = append(out.Columns, c.conflictColumn(k.GetIndexElem(), n.Infer))
		}
	}
	if n.Action == pg.OnConflictAction_ONCONFLICT_UPDATE {
		if n.Infer == nil {
			c.fail(sqlerr.New(sqlerr.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
				WithHint("For example, ON CONFLICT (column_name).").At(int(out.Pos)))
		}
		out.Update = c.assignments(n.TargetList)
		out.Where = c.maybe(n.WhereClause)
	}
	return out
}

// conflictColumn is one column of ON CONFLICT (...), reported at the parenthesis.
func (c *converter) conflictColumn(n *pg.IndexElem, at *pg.InferClause) ast.ColumnName {
	k := c.keyPart(n)
	c.refuse(k.Desc || k.Nulls != ast.NullsDefault, at, "an order in the target of ON CONFLICT")
	c.refuse(k.OpClass != "" || k.OpParams != nil, at, "an operator class in the target of ON CONFLICT")
	return ast.ColumnName{Name: k.Column, Pos: c.at(at.Location)}
}

func (c *converter) assignments(list []*pg.Node) []ast.Assignment {
	var out []ast.Assignment
	for _, n := range list {
		t := n.GetResTarget()
		out = append(out, ast.Assignment{Column: c.columnName(t), Value: c.expr(t.GetVal())})
	}
	return out
}

func (c *converter) update(n *pg.UpdateStmt) ast.Statement {
	c.refuse(n.WithClause != nil, n.WithClause, "WITH")
	for _, f := range n.FromClause {
		c.refuse(true, f, "FROM in UPDATE")
	}
	out := &ast.Update{Set: c.assignments(n.TargetList), Where: c.maybe(n.WhereClause), Hints: c.hints.ofChange()}
	out.Table, out.Alias = c.tableAs(n.Relation)
	out.Returning = c.targets(n.ReturningList)
	return out
}

func (c *converter) delete(n *pg.DeleteStmt) ast.Statement {
	c.refuse(n.WithClause != nil, n.WithClause, "WITH")
	for _, f := range n.UsingClause {
		c.refuse(true, f, "USING in DELETE")
	}
	out := &ast.Delete{Where: c.maybe(n.WhereClause), Hints: c.hints.ofChange()}
	out.Table, out.Alias = c.tableAs(n.Relation)
	out.Returning = c.targets(n.ReturningList)
	return out
}
