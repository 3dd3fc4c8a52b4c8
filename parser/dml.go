package parser

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

func (c *converter) insert(n *pg.InsertStmt) ast.Statement {
	word := c.lifted.inserts[n.GetRelation().GetLocation()]
	out := &ast.Insert{With: c.with(n.WithClause), Columns: c.columnNames(n.Cols), Replace: word == "replace",
		Upsert: word == "upsert", Hints: c.hints.ofInsert(n.Relation)}
	out.Table, out.Alias = c.tableAs(n.Relation)
	out.Overriding = overriding(n.Override)
	if n.SelectStmt != nil {
		out.Select = c.query(n.SelectStmt)
	}
	out.OnConflict = c.onConflict(n.OnConflictClause)
	if out.OnConflict != nil && out.Upsert {
		c.fail(sqlerr.New(sqlerr.SyntaxError, "syntax error at or near \"ON\"").At(int(out.OnConflict.Pos)))
	}
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
	return ast.ColumnName{Name: n.GetName(), Path: pathOf(c, n), Pos: c.at(n.GetLocation())}
}

func (c *converter) onConflict(n *pg.OnConflictClause) *ast.OnConflict {
	if n == nil {
		return nil
	}
	out := &ast.OnConflict{Pos: c.at(n.Location)}
	if n.Infer != nil {
		out.Constraint = n.Infer.Conname
		for _, k := range n.Infer.IndexElems {
			c.conflictTarget(out, k.GetIndexElem(), n.Infer)
		}
		out.Predicate = c.maybe(n.Infer.WhereClause)
	}
	if n.Action == pg.OnConflictAction_ONCONFLICT_UPDATE {
		if n.Infer == nil {
			c.fail(sqlerr.New(sqlerr.SyntaxError,
				"ON CONFLICT DO UPDATE requires inference specification or constraint name").
				WithHint("For example, ON CONFLICT (column_name).").At(int(out.Pos)))
		}
		out.Update = c.assignments(n.TargetList)
		out.Where = c.maybe(n.WhereClause)
	}
	return out
}

// conflictTarget adds one column or expression of ON CONFLICT (...), reported at the parenthesis.
func (c *converter) conflictTarget(out *ast.OnConflict, n *pg.IndexElem, at *pg.InferClause) {
	k := c.keyPart(n)
	pos := c.at(at.Location)
	unwanted := ""
	switch {
	case n.GetOrdering() > pg.SortByDir_SORTBY_DEFAULT:
		unwanted = "ASC/DESC"
	case k.Nulls != ast.NullsDefault:
		unwanted = "NULLS FIRST/LAST"
	}
	if unwanted != "" {
		c.fail(sqlerr.New(sqlerr.InvalidColumnReference, "%s is not allowed in ON CONFLICT clause", unwanted).
			At(int(pos)))
	}
	if k.OpParams != nil {
		c.fail(sqlerr.New(sqlerr.InvalidParameterValue, "operator class %s has no options", k.OpClass).At(int(pos)))
	}
	if k.Collation.Name != "" {
		k.Collation.Pos = pos
		if k.Expr == nil {
			k.Expr = &ast.Column{Parts: []string{k.Column}, Pos: pos}
		}
		k.Expr, k.Column = &ast.Collate{Arg: k.Expr, Name: k.Collation, Pos: pos}, ""
	}
	if k.Expr != nil {
		out.Exprs, out.Classes = append(out.Exprs, k.Expr), append(out.Classes, k.OpClass)
	}
	if k.Expr == nil || k.Column != "" {
		out.Columns = append(out.Columns, ast.ColumnName{Name: k.Column, Pos: pos})
		out.Classes = slices.Insert(out.Classes, len(out.Columns)-1, k.OpClass)
	}
}

// assignments are those of SET. The columns of SET (a, b) = ... stand side by side in the
// list, each with a copy of the source.
func (c *converter) assignments(list []*pg.Node) []ast.Assignment {
	var out []ast.Assignment
	var source ast.Expr
	for _, n := range list {
		t := n.GetResTarget()
		a := ast.Assignment{Column: c.columnName(t)}
		if ref := t.GetVal().GetMultiAssignRef(); ref != nil {
			if ref.Colno == 1 {
				source = c.expr(ref.Source)
			}
			a.Value = c.oneOf(source, ref)
		} else {
			a.Value = c.expr(t.GetVal())
		}
		out = append(out, a)
	}
	return out
}

// pathOf is the subscripts and fields behind a column that gets a value.
func pathOf(c *converter, n *pg.ResTarget) (out []ast.Step) {
	for _, i := range n.GetIndirection() {
		switch {
		case i.GetAStar() != nil:
			c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "row expansion via \"*\" is not supported here").
				At(int(c.at(n.GetLocation()))))
		case i.GetAIndices() == nil:
			out = append(out, ast.Step{Field: i.GetString_().GetSval()})
		case len(out) > 0 && out[len(out)-1].Field == "":
			last := &out[len(out)-1]
			last.Subscripts = append(last.Subscripts, c.index(i.GetAIndices()))
		default:
			out = append(out, ast.Step{Subscripts: []ast.SubscriptIndex{c.index(i.GetAIndices())}})
		}
	}
	return out
}

// oneOf is what one of several columns gets from their common source.
func (c *converter) oneOf(source ast.Expr, ref *pg.MultiAssignRef) ast.Expr {
	column, of := int(ref.Colno)-1, int(ref.Ncolumns)
	switch s := source.(type) {
	case *ast.Row:
		if len(s.Args) == of {
			return s.Args[column]
		}
		c.fail(sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values").At(int(s.Pos)))
	case *ast.Subquery:
		if s.Kind == ast.ScalarSubquery && s.Left == nil && s.Operator == "" {
			return &ast.SubqueryColumn{Select: s.Select, Column: column, Of: of, Pos: s.Pos}
		}
	}
	c.fail(sqlerr.New(sqlerr.FeatureNotSupported,
		"source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression").At(int(position(source))))
	return nil
}

func (c *converter) update(n *pg.UpdateStmt) ast.Statement {
	out := &ast.Update{With: c.with(n.WithClause), Hints: c.hints.ofChange(n.Relation)}
	out.Table, out.Alias = c.tableAs(n.Relation)
	out.Set = c.assignments(n.TargetList)
	out.From = c.from(n.FromClause)
	out.Where = c.maybe(n.WhereClause)
	out.Returning = c.targets(n.ReturningList)
	return out
}

func (c *converter) delete(n *pg.DeleteStmt) ast.Statement {
	out := &ast.Delete{With: c.with(n.WithClause), Hints: c.hints.ofChange(n.Relation)}
	out.Table, out.Alias = c.tableAs(n.Relation)
	out.Using = c.from(n.UsingClause)
	out.Where = c.maybe(n.WhereClause)
	out.Returning = c.targets(n.ReturningList)
	return out
}

func (c *converter) truncate(n *pg.TruncateStmt) ast.Statement {
	return &ast.Truncate{Tables: c.tables(n.Relations), RestartIdentity: n.RestartSeqs, Cascade: cascades(n.Behavior)}
}
