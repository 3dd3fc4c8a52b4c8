package parser

import (
	"strings"

	"zproxy/parser/ast"
)

// tablesQuery lists the tables and views that a name alone would find; %s is one more condition.
const tablesQuery = `SELECT n.nspname AS "Schema", c.relname AS "Table",
  CASE c.relkind WHEN 'v' THEN 'view' WHEN 'f' THEN 'foreign table' ELSE 'table' END AS "Type"
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'f') AND `

// ofUser leaves out what every database has.
const ofUser = `pg_catalog.pg_table_is_visible(c.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')`

// columnsQuery lists the columns of a table behind it.
const columnsQuery = `SELECT a.attname AS "Column", pg_catalog.format_type(a.atttypid, a.atttypmod) AS "Type",
  CASE WHEN a.attnotnull THEN 'no' ELSE 'yes' END AS "Null",
  CASE WHEN k.at IS NULL THEN '' ELSE 'primary' END AS "Key",
  CASE WHEN k.at IS NULL THEN '' WHEN k.option OPERATOR(pg_catalog.%) 2 = 1 THEN 'DESC'
    ELSE 'ASC' END AS "Order",
  pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS "Default"
FROM pg_catalog.pg_attribute a
LEFT JOIN (SELECT i.indrelid, p.at, i.indkey[p.at] AS attnum, i.indoption[p.at] AS option
  FROM pg_catalog.pg_index i, LATERAL (SELECT pg_catalog.generate_series(0, i.indnkeyatts - 1) AS at) p
  WHERE i.indisprimary) k ON k.indrelid = a.attrelid AND k.attnum = a.attnum
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid = `

// showTables is SHOW TABLES, of a schema or of those of the search path.
func showTables(schema string) ast.Statement {
	condition := ofUser
	if schema != "" {
		condition = "n.nspname = " + literalOf(schema)
	}
	return listing(tablesQuery+condition+" ORDER BY 1, 2", 0)
}

// describe is DESCRIBE t.
func describe(table ast.Name) ast.Statement {
	name := identifierOf(table.Name)
	if table.Schema != "" {
		name = identifierOf(table.Schema) + "." + name
	}
	return listing(columnsQuery+literalOf(name)+"::pg_catalog.regclass ORDER BY a.attnum", table.Pos)
}

// listing reads a query of the system's relations, whose text is right. The name at the end of
// columnsQuery is where it was in what was sent, so that an error may point at it.
func listing(text string, name ast.Pos) ast.Statement {
	w := &watch{}
	tree, refused := postgres(text, w)
	if refused != nil {
		panic(refused)
	}
	all, err := convert(tree, source{text: text, grammar: text, base: int(name) - len(columnsQuery), watch: w})
	if err != nil {
		panic(err)
	}
	return all[0].Statement
}

func literalOf(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func identifierOf(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
