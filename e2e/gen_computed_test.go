package e2e

import (
	"fmt"
	"strings"
)

// computedKey is an expression over a column that an index may be over. None of them fails for any value.
type computedKey struct {
	format string     // of the column
	t      *valueType // of its values
}

// computedKeys are those over columns of a type.
func computedKeys(t *valueType) []computedKey {
	out := []computedKey{{"(%s IS NULL)", boolType}}
	switch t.sql {
	case "text", "varchar":
		out = append(out, computedKey{"lower(%s)", textType}, computedKey{"length(%s)", intType},
			computedKey{"(%s || 'x')", textType})
	case "int2", "int4":
		out = append(out, computedKey{"(%s %% 7)", intType}, computedKey{"(%s / 3)", intType})
	}
	return out
}

// computedColumn is the key of an index over an expression.
func (m *maker) computedColumn(c madeColumn) string {
	return "(" + fmt.Sprintf(pick(m.dice, computedKeys(c.t)).format, c.name) + ")"
}

// generate adds a column to a table whose values are computed from another one.
func (m *maker) generate(t *madeTable) {
	m.met("generated column")
	c := pick(m.dice, t.columns)
	k := pick(m.dice, computedKeys(c.t))
	t.columns = append(t.columns, madeColumn{name: "gen", t: k.t, declared: k.t.sql, generated: true,
		extra: " GENERATED ALWAYS AS (" + fmt.Sprintf(k.format, c.name) + ") STORED"})
}

// onComputedKey is a condition on an expression that an index may be over.
func (m *maker) onComputedKey(s *scope, depth int) *piece {
	if len(s.columns) == 0 {
		return m.expr(s, boolType, depth-1)
	}
	m.met("computed key")
	c := pick(m.dice, s.columns)
	k := pick(m.dice, computedKeys(c.t))
	key := strings.ReplaceAll(fmt.Sprintf(k.format, c), "%", "%%")
	if m.chance(4) {
		return exprOf(boolType, "("+key+" IN (%s, %s))", word(m.literal(k.t)), word(m.literal(k.t)))
	}
	return exprOf(boolType, "("+key+" "+pick(m.dice, comparisonSigns)+" %s)", m.expr(s, k.t, depth-1))
}
