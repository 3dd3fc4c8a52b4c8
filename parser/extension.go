package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// extensions converts the statements about extensions.
type extensions struct{ *converter }

// create is CREATE EXTENSION. CASCADE means nothing, as none needs another one.
func (c extensions) create(n *pg.CreateExtensionStmt) ast.Statement {
	out := &ast.Extension{Name: n.Extname, Exists: n.IfNotExists}
	for _, o := range c.options(n.Options) {
		switch o.Name {
		case "schema":
			out.Schema = o.Value
		case "new_version":
			out.Version = o.Value
		case "cascade":
			c.refuse(o.Value != "true", nil, "an option of CREATE EXTENSION")
		default:
			c.refuse(true, nil, "an option of CREATE EXTENSION")
		}
	}
	return out
}

// update is ALTER EXTENSION ... UPDATE.
func (c extensions) update(n *pg.AlterExtensionStmt) ast.Statement {
	out := &ast.Extension{Name: n.Extname, Update: true}
	for _, o := range c.options(n.Options) {
		c.refuse(o.Name != "new_version", nil, "an option of ALTER EXTENSION")
		out.Version = o.Value
	}
	return out
}

// depends is ALTER ... [NO] DEPENDS ON EXTENSION.
func (c extensions) depends(n *pg.AlterObjectDependsStmt) ast.Statement {
	out := &ast.ExtensionMember{Kind: c.objectKind("ALTER", n.ObjectType), Extension: n.GetExtname().GetSval(),
		Leaves: n.Remove}
	if n.Relation != nil {
		out.Name = c.tableOnly(n.Relation)
	}
	if parts := names(n.Object.GetList().GetItems()); len(parts) == 1 {
		out.Trigger = parts[0]
	}
	out.Routine = systemObjects(c).signature(out.Kind, n.Object)
	return out
}
