package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

func (c *converter) createIndex(n *pg.IndexStmt) ast.Statement {
	c.tablespace(n.TableSpace, n.Relation)
	c.refuse(n.Relation.GetAlias() != nil, n.Relation, "an alias of this table")
	out := &ast.CreateIndex{
		Name:         n.Idxname,
		Table:        c.relation(n.Relation),
		Only:         !n.Relation.Inh,
		Method:       n.AccessMethod,
		Unique:       n.Unique,
		IfNotExists:  n.IfNotExists,
		Concurrently: n.Concurrent,
		Timing:       c.lifted.timing,
		NullFiltered: c.lifted.nullFiltered,
		NullsEqual:   n.NullsNotDistinct,
		Options:      append(c.storageParameters(n.Options), c.lifted.options...),
		Where:        c.maybe(n.WhereClause),
	}
	if n.WhereClause != nil {
		out.WhereText = c.deparseExpr(n.WhereClause)
	}
	if c.lifted.method != "" {
		if out.Method != "" && out.Method != defaultMethod {
			c.fail(sqlerr.New(sqlerr.SyntaxError, "an index cannot have two access methods").At(int(c.position(n))))
		}
		out.Method = c.lifted.method
	}
	if out.Method == "kv" { // as Lindorm calls it
		out.Method = defaultMethod
	}
	for _, e := range n.IndexParams {
		out.Keys = append(out.Keys, c.keyPart(e.GetIndexElem()))
	}
	for _, e := range n.IndexIncludingParams {
		out.Include = append(out.Include, c.included(e.GetIndexElem()))
	}
	return out
}

// defaultMethod is what the grammar gives an index without USING.
const defaultMethod = "btree"

// keyPart is one column of an index. The grammar gives no position for it.
func (c *converter) keyPart(n *pg.IndexElem) ast.KeyPart {
	text := ""
	if n.GetExpr() != nil {
		text = c.deparseExpr(n.GetExpr())
	}
	return ast.KeyPart{
		Column:    n.GetName(),
		Expr:      c.maybe(n.GetExpr()),
		Text:      text,
		Desc:      n.GetOrdering() == pg.SortByDir_SORTBY_DESC,
		Nulls:     nulls(n.GetNullsOrdering()),
		OpClass:   dotted(names(n.GetOpclass())),
		OpParams:  c.options(n.GetOpclassopts()),
		Collation: c.collation(n.GetCollation(), -1),
		Pos:       -1,
	}
}

// included is one column of INCLUDE, which has no order.
func (c *converter) included(n *pg.IndexElem) ast.ColumnName {
	k := c.keyPart(n)
	unwanted := ""
	switch {
	case n.GetOrdering() > pg.SortByDir_SORTBY_DEFAULT:
		unwanted = "ASC/DESC options"
	case k.Nulls != ast.NullsDefault:
		unwanted = "NULLS FIRST/LAST options"
	case k.Collation.Name != "":
		unwanted = "a collation"
	case k.OpClass != "" || k.OpParams != nil:
		unwanted = "an operator class"
	}
	if unwanted != "" {
		c.fail(sqlerr.New(sqlerr.InvalidObjectDefinition, "including column does not support %s", unwanted))
	}
	if k.Expr != nil {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "expressions are not supported in included columns"))
	}
	return ast.ColumnName{Name: k.Column, Pos: k.Pos}
}
