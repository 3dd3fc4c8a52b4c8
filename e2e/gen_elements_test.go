package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// invertible says whether values of a type have elements that an inverted index may be over.
func invertible(t *valueType) bool {
	return t.elementType() != nil || t.sql == "jsonb" || t.sql == "text" || t.sql == "varchar"
}

// invertedIndex is an index over elements of columns of a table; empty: it has no such column.
func (m *maker) invertedIndex(t *madeTable, name string) string {
	columns := slices.DeleteFunc(slices.Clone(t.columns), func(c madeColumn) bool {
		text := c.t.sql == "text" || c.t.sql == "varchar"
		return !invertible(c.t) || text && !m.trigrams
	})
	if len(columns) == 0 {
		return ""
	}
	var keys []string
	for range 1 + m.IntN(2) {
		c := pick(m.dice, columns)
		class := ""
		switch c.t.sql {
		case "jsonb":
			class = pick(m.dice, []string{"", " jsonb_ops", " jsonb_path_ops"})
		case "text", "varchar":
			class = " gin_trgm_ops"
		}
		keys = append(keys, c.name+class)
	}
	return fmt.Sprintf("CREATE INDEX %s ON %s USING gin (%s)%s", name, t.name, strings.Join(keys, ", "),
		withOptions(m.indexLayout(nil)))
}

// onElements is a condition on elements of a column, which an inverted index may narrow.
func (m *maker) onElements(s *scope, depth int) *piece {
	columns := slices.DeleteFunc(slices.Clone(s.columns), func(c column) bool { return !invertible(c.t) })
	if len(columns) == 0 {
		return m.expr(s, boolType, depth-1)
	}
	m.met("elements")
	c := pick(m.dice, columns)
	of, value := word(c.String()), word(m.literal(c.t))
	switch c.t.sql {
	case "jsonb":
		if m.chance(2) {
			return exprOf(boolType, pick(m.dice, []string{"(%s @> %s)", "(%[2]s <@ %[1]s)"}), of, value)
		}
		return exprOf(boolType, "(%s "+pick(m.dice, []string{"? 'a'", "? 's'", "?| '{b,x,NULL}'::text[]",
			"?& '{a,b}'::text[]", "?& '{}'::text[]", `@> '{"a": {}}'`, "@> '[1]'", `@> '{"b": [2]}'`})+")", of)
	case "text", "varchar":
		pattern := pick(m.dice, []string{"%abc%", "abc%", "%abc", "ABC", "a_c", "%b c%", "é%", "%", `%a\%b%`})
		return exprOf(boolType, "(%s"+pick(m.dice, []string{" LIKE ", " ILIKE ", " = ", " NOT LIKE "})+"'"+
			strings.ReplaceAll(pattern, "%", "%%")+"')", of)
	}
	if m.chance(4) {
		return exprOf(boolType, "(%s = ANY (%s))", m.expr(s, c.t.elementType(), depth-1), of)
	}
	if m.chance(3) {
		value = m.expr(s, c.t, depth-1)
	}
	return exprOf(boolType, pick(m.dice, []string{"(%s @> %s)", "(%s <@ %s)", "(%s && %s)", "(%s = %s)",
		"(%[2]s <@ %[1]s)", "(%[2]s @> %[1]s)"}), of, value)
}
