package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

func (c *converter) from(list []*pg.Node) []ast.From {
	var out []ast.From
	for _, n := range list {
		out = append(out, c.fromItem(n))
	}
	return out
}

// fromItem is one item of FROM, or one side of a join.
func (c *converter) fromItem(node *pg.Node) ast.From {
	switch n := node.GetNode().(type) {
	case *pg.Node_RangeVar:
		return c.fromTable(n.RangeVar)
	case *pg.Node_RangeTableSample:
		return fromSample(c, n.RangeTableSample)
	case *pg.Node_RangeSubselect:
		return c.fromSelect(n.RangeSubselect)
	case *pg.Node_RangeFunction:
		return c.fromFunction(n.RangeFunction)
	case *pg.Node_JsonTable:
		return fromJSONTable(c, n.JsonTable)
	case *pg.Node_JoinExpr:
		return c.fromJoin(n.JoinExpr)
	}
	c.unknown(node)
	return nil
}

func (c *converter) fromTable(n *pg.RangeVar) *ast.FromTable {
	return &ast.FromTable{
		Name:    c.table(n),
		Alias:   n.GetAlias().GetAliasname(),
		Columns: names(n.GetAlias().GetColnames()),
	}
}

func fromSample(c *converter, n *pg.RangeTableSample) ast.From {
	out := c.fromTable(n.Relation.GetRangeVar())
	out.Sample = &ast.Sample{Method: strings.Join(names(n.Method), "."), Args: c.exprs(n.Args),
		Repeatable: c.maybe(n.Repeatable), Pos: c.at(n.Location)}
	return out
}

func (c *converter) fromSelect(n *pg.RangeSubselect) ast.From {
	s := c.query(n.Subquery)
	f := &ast.FromSelect{
		Select:  s,
		Lateral: n.Lateral,
		Alias:   n.GetAlias().GetAliasname(),
		Columns: names(n.GetAlias().GetColnames()),
		Pos:     -1,
	}
	if s != nil {
		f.Pos = s.Pos
	}
	return f
}

// fromFunction is f(...) or ROWS FROM (f(...), ...). Each function comes as a pair with the
// columns that ROWS FROM defines for it.
func (c *converter) fromFunction(n *pg.RangeFunction) ast.From {
	f := &ast.FromFunction{
		Lateral:    n.Lateral,
		Ordinality: n.Ordinality,
		Alias:      n.GetAlias().GetAliasname(),
		Columns:    names(n.GetAlias().GetColnames()),
		TypesPos:   -1,
		Pos:        -1,
	}
	for _, pair := range n.Functions {
		items := pair.GetList().GetItems()
		if len(items) == 0 {
			c.unknown(pair)
			continue
		}
		f.Calls = append(f.Calls, c.expr(items[0]))
		for _, defs := range items[1:] {
			if list := c.columnList(defs.GetList().GetItems()); list.Types != nil {
				list.Call = len(f.Calls) - 1
				f.Lists = append(f.Lists, list)
			}
		}
	}
	if len(f.Calls) > 0 {
		f.Pos = position(f.Calls[0])
	}
	if list := c.columnList(n.Coldeflist); list.Types != nil {
		f.Columns, f.Types, f.TypesPos = append(f.Columns, list.Names...), list.Types, list.Pos
	}
	return f
}

// columnList is a column definition list.
func (c *converter) columnList(items []*pg.Node) (out ast.ColumnList) {
	for i, d := range items {
		def := d.GetColumnDef()
		c.columnExtras(def)
		c.refuse(columnSettings(def) != nil, d, "STORAGE")
		c.refuse(len(def.GetConstraints()) > 0, d, "a constraint of a column in FROM")
		if i == 0 {
			out.Pos = c.at(def.GetLocation())
		}
		out.Names = append(out.Names, def.GetColname())
		out.Types = append(out.Types, columnType(c, def.GetColname(), def.GetTypeName()))
	}
	return out
}

func (c *converter) fromJoin(n *pg.JoinExpr) ast.From {
	j := &ast.FromJoin{
		Left:       c.fromItem(n.Larg),
		Right:      c.fromItem(n.Rarg),
		Natural:    n.IsNatural,
		UsingAlias: n.GetJoinUsingAlias().GetAliasname(),
		On:         c.maybe(n.Quals),
		Alias:      n.GetAlias().GetAliasname(),
		Columns:    names(n.GetAlias().GetColnames()),
		Pos:        -1,
	}
	c.refuse(len(n.GetJoinUsingAlias().GetColnames()) > 0, n, "column aliases in USING")
	for _, name := range names(n.UsingClause) {
		j.Using = append(j.Using, ast.ColumnName{Name: name, Pos: -1})
	}
	switch n.Jointype {
	case pg.JoinType_JOIN_INNER:
	case pg.JoinType_JOIN_LEFT:
		j.Kind = ast.LeftJoin
	case pg.JoinType_JOIN_RIGHT:
		j.Kind = ast.RightJoin
	case pg.JoinType_JOIN_FULL:
		j.Kind = ast.FullJoin
	default:
		c.refuse(true, n, "this kind of join")
	}
	return j
}
