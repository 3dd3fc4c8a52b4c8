package e2e

import (
	"fmt"
	"strings"
)

// sameExpr is an expression whose equal values look the same, nil when there is none.
func (m *maker) sameExpr(s *scope, t *valueType, depth int) *piece {
	if t.same {
		return m.expr(s, t, depth)
	}
	var found []column
	for _, c := range s.columns {
		if c.t == t && c.same {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return exprOf(t, pick(m.dice, found).String())
}

// aggregate gives a type from the rows of a scope, nil when none does.
func (m *maker) aggregate(s *scope, t *valueType, depth int) *piece {
	inner := &scope{columns: s.columns} // an aggregate over outer columns alone is the outer query's
	if m.chance(10) {
		inner.outer = s.outer
	}
	call := m.aggregateCall(inner, t, depth)
	if call == nil {
		return nil
	}
	m.met("aggregate")
	if !m.chance(4) {
		return exprOf(t, "%s", call)
	}
	m.met("filter")
	return exprOf(t, "%s%s", call, clause(" FILTER (WHERE %s)", m.expr(inner, boolType, depth)))
}

func (m *maker) aggregateCall(s *scope, t *valueType, depth int) *piece {
	arg := func(sql string) *piece { return m.expr(s, typeNamed(sql), depth) }
	distinct := clause(pick(m.dice, []string{"", "", "DISTINCT "}))
	if e := t.elementType(); e != nil && m.chance(2) {
		return phrase("array_agg(%s)", m.inOrder(s, e, depth))
	}
	if m.chance(4) {
		if call := m.sortedAggregate(s, t, depth); call != nil {
			return call
		}
	}
	switch t.sql {
	case "bool":
		return phrase(pick(m.dice, []string{"bool_and", "bool_or", "every"})+"(%s)", arg("bool"))
	case "int2":
		return phrase(pick(m.dice, []string{"min", "max", "bit_and", "bit_or"})+"(%s)", arg("int2"))
	case "int8":
		switch m.IntN(4) {
		case 0:
			return word("count(*)")
		case 1:
			return phrase("sum(%s%s)", distinct, arg(pick(m.dice, []string{"int2", "int4"})))
		case 2:
			return phrase("count(DISTINCT %s)", m.expr(s, pick(m.dice, comparable), depth))
		}
		return phrase("count(%s)", m.expr(s, pick(m.dice, valueTypes), depth))
	case "numeric":
		name := pick(m.dice, []string{"sum", "avg", "var_pop", "stddev", "variance"})
		if name == "sum" {
			return phrase("sum(%s)", arg(pick(m.dice, []string{"int8", "numeric"})))
		}
		return phrase(name+"(%s%s)", distinct, arg(pick(m.dice, []string{"int2", "int4", "int8"})))
	case "text":
		if m.chance(2) {
			x := m.leaf(s, textType).String()
			return exprOf(textType, fmt.Sprintf("string_agg(%s, ',' ORDER BY %s)", x, x))
		}
	case "jsonb", "json":
		return phrase(t.sql+"_agg(%s)", m.inOrder(s, pick(m.dice, valueTypes), depth))
	case "interval":
		return phrase("sum(%s)", arg("interval"))
	case "bytea", "uuid", "float4", "float8":
		return nil
	}
	x := m.sameExpr(s, t, depth)
	if x == nil {
		return nil
	}
	return phrase(pick(m.dice, []string{"min", "max"})+"(%s)", x)
}

// inOrder is an argument with an order that leaves nothing open: format keeps blanks at the end that a cast of bpchar
// to text drops.
func (m *maker) inOrder(s *scope, t *valueType, depth int) *piece {
	x := m.expr(s, t, depth).String()
	direction := pick(m.dice, []string{"", " DESC", " NULLS FIRST", " DESC NULLS LAST"})
	if t.same && m.chance(3) && !strings.Contains(x, "SELECT") {
		return exprOf(t, fmt.Sprintf("DISTINCT %s ORDER BY %s%s", x, x, direction))
	}
	if t.unordered || m.chance(2) {
		return exprOf(t, fmt.Sprintf("%s ORDER BY format('%%L', %s)%s", x, x, direction))
	}
	return exprOf(t, fmt.Sprintf("%s ORDER BY %s%s, format('%%L', %s)", x, x, direction, x))
}

// sortedAggregate is one with WITHIN GROUP.
func (m *maker) sortedAggregate(s *scope, t *valueType, depth int) *piece {
	x := m.sameExpr(s, t, depth)
	if t.sql == "float8" {
		return phrase("percentile_cont("+pick(m.dice, []string{"0.5", "0", "1", "0.25"})+") WITHIN GROUP (ORDER BY %s)",
			m.expr(s, typeNamed("int4"), depth))
	}
	if x == nil || t.unordered {
		return nil
	}
	switch m.IntN(2) {
	case 0:
		return phrase("mode() WITHIN GROUP (ORDER BY %s)", x)
	}
	return phrase("percentile_disc("+pick(m.dice, []string{"0.5", "0", "1", "0.25"})+") WITHIN GROUP (ORDER BY %s)", x)
}

// window is a window function of a type, nil when there is none to have.
func (m *maker) window(s *scope, t *valueType, depth int) *piece {
	inner := &scope{columns: s.columns, outer: s.outer, grouped: s.grouped}
	var partition *piece = nothing
	if m.chance(2) {
		partition = clause("PARTITION BY %s ", listOf(", ", m.exprs(inner, pick(m.dice, comparable), 2, depth)...))
	}
	arg := func(sql string) *piece { return m.expr(inner, typeNamed(sql), depth) }
	m.met("window")
	if s.key == nil || m.chance(3) {
		var call *piece
		switch t.sql {
		case "int8":
			call = phrase(pick(m.dice, []string{"rank()", "dense_rank()", "count(*)", "sum(%s)"}), arg("int4"))
			if !strings.Contains(call.format, "%s") {
				call = word(call.format)
			}
		case "float8":
			call = word(pick(m.dice, []string{"percent_rank()", "cume_dist()"}))
		case "numeric":
			call = phrase(pick(m.dice, []string{"sum", "avg"})+"(%s)", arg("int8"))
		case "bool":
			call = phrase("bool_or(%s)", arg("bool"))
		default:
			return nil
		}
		order := m.expr(inner, pick(m.dice, comparable), depth)
		return exprOf(t, "%s OVER (%sORDER BY %s%s)", call, partition, order, m.frame("RANGE", "GROUPS"))
	}
	order := m.sortKeys(inner, s.key, depth)
	var call *piece
	switch {
	case t.sql == "int8" && m.chance(2):
		call = word("row_number()")
	case t == intType && m.chance(2):
		call = word("ntile(3)")
	case t == textType && m.chance(2):
		call = phrase("string_agg(%s, ',')", arg("text"))
	case t.elementType() != nil && m.chance(2):
		call = phrase("array_agg(%s)", m.expr(inner, t.elementType(), depth))
	default:
		call = phrase(pick(m.dice, []string{"first_value(%s)", "last_value(%s)", "nth_value(%s, 2)", "lag(%s)",
			"lead(%s)", "lag(%s, 2)"}), m.expr(inner, t, depth))
	}
	return exprOf(t, "%s OVER (%sORDER BY %s%s)", call, partition, order, m.frame("ROWS", "GROUPS", "ROWS"))
}

// frame is one of some kinds, or none.
func (m *maker) frame(kinds ...string) *piece {
	kind := pick(m.dice, kinds)
	if m.chance(2) {
		return nothing
	}
	starts := []string{"UNBOUNDED PRECEDING", "CURRENT ROW"}
	ends := []string{"CURRENT ROW", "UNBOUNDED FOLLOWING"}
	if kind != "RANGE" {
		starts = append(starts, "1 PRECEDING", "2 PRECEDING")
		ends = append(ends, "1 FOLLOWING", "2 FOLLOWING")
	}
	m.met("frame " + strings.ToLower(kind))
	exclude := pick(m.dice, []string{"", "", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES",
		" EXCLUDE NO OTHERS"})
	return clause(" " + kind + " BETWEEN " + pick(m.dice, starts) + " AND " + pick(m.dice, ends) + exclude)
}
