package e2e

import (
	"slices"
	"strings"
)

// callTable holds the functions that can fail and those that cannot, by their results.
type callTable struct {
	all   []call
	total map[*valueType][]call
	sets  []call
}

// scope is what an expression may name.
type scope struct {
	columns []column
	outer   *scope
	grouped *scope   // set in a grouped query: what its aggregates compute from
	windows *scope   // set where window functions may stand
	key     []column // of the rows that windows see
	bare    bool     // the columns of the SELECT get no names
}

// visible are the columns of a type, sometimes of an outer query.
func (m *maker) visible(s *scope, t *valueType) (found []column) {
	for depth := 0; s != nil; s, depth = s.outer, depth+1 {
		for _, c := range s.columns {
			if c.t == t {
				found = append(found, c)
			}
		}
		if len(found) > 0 && !m.chance(3) {
			break
		}
	}
	return found
}

// expr is a random expression of a type.
func (m *maker) expr(s *scope, t *valueType, depth int) *piece {
	if depth <= 0 || m.chance(5) {
		return m.leaf(s, t)
	}
	if s.grouped != nil && m.chance(2) {
		if p := m.aggregate(s.grouped, t, depth-1); p != nil {
			return p
		}
	}
	if s.windows != nil && m.chance(3) {
		if p := m.window(s, t, depth-1); p != nil {
			return p
		}
	}
	if m.chance(12) {
		if p := m.wholeRow(s, t); p != nil {
			return p
		}
	}
	if t == boolType && !m.chance(4) {
		return m.predicate(s, depth)
	}
	if t.elementType() != nil && m.chance(3) {
		return m.array(s, t, depth-1)
	}
	switch m.IntN(14) {
	case 0:
		return m.leaf(s, t)
	case 7, 8:
		if p := m.withSyntax(s, t, depth-1); p != nil {
			return p
		}
	case 1:
		return m.caseOf(s, t, depth-1)
	case 2:
		m.met("coalesce")
		return exprOf(t, "COALESCE(%s)", listOf(", ", m.exprs(s, t, 3, depth-1)...))
	case 3:
		if t.unordered {
			break
		}
		m.met("nullif")
		return exprOf(t, "NULLIF(%s, %s)", m.expr(s, t, depth-1), m.expr(s, t, depth-1))
	case 4:
		if t.unordered {
			break
		}
		m.met("greatest")
		return exprOf(t, pick(m.dice, []string{"GREATEST", "LEAST"})+"(%s)", listOf(", ", m.exprs(s, t, 3, depth-1)...))
	case 5:
		if p := m.cast(s, t, depth-1); p != nil {
			return p
		}
	case 6:
		return m.scalarSubquery(s, t, depth-1)
	}
	return m.call(s, t, depth)
}

// wholeRow is made of the row of a table, or of what else FROM has, as one value.
func (m *maker) wholeRow(s *scope, t *valueType) *piece {
	var names []string
	for _, c := range s.columns {
		if c.from != "" {
			names = append(names, c.from+pick(m.dice, []string{"", ".*"}))
		}
	}
	if len(names) == 0 {
		return nil
	}
	row := pick(m.dice, names)
	forms := map[string][]string{
		"bool": {"(" + row + " IS NULL)", "(" + row + " IS NOT NULL)", "(" + row + "::text IS NULL)"},
		"text": {row + "::text", "concat(" + row + ")"},
		"json": {"row_to_json(" + row + ")", "to_json(" + row + ")"}, "jsonb": {"to_jsonb(" + row + ")"},
		"int4": {"num_nulls(" + row + ")"},
	}[t.sql]
	if forms == nil {
		return nil
	}
	m.met("whole row")
	return exprOf(t, pick(m.dice, forms))
}

func (m *maker) exprs(s *scope, t *valueType, most, depth int) []*piece {
	var out []*piece
	for range 1 + m.IntN(most) {
		out = append(out, m.expr(s, t, depth))
	}
	return out
}

// leaf is a column or a value.
func (m *maker) leaf(s *scope, t *valueType) *piece {
	if found := m.visible(s, t); len(found) > 0 && !m.chance(4) {
		return exprOf(t, pick(m.dice, found).String())
	}
	value := t.values[m.IntN(len(t.values))]
	switch {
	case m.chance(12):
		return exprOf(t, "NULL::"+t.sql)
	case t == intType && m.chance(2), t.sql == "numeric" && value != "NaN" && strings.Contains(value, ".") &&
		m.chance(2):
		if strings.HasPrefix(value, "-") {
			return exprOf(t, "("+value+")")
		}
		return exprOf(t, value)
	case t == boolType && m.chance(2):
		return exprOf(t, pick(m.dice, []string{"true", "false"}))
	}
	return exprOf(t, t.quoted(value))
}

func (m *maker) caseOf(s *scope, t *valueType, depth int) *piece {
	m.met("case")
	tail := clause(" ELSE %s", m.expr(s, t, depth))
	if of := pick(m.dice, comparable); m.chance(2) {
		return exprOf(t, "CASE %s WHEN %s THEN %s%s END", m.expr(s, of, depth), m.expr(s, of, depth),
			m.expr(s, t, depth), tail)
	}
	var arms []*piece
	for range 1 + m.IntN(2) {
		arms = append(arms, phrase("WHEN %s THEN %s", m.expr(s, boolType, depth), m.expr(s, t, depth)))
	}
	return exprOf(t, "CASE %s%s END", listOf(" ", arms...), tail)
}

// widening are casts that cannot fail.
var widening = map[string][]string{
	"int4":        {"int2", "bool"},
	"int8":        {"int2", "int4"},
	"numeric":     {"int2", "int4", "int8", "float4"},
	"float4":      {"int2", "int4"},
	"float8":      {"int2", "int4", "int8", "float4", "numeric"},
	"varchar":     {"text", "bpchar", "int4", "uuid", "date"},
	"bpchar":      {"varchar", "text"},
	"timestamp":   {"date", "timestamptz"},
	"timestamptz": {"timestamp", "date"},
	"date":        {"timestamp", "timestamptz"},
	"time":        {"timestamp", "timestamptz", "interval", "timetz"},
	"timetz":      {"timestamptz", "time"},
	"interval":    {"time"},
	"bool":        {"int4"},
	"json":        {"jsonb"},
	"numeric[]":   {"int4[]"},
	"text[]":      {"int4[]", "date[]", "numeric[]"},
}

// cast is nil when no cast to the type is sure to succeed.
func (m *maker) cast(s *scope, t *valueType, depth int) *piece {
	m.met("cast")
	if t == textType {
		return exprOf(t, pick(m.dice, []string{"(%s)::text", "CAST(%s AS text)"}),
			m.expr(s, pick(m.dice, valueTypes), depth))
	}
	if from := widening[t.sql]; len(from) > 0 {
		return exprOf(t, "(%s)::"+t.sql, m.expr(s, typeNamed(pick(m.dice, from)), depth))
	}
	return nil
}

// call is a function that cannot fail.
func (m *maker) call(s *scope, t *valueType, depth int) *piece {
	if len(m.calls.total[t]) == 0 {
		return m.leaf(s, t)
	}
	c := pick(m.dice, m.calls.total[t])
	var args []*piece
	for _, a := range c.args {
		args = append(args, m.expr(s, a, depth-1))
	}
	m.met("function")
	p := c.piece(args...)
	if slices.Contains([]string{"+", "-", "*"}, c.f.Operator) &&
		slices.Contains([]string{"int2", "int4", "int8"}, t.sql) {
		return exprOf(t, "(%s %% 100::"+t.sql+")", p) // so that sums of sums do not overflow
	}
	return p
}

func (m *maker) array(s *scope, t *valueType, depth int) *piece {
	m.met("array")
	e := t.elementType()
	switch m.IntN(4) {
	case 0:
		return exprOf(t, "ARRAY(%s)", m.ordered(s, e, depth))
	case 1:
		return exprOf(t, "(%s)[%s:%s]", m.expr(s, t, depth), m.expr(s, intType, depth-1), m.expr(s, intType, depth-1))
	}
	return exprOf(t, "ARRAY[%s]::"+t.sql, listOf(", ", m.exprs(s, e, 3, depth)...))
}
