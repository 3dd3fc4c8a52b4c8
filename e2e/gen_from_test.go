package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// from is what a query reads: a table, a join, a subquery, a function's rows.
func (m *maker) from(outer *scope, depth int) relation {
	r := m.fromItem(outer, depth)
	for range 3 {
		if depth <= 0 || !m.chance(3) {
			break
		}
		depth--
		r = m.join(outer, r, depth)
	}
	return r
}

func (m *maker) fromItem(outer *scope, depth int) relation {
	alias := m.alias("r")
	if len(m.commons) > 0 && m.chance(3) {
		c := pick(m.dice, m.commons)
		m.met("common table read")
		return relation{text: phrase("%s AS "+alias, c.text), columns: named(alias, c.columns),
			key: named(alias, c.key)}
	}
	if depth > 0 {
		switch m.IntN(8) {
		case 0:
			return m.derived(m.query(outer, depth-1, nil), "")
		case 1:
			return m.valuesOf(outer, alias, depth-1)
		case 2:
			return m.setFunction(outer, alias, depth-1)
		}
	}
	return pick(m.dice, m.tables).as(alias)
}

// named are columns under an alias.
func named(alias string, columns []column) (out []column) {
	for _, c := range columns {
		c.from = alias
		out = append(out, c)
	}
	return out
}

// derived is a subquery in FROM.
func (m *maker) derived(q relation, before string) relation {
	alias := m.alias("s")
	m.met("derived table")
	return relation{text: phrase(before+"(%s) AS "+alias, q.text), columns: named(alias, q.columns),
		key: named(alias, q.key)}
}

func (m *maker) valuesOf(outer *scope, alias string, depth int) relation {
	m.met("values")
	s := &scope{outer: outer}
	var r relation
	var names []string
	for i := range 1 + m.IntN(3) {
		t := pick(m.dice, valueTypes)
		r.columns = append(r.columns, column{alias, fmt.Sprintf("v%d", i), t, t.same})
		names = append(names, fmt.Sprintf("v%d", i))
	}
	var rows []*piece
	for range 1 + m.IntN(3) {
		var row []*piece
		for _, c := range r.columns {
			row = append(row, m.expr(s, c.t, depth))
		}
		rows = append(rows, phrase("(%s)", listOfAll(row)))
	}
	r.text = phrase("(VALUES %s) AS "+alias+" ("+strings.Join(names, ", ")+")", listOf(", ", rows...))
	return r
}

// setFunction is a function in FROM, sometimes with ordinality, which is a key.
func (m *maker) setFunction(outer *scope, alias string, depth int) relation {
	m.met("function in from")
	s := &scope{outer: outer}
	call, t := m.setCall(s, depth)
	r := relation{columns: []column{{alias, "f", t, t.same}}}
	if m.chance(2) {
		n := column{alias, "n", typeNamed("int8"), true}
		r.columns, r.key = append(r.columns, n), []column{n}
		r.text = phrase("%s WITH ORDINALITY AS "+alias+" (f, n)", call)
		return r
	}
	r.text = phrase("%s AS "+alias+" (f)", call)
	return r
}

// setCall is a call of a function that returns a set of one column.
func (m *maker) setCall(s *scope, depth int) (*piece, *valueType) {
	switch {
	case m.chance(3) || len(m.calls.sets) == 0:
		return phrase("generate_series(" + pick(m.dice, []string{"1, 3", "0, 4, 2", "3, 1, -1", "2, 1"}) + ")"), intType
	case m.chance(2):
		t := typeNamed(pick(m.dice, []string{"int4[]", "text[]", "date[]", "numeric[]"}))
		return phrase("unnest(%s)", m.expr(s, t, depth)), t.elementType()
	}
	c := pick(m.dice, m.calls.sets)
	var args []*piece
	for _, a := range c.args {
		args = append(args, m.expr(s, a, depth))
	}
	p := c.piece(args...)
	p.of = nil
	return p, c.result
}

// join joins one more item to those on the left.
func (m *maker) join(outer *scope, left relation, depth int) relation {
	if m.chance(6) {
		return m.lateral(outer, left, depth)
	}
	right := m.fromItem(outer, depth)
	kind := pick(m.dice, []string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "JOIN", "LEFT JOIN"})
	m.met(strings.ToLower(kind))
	all := relation{columns: slices.Concat(left.columns, right.columns)}
	if left.key != nil && right.key != nil {
		all.key = slices.Concat(left.key, right.key)
	}
	both := &scope{columns: all.columns, outer: outer}
	if kind == "CROSS JOIN" {
		all.text = phrase("%s CROSS JOIN %s", left.text, right.text)
		return all
	}
	if shared := sharedNames(left, right); len(shared) > 0 && m.chance(2) {
		m.met("using")
		using := some(m.dice, shared, 2)
		all.text = phrase("%s "+kind+" %s USING ("+strings.Join(using, ", ")+")", left.text, right.text)
		return all
	}
	on := m.joinCondition(both, left, right, depth)
	if kind == "FULL JOIN" && !on.optional {
		on = word("true")
	}
	on.optional = false
	all.text = phrase("%s "+kind+" %s ON %s", left.text, right.text, on)
	return all
}

// sharedNames are the columns that a join may use.
func sharedNames(left, right relation) (out []string) {
	count := func(r relation, name string) (n int, t *valueType) {
		for _, c := range r.columns {
			if c.name == name {
				n, t = n+1, c.t
			}
		}
		return n, t
	}
	for _, c := range left.columns {
		n, _ := count(left, c.name)
		if k, t := count(right, c.name); k == 1 && n == 1 && t == c.t && !t.unordered {
			out = append(out, c.name)
		}
	}
	return out
}

// joinCondition is an equality of two columns, perhaps with more, or anything. The first
// is marked as optional.
func (m *maker) joinCondition(both *scope, left, right relation, depth int) *piece {
	var pairs [][2]column
	for _, l := range left.columns {
		for _, r := range right.columns {
			if l.t == r.t && !l.t.unordered {
				pairs = append(pairs, [2]column{l, r})
			}
		}
	}
	if len(pairs) == 0 || m.chance(5) {
		return phrase("%s", m.expr(both, boolType, depth))
	}
	p := pick(m.dice, pairs)
	equal := exprOf(boolType, p[0].String()+" = "+p[1].String())
	if m.chance(3) {
		return clause("%s%s", equal, clause(" AND %s", m.expr(both, boolType, depth)))
	}
	return clause("%s", equal)
}

// lateral joins a subquery that sees the columns on its left.
func (m *maker) lateral(outer *scope, left relation, depth int) relation {
	m.met("lateral")
	q := m.query(&scope{columns: left.columns, outer: outer}, depth, nil)
	right := m.derived(q, "LATERAL ")
	all := relation{columns: slices.Concat(left.columns, right.columns)}
	if left.key != nil && right.key != nil {
		all.key = slices.Concat(left.key, right.key)
	}
	kind := pick(m.dice, []string{"%s CROSS JOIN %s", "%s LEFT JOIN %s ON true", "%s JOIN %s ON true"})
	all.text = phrase(kind, left.text, right.text)
	return all
}

// common defines a common table for what is made by then.
func (m *maker) common(outer *scope, depth int, then func() relation) relation {
	before, bare := m.commons, m.bare
	m.bare = false
	defer func() { m.commons = before }()
	var definitions []*piece
	recursive := ""
	for range 1 + m.IntN(2) {
		name := m.alias("w")
		how := pick(m.dice, []string{"", "", "MATERIALIZED ", "NOT MATERIALIZED "})
		q := m.query(outer, depth-1, nil)
		if m.chance(4) {
			m.met("recursive")
			recursive, how = "RECURSIVE ", ""
			q = m.recursive(outer, name, depth-1)
		}
		m.met("with")
		definitions = append(definitions, phrase(name+" AS "+how+"(%s)", q.text))
		m.commons = append(m.commons, relation{text: word(name), columns: q.columns, key: q.key})
	}
	m.bare = bare
	r := then()
	r.text = phrase("WITH "+recursive+"%s %s", listOf(", ", definitions...), r.text)
	return r
}

// recursive counts to a bound, and makes something on the way.
func (m *maker) recursive(outer *scope, name string, depth int) relation {
	t := pick(m.dice, []*valueType{intType, typeNamed("int8"), typeNamed("date"), boolType, typeNamed("int4[]")})
	n, x := column{"", "n", intType, true}, column{"", "x", t, true}
	inside := &scope{columns: []column{{name, "n", intType, true}, {name, "x", t, true}}, outer: outer}
	text := phrase("SELECT 1 AS n, %s AS x UNION ALL SELECT "+name+".n + 1, %s FROM "+name+" WHERE "+name+".n < %s",
		m.expr(&scope{outer: outer}, t, depth), m.call(inside, t, depth), word(pick(m.dice, []string{"3", "4", "1"})))
	return relation{text: text, columns: []column{n, x}, key: []column{n}}
}
