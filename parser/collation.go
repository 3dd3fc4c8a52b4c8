package parser

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// collations converts the statements about collations alone.
type collations struct{ *converter }

func (c collations) convert(node *pg.Node) ast.Statement {
	if n, ok := node.GetNode().(*pg.Node_AlterCollationStmt); ok {
		return &ast.Collation{Name: c.nameOf(names(n.AlterCollationStmt.Collname)), Refresh: true}
	}
	return publications(c).convert(node)
}

// create is CREATE COLLATION with options, of which FROM is one to the grammar.
func (c collations) create(n *pg.DefineStmt) ast.Statement {
	c.refuse(n.Replace || n.Oldstyle || n.Args != nil, n, "this form of CREATE COLLATION")
	out := &ast.Collation{Name: c.nameOf(names(n.Defnames)), IfNotExists: n.IfNotExists}
	out.Options = c.options(n.Definition)
	if at := slices.IndexFunc(out.Options, func(o ast.Option) bool { return o.Name == "from" }); at >= 0 {
		from := c.nameOf(out.Options[at].List)
		if len(out.Options[at].List) == 0 {
			from = ast.Name{Name: out.Options[at].Value, Pos: -1}
		}
		out.From = &from
	}
	return out
}
