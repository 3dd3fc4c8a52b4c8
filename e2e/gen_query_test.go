package e2e

import (
	"slices"
	"strings"
)

// where is a WHERE or nothing.
func (m *maker) where(s *scope, depth int) *piece {
	if m.chance(3) {
		return nothing
	}
	return clause(" WHERE %s", m.expr(s, boolType, depth))
}

// sortKeys are expressions, then the key, which makes the order total.
func (m *maker) sortKeys(s *scope, key []column, depth int) *piece {
	direction := func() string {
		return pick(m.dice, []string{"", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"})
	}
	var keys []string
	for _, c := range key {
		keys = append(keys, c.String()+direction())
	}
	total := word(strings.Join(keys, ", "))
	if m.chance(2) {
		return total
	}
	return phrase("%s%s", clause("%s, ", phrase("%s"+direction(), m.sortKey(s, depth))), total)
}

// sortKey is no bare number, which would be the place of a column.
func (m *maker) sortKey(s *scope, depth int) *piece {
	p := m.expr(s, pick(m.dice, comparable), depth)
	for strings.Contains(p.String(), "SELECT") && !m.chance(3) {
		p = m.expr(s, pick(m.dice, comparable), depth)
	}
	if len(p.kids) == 0 {
		return phrase("COALESCE(%s)", p)
	}
	return p
}

// query is a SELECT, or several that a set operation combines. It has columns of the
// types that are wanted, or any.
func (m *maker) query(outer *scope, depth int, want []*valueType) relation {
	switch {
	case depth > 0 && m.chance(7):
		return m.setOperation(outer, depth, want)
	case depth > 1 && m.chance(9):
		return m.common(outer, depth, func() relation { return m.query(outer, depth-1, want) })
	}
	return m.selectOf(outer, depth, want)
}

// wantSome are the types of a query's columns when no certain ones are asked for.
func (m *maker) wantSome(of []*valueType) (want []*valueType) {
	for range 1 + m.IntN(3) {
		want = append(want, pick(m.dice, of))
	}
	return want
}

func (m *maker) setOperation(outer *scope, depth int, want []*valueType) relation {
	operation := pick(m.dice, []string{"UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL",
		"EXCEPT ALL"})
	if want == nil {
		want = m.wantSome(canonical)
	}
	if slices.ContainsFunc(want, func(t *valueType) bool { return !t.same }) {
		operation = "UNION ALL"
	}
	m.met(strings.ToLower(operation))
	left, right := m.selectOf(outer, depth-1, want), m.selectOf(outer, depth-1, want)
	r := relation{text: phrase("(%s) "+operation+" (%s)", left.text, right.text), columns: left.columns}
	for i := range r.columns {
		r.columns[i].same = r.columns[i].t.same
	}
	if !strings.HasSuffix(operation, "ALL") {
		r.key = r.columns
	}
	return r
}

func (m *maker) selectOf(outer *scope, depth int, want []*valueType) relation {
	free, bare := want == nil, m.bare
	m.bare = false
	if free {
		want = m.wantSome(valueTypes)
	}
	if m.chance(10) {
		return m.items(&scope{outer: outer, bare: bare}, want, depth, "SELECT %s", nothing)
	}
	from := m.from(outer, depth)
	s := &scope{columns: from.columns, outer: outer, bare: bare}
	tail := phrase(" FROM %s%s", from.text, m.where(s, depth))
	switch m.IntN(8) {
	case 0, 1:
		return m.grouped(s, from.key, want, tail, depth)
	case 2:
		if !slices.ContainsFunc(want, func(t *valueType) bool { return !t.same }) {
			m.met("distinct")
			r := m.items(s, want, depth, "SELECT DISTINCT %s%s", tail)
			r.key = r.columns
			return r
		}
	case 3:
		if from.key != nil {
			return m.distinctOn(s, want, from.key, tail, depth)
		}
	case 4:
		s.windows, s.key = s, from.key
	case 5:
		if free && m.chance(2) {
			return m.selectSet(s, want, tail, depth)
		}
	}
	r := m.items(s, want, depth, "SELECT %s%s", tail)
	if free && from.key != nil && m.chance(2) {
		r = m.withKey(r, from.key)
	}
	if from.key != nil && m.chance(3) {
		s.windows = nil
		r.ordered = true
		r.text = phrase("%s%s", r.text, clause(" ORDER BY %s%s", m.sortKeys(s, from.key, depth-1),
			clause("%s", word(m.limit()))))
	}
	return r
}

// items makes the list of a SELECT.
func (m *maker) items(s *scope, want []*valueType, depth int, format string, tail *piece) relation {
	var r relation
	var list []*piece
	for _, t := range want {
		name := m.alias("x")
		item := m.expr(s, t, depth)
		if len(item.kids) == 0 && !strings.Contains(item.format, "'") && m.chance(2) {
			for _, c := range s.columns {
				if c.String() == item.format && c.same {
					r.columns = append(r.columns, column{"", name, t, true})
				}
			}
		}
		if len(r.columns) == len(list) {
			r.columns = append(r.columns, column{"", name, t, t.same})
		}
		if s.bare {
			list = append(list, item)
		} else {
			list = append(list, phrase("%s AS "+name, item))
		}
	}
	if tail == nothing {
		format = "SELECT %s%s"
	}
	r.text = phrase(format, listOfAll(list), tail)
	return r
}

// withKey adds the key of the rows to the columns.
func (m *maker) withKey(r relation, key []column) relation {
	var list []string
	for _, c := range key {
		name := m.alias("k")
		list = append(list, c.String()+" AS "+name)
		c.from, c.name = "", name
		r.columns, r.key = append(r.columns, c), append(r.key, c)
	}
	parts := r.text.kids
	r.text = phrase("SELECT %s, "+strings.Join(list, ", ")+"%s", parts[0], parts[1])
	return r
}

func (m *maker) selectSet(s *scope, want []*valueType, tail *piece, depth int) relation {
	m.met("set in the select list")
	r := m.items(s, want, depth, "SELECT %s%s", tail)
	call, t := m.setCall(s, depth-1)
	name := m.alias("x")
	parts := r.text.kids
	r.text = phrase("SELECT %s, %s AS "+name+"%s", parts[0], call, parts[1])
	r.columns = append(r.columns, column{"", name, t, t.same})
	return r
}

func (m *maker) distinctOn(s *scope, want []*valueType, key []column, tail *piece, depth int) relation {
	m.met("distinct on")
	on := m.sortKey(s, depth-1).String()
	r := m.items(s, want, depth, "SELECT DISTINCT ON ("+strings.ReplaceAll(on, "%", "%%")+") %s%s", tail)
	var keys []string
	for _, c := range key {
		keys = append(keys, c.String())
	}
	r.ordered = true
	r.text = phrase("%s ORDER BY "+strings.ReplaceAll(on, "%", "%%")+pick(m.dice,
		[]string{"", " DESC"})+", "+strings.Join(keys, ", "), r.text)
	return r
}

func (m *maker) grouped(s *scope, keyOfRows []column, want []*valueType, tail *piece, depth int) relation {
	m.met("group by")
	group := &scope{outer: s.outer, grouped: s, bare: s.bare}
	var texts []string
	for range m.IntN(3) {
		t := pick(m.dice, comparable)
		if len(s.columns) > 0 && !m.chance(3) {
			t = pick(m.dice, s.columns).t
		}
		x := m.groupKey(s, t, depth)
		if x == "" || slices.Contains(texts, x) {
			continue
		}
		texts = append(texts, x)
		group.columns = append(group.columns, column{"", x, t, true})
	}
	if len(keyOfRows) > 0 && m.chance(3) {
		for _, c := range m.keyedColumns(s, keyOfRows) {
			if x := c.String(); !slices.Contains(texts, x) {
				texts = append(texts, x)
				group.columns = append(group.columns, column{"", x, c.t, true})
			}
		}
	}
	by, having := nothing, nothing
	key := group.columns
	if len(texts) > 0 {
		list := strings.Join(texts, ", ")
		by = word(" GROUP BY " + list)
		if m.chance(4) && !slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsAny(s, "( '") }) {
			by = word(" GROUP BY " + m.groupingSets(group, texts))
			key = group.columns
		}
	}
	if m.chance(3) {
		m.met("having")
		having = clause(" HAVING %s", m.expr(group, boolType, depth))
	}
	if len(key) > 0 && m.chance(4) {
		group.windows, group.key = group, key
	}
	r := m.items(group, want, depth, "SELECT %s%s", phrase("%s%s%s", tail, by, having))
	if len(key) > 0 && m.chance(3) {
		group.windows = nil
		r.ordered = true
		r.text = phrase("%s%s", r.text, clause(" ORDER BY %s%s", m.sortKeys(group, key, 0),
			clause("%s", word(m.limit()))))
	}
	return r
}

// groupingSets is what makes several sets of the groups, which decide a row of them together with what GROUPING says.
func (m *maker) groupingSets(group *scope, texts []string) string {
	m.met("grouping sets")
	list := strings.Join(texts, ", ")
	group.columns = append(group.columns, column{"", "GROUPING(" + list + ")", intType, true})
	form := pick(m.dice, []string{"ROLLUP (%s)", "CUBE (%s)", "GROUPING SETS ((%s), ())", "GROUPING SETS ((%s), (%s))",
		"DISTINCT ROLLUP (%s), CUBE (%s)", "%s, ROLLUP (%s)"})
	return strings.ReplaceAll(form, "%s", list)
}

// keyedColumns are columns of a key of the rows, and some that it decides.
func (m *maker) keyedColumns(s *scope, key []column) (out []column) {
	m.met("group by a key")
	for _, c := range slices.Concat(key, s.columns) {
		if c.same && !c.t.unordered && (len(out) < len(key) || m.chance(3)) {
			out = append(out, c)
		}
	}
	m.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// groupKey is a column, or an expression whose equal values look the same.
func (m *maker) groupKey(s *scope, t *valueType, depth int) string {
	if t.unordered {
		return ""
	}
	if t.same && depth > 0 && m.chance(5) {
		m.met("subquery in group by")
		return m.scalarSubquery(s, t, min(depth-1, 1)).String()
	}
	x := m.sameExpr(s, t, min(depth-1, 1))
	if x == nil || strings.Contains(x.String(), "SELECT") || len(x.kids) == 0 && !strings.Contains(x.format, ".c") &&
		!strings.Contains(x.format, ".id") {
		return ""
	}
	return x.String()
}
