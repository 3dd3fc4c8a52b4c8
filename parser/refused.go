package parser

import (
	"strings"
	"unicode"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// unknown refuses a node by the name that its kind has in SQL.
func (c *converter) unknown(n *pg.Node) {
	m := n.ProtoReflect()
	f := m.WhichOneof(m.Descriptor().Oneofs().Get(0))
	if f == nil {
		c.refuse(true, n, "an empty expression")
		return
	}
	kind := string(f.Message().Name())
	if name, ok := kindNames()[kind]; ok {
		c.refuse(true, n, name)
		return
	}
	c.refuse(true, n, words(strings.TrimSuffix(strings.TrimSuffix(kind, "Stmt"), "Expr")))
}

// words is a name in camel case as SQL words: AlterTable is ALTER TABLE.
func words(camel string) string {
	var list []string
	start := 0
	for i, r := range camel {
		if i > start && unicode.IsUpper(r) {
			list, start = append(list, camel[start:i]), i
		}
	}
	list = append(list, camel[start:])
	for i, w := range list {
		if long, ok := abbreviations()[w]; ok {
			list[i] = long
		}
	}
	return strings.ReplaceAll(strings.ToUpper(strings.Join(list, " ")), "TABLE SPACE", "TABLESPACE")
}

// abbreviations are the grammar's own.
func abbreviations() map[string]string {
	return map[string]string{
		"Func": "function", "Op": "operator", "Plang": "language", "Rel": "with", "Sec": "security",
		"Stats": "statistics", "Trig": "trigger", "Un": "not",
	}
}

// kindNames are the nodes whose own name is not what a user wrote.
func kindNames() map[string]string {
	return map[string]string{
		"CreateFdwStmt":      "CREATE FOREIGN DATA WRAPPER",
		"CreateFunctionStmt": "CREATE FUNCTION or PROCEDURE",
		"GrantRoleStmt":      "GRANT or REVOKE",
		"GrantStmt":          "GRANT or REVOKE",
		"RangeTableFunc":     "XMLTABLE",
		"RuleStmt":           "CREATE RULE",
		"TableLikeClause":    "LIKE in CREATE TABLE",
		"XmlSerialize":       "XML",
	}
}
