package e2e

import "strings"

// predicate is a condition of any form.
func (m *maker) predicate(s *scope, depth int) *piece {
	of := pick(m.dice, comparable)
	if cols := s.columns; len(cols) > 0 && !m.chance(4) {
		if c := pick(m.dice, cols); !c.t.unordered {
			of = c.t
		}
	}
	a := func() *piece { return m.expr(s, of, depth-1) }
	not := pick(m.dice, []string{"", "", " NOT"})
	switch m.IntN(18) {
	case 0:
		return exprOf(boolType, "(%s)", listOf(" AND ", m.exprs(s, boolType, 3, depth-1)...))
	case 1:
		return exprOf(boolType, "(%s)", listOf(" OR ", m.exprs(s, boolType, 3, depth-1)...))
	case 2:
		return exprOf(boolType, "(NOT %s)", m.expr(s, boolType, depth-1))
	case 3:
		of = pick(m.dice, valueTypes)
		return exprOf(boolType, "(%s IS"+not+" NULL)", a())
	case 4:
		m.met("between")
		return exprOf(boolType, "(%s"+not+" BETWEEN"+pick(m.dice, []string{"", " SYMMETRIC"})+" %s AND %s)", a(), a(),
			a())
	case 5:
		m.met("in list")
		return exprOf(boolType, "(%s"+not+" IN (%s))", a(), listOf(", ", m.exprs(s, of, 4, depth-1)...))
	case 6:
		m.met("distinct from")
		return exprOf(boolType, "(%s IS"+not+" DISTINCT FROM %s)", a(), a())
	case 7:
		return exprOf(boolType, "(%s IS"+not+" "+pick(m.dice, []string{"TRUE", "FALSE", "UNKNOWN"})+")",
			m.expr(s, boolType, depth-1))
	case 8:
		m.met("like")
		pattern := pick(m.dice, []string{"a%%", "%%b", "a_", "", "%%", `a\%%`, "_b%%", "é%%"})
		return exprOf(boolType, "(%s"+not+pick(m.dice, []string{" LIKE ", " ILIKE ", " SIMILAR TO "})+"'"+pattern+"')",
			m.expr(s, textType, depth-1))
	case 9:
		m.met("regular expression")
		pattern := pick(m.dice, []string{"a", "^a", "b$", "[a-c]+", "(a|b)c?", "^.$", `\\d`})
		return exprOf(boolType, "(%s "+pick(m.dice, []string{"~", "!~", "~*", "!~*"})+" '"+strings.ReplaceAll(pattern,
			`\\`, `\`)+"')", m.expr(s, textType, depth-1))
	case 10:
		return m.rows(s, depth-1)
	case 11:
		return m.exists(s, depth-1)
	case 12:
		return m.inSubquery(s, of, depth-1)
	case 13:
		return m.anyOf(s, depth-1)
	case 14:
		return m.onComputedKey(s, depth-1)
	case 15:
		return m.onElements(s, depth-1)
	}
	return exprOf(boolType, "(%s "+pick(m.dice, comparisonSigns)+" %s)", a(), m.expr(s, of.comparand(m.dice), depth-1))
}

// rows compares two rows, or says whether one is NULL.
func (m *maker) rows(s *scope, depth int) *piece {
	m.met("row comparison")
	var left, right []*piece
	for range 2 + m.IntN(2) {
		t := pick(m.dice, comparable)
		left, right = append(left, m.expr(s, t, depth)), append(right, m.expr(s, t, depth))
	}
	switch m.IntN(8) {
	case 0:
		return exprOf(boolType, "(ROW(%s) IS"+pick(m.dice, []string{"", " NOT"})+" NULL)", listOf(", ", left...))
	case 1:
		return exprOf(boolType, "(ROW(%s) IS DISTINCT FROM ROW(%s))", listOfAll(left), listOfAll(right))
	case 2:
		return exprOf(boolType, "((%s) IN ((%s), (%s)))", listOfAll(left), listOfAll(right), listOfAll(left))
	}
	return exprOf(boolType, "((%s) "+pick(m.dice, comparisonSigns)+" (%s))", listOfAll(left), listOfAll(right))
}

// anyOf compares with the elements of an array or the rows of a subquery.
func (m *maker) anyOf(s *scope, depth int) *piece {
	m.met("any")
	array := typeNamed(pick(m.dice, []string{"int4[]", "text[]", "numeric[]", "date[]"}))
	e := array.elementType()
	head := "(%s " + pick(m.dice, comparisonSigns) + pick(m.dice, []string{" ANY", " ALL", " SOME"})
	if m.chance(2) {
		// without the cast a subquery would give elements
		return exprOf(boolType, head+" ((%s)::"+array.sql+"))", m.expr(s, e, depth), m.expr(s, array, depth))
	}
	return exprOf(boolType, head+" (%s))", m.expr(s, e, depth), m.oneColumn(s, e, depth))
}

func (m *maker) exists(s *scope, depth int) *piece {
	m.met("exists")
	return exprOf(boolType, "(EXISTS (%s))", m.query(s, depth, nil).text)
}

func (m *maker) inSubquery(s *scope, t *valueType, depth int) *piece {
	m.met("in subquery")
	not := pick(m.dice, []string{"", " NOT"})
	if m.chance(4) {
		u := pick(m.dice, comparable)
		return exprOf(boolType, "((%s, %s)"+not+" IN (%s))", m.expr(s, t, depth), m.expr(s, u, depth),
			m.query(s, depth, []*valueType{t, u}).text)
	}
	return exprOf(boolType, "(%s"+not+" IN (%s))", m.expr(s, t, depth), m.oneColumn(s, t, depth))
}

// oneColumn is a query of one column.
func (m *maker) oneColumn(s *scope, t *valueType, depth int) *piece {
	return m.query(s, depth, []*valueType{t}).text
}

// scalarSubquery has at most one row: that of an aggregate, or of a key.
func (m *maker) scalarSubquery(s *scope, t *valueType, depth int) *piece {
	m.met("scalar subquery")
	from := m.from(s, depth)
	inner := &scope{columns: from.columns, outer: s}
	where := m.where(inner, depth)
	if m.chance(2) {
		if p := m.aggregate(inner, t, depth); p != nil {
			// it may be an aggregate of the query around
			return exprOf(t, "(SELECT %s FROM %s%s LIMIT 1)", p, from.text, where)
		}
	}
	if from.key == nil {
		return exprOf(t, "(SELECT %s)", m.expr(&scope{outer: s}, t, depth))
	}
	return exprOf(t, "(SELECT %s FROM %s%s ORDER BY %s LIMIT 1)", m.expr(inner, t, depth), from.text, where,
		m.sortKeys(inner, from.key, depth))
}

// ordered is a query of one column, in one order.
func (m *maker) ordered(s *scope, t *valueType, depth int) *piece {
	from := m.from(s, depth)
	inner := &scope{columns: from.columns, outer: s}
	if from.key == nil {
		return phrase("SELECT %s", m.expr(&scope{outer: s}, t, depth))
	}
	return phrase("SELECT %s FROM %s%s ORDER BY %s", m.expr(inner, t, depth), from.text, m.where(inner, depth),
		m.sortKeys(inner, from.key, depth))
}
