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
