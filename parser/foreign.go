package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// createForeignTable is CREATE FOREIGN TABLE: a CREATE TABLE without keys, whose columns may have
// OPTIONS.
func (c *converter) createForeignTable(n *pg.CreateForeignTableStmt) ast.Statement {
	for _, e := range n.BaseStmt.GetTableElts() {
		c.foreignConstraint(e.GetConstraint())
		for _, k := range e.GetColumnDef().GetConstraints() {
			c.foreignConstraint(k.GetConstraint())
		}
	}
	c.foreign = true
	out, _ := c.createTable(n.BaseStmt).(*ast.CreateTable)
	c.foreign = false
	out.Foreign = &ast.Foreign{Server: n.Servername, Options: asWritten(c.options(n.Options), n.Options)}
	return out
}

// foreignConstraint refuses the constraints that a foreign table cannot have.
func (c *converter) foreignConstraint(k *pg.Constraint) {
	name := ""
	switch k.GetContype() {
	case pg.ConstrType_CONSTR_PRIMARY:
		name = "primary key"
	case pg.ConstrType_CONSTR_UNIQUE:
		name = "unique"
	case pg.ConstrType_CONSTR_FOREIGN:
		name = "foreign key"
	case pg.ConstrType_CONSTR_EXCLUSION:
		name = "exclusion"
	}
	if name != "" && c.err == nil {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "%s constraints are not supported on foreign tables", name).
			At(int(c.at(k.Location))))
	}
}

func (c *converter) importForeignSchema(n *pg.ImportForeignSchemaStmt) ast.Statement {
	out := &ast.ImportForeignSchema{Server: n.ServerName, Remote: n.RemoteSchema, Local: n.LocalSchema,
		Options: asWritten(c.options(n.Options), n.Options)}
	for _, t := range n.TableList {
		name := c.tableOnly(t.GetRangeVar())
		c.refuse(name.Schema != "", t, "the schema of a table elsewhere")
		out.Tables = append(out.Tables, name.Name)
	}
	out.Except = n.ListType == pg.ImportForeignSchemaType_FDW_IMPORT_SCHEMA_EXCEPT
	return out
}

// optionChanges are those of ALTER FOREIGN TABLE ... OPTIONS.
func (c *converter) optionChanges(list []*pg.Node) []ast.OptionChange {
	var out []ast.OptionChange
	for i, o := range asWritten(c.options(list), list) {
		change := ast.OptionChange{Option: o}
		switch list[i].GetDefElem().GetDefaction() {
		case pg.DefElemAction_DEFELEM_SET:
			change.Action = ast.SetOption
		case pg.DefElemAction_DEFELEM_DROP:
			change.Action = ast.DropOption
		}
		out = append(out, change)
	}
	return out
}

// asWritten gives options of a server, and not of SQL, their names as they are written.
func asWritten(options []ast.Option, list []*pg.Node) []ast.Option {
	for i, n := range list {
		options[i].Name = n.GetDefElem().GetDefname()
	}
	return options
}
