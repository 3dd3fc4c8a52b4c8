package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// publications converts the statements about publications.
type publications struct{ *converter }

func (c publications) convert(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_CreatePublicationStmt:
		return c.publication(n.CreatePublicationStmt)
	case *pg.Node_AlterPublicationStmt:
		return c.alter(n.AlterPublicationStmt)
	}
	return routines(c).convert(node)
}

func (c publications) publication(n *pg.CreatePublicationStmt) ast.Statement {
	out := &ast.Publication{Name: n.Pubname, AllTables: n.ForAllTables, Options: c.options(n.Options)}
	c.objects(out, n.Pubobjects)
	return out
}

var publicationChanges = map[pg.AlterPublicationAction]string{
	pg.AlterPublicationAction_AP_AddObjects: "add", pg.AlterPublicationAction_AP_DropObjects: "drop",
	pg.AlterPublicationAction_AP_SetObjects: "set",
}

func (c publications) alter(n *pg.AlterPublicationStmt) ast.Statement {
	out := &ast.Publication{Name: n.Pubname, Change: publicationChanges[n.Action], Options: c.options(n.Options)}
	if len(n.Pubobjects) == 0 {
		out.Change = "set" // options
	}
	c.objects(out, n.Pubobjects)
	return out
}

func (c publications) objects(out *ast.Publication, list []*pg.Node) {
	for _, o := range list {
		o := o.GetPublicationObjSpec()
		switch o.GetPubobjtype() {
		case pg.PublicationObjSpecType_PUBLICATIONOBJ_TABLES_IN_SCHEMA,
			pg.PublicationObjSpecType_PUBLICATIONOBJ_TABLES_IN_CUR_SCHEMA:
			c.refuse(o.GetPubtable() != nil, o, "this form of CREATE PUBLICATION")
			out.Schemas = append(out.Schemas, o.GetName())
		default:
			t := o.GetPubtable()
			c.refuse(o.GetName() != "", o, "this form of CREATE PUBLICATION")
			one := ast.PublishedTable{Table: c.tableOnly(t.GetRelation()), Columns: names(t.GetColumns())}
			if where := t.GetWhereClause(); where != nil {
				one.Where, one.WhereText = c.expr(where), c.deparseExpr(where)
			}
			out.Tables = append(out.Tables, one)
		}
	}
}
