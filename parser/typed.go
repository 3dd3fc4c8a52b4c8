package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// typedTables converts what is said of tables that have their columns from a composite type.
type typedTables struct{ *converter }

// rowType is the composite type behind OF. What is wrong with it has no position, as in PostgreSQL.
func (c typedTables) rowType(n *pg.TypeName) *ast.TypeName {
	out := c.typeName(n)
	out.Pos = -1
	return &out
}

// column adds what is said of a column that a table has from its type.
func (c typedTables) column(table *ast.CreateTable, n *pg.ColumnDef) {
	col := partitions(c).constraintsOnly(table, n)
	kind := ""
	switch {
	case col.def.Generated:
		kind = "generated"
	case col.def.Identity != "":
		kind = "identity"
	}
	if kind != "" {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "%s columns are not supported on typed tables", kind))
	}
	table.Columns = append(table.Columns, col.def)
}
