package e2e

import (
	"slices"
	"strings"
)

// probe is a short statement that may fail in one way only: one call over values, a cast,
// or a mistake.
func (m *maker) probe() *piece {
	switch m.IntN(8) {
	case 0, 1, 2:
		return m.probeCall()
	case 3:
		m.met("any operator")
		return phrase("SELECT %s "+pick(m.dice, operatorSigns)+" %s", m.anyValue(), m.anyValue())
	case 4, 5:
		return m.probeCast()
	case 6:
		m.met("any function")
		c := pick(m.dice, m.calls.all)
		var args []*piece
		for range c.args {
			args = append(args, m.anyValue())
		}
		call := c.piece(args...)
		return phrase("SELECT %s", call)
	}
	return m.mistake()
}

var operatorSigns = []string{"+", "-", "*", "/", "%%", "||", "&", "|", "#", "<<", ">>", "->", "->>", "#>", "#>>", "@>",
	"<@", "?", "?|", "?&", "#-", "&&", "=", "<>", "<", ">=", "~", "~*", "LIKE", "^@", "@?"}

// anyValue is a value of any type, an unknown literal among them.
func (m *maker) anyValue() *piece {
	t := pick(m.dice, valueTypes)
	value := pick(m.dice, t.values)
	switch m.IntN(6) {
	case 0:
		return word("'" + strings.ReplaceAll(value, "'", "''") + "'")
	case 1:
		return word(pick(m.dice, []string{"NULL", "1", "2.5", "true", "ARRAY[1, 2]", "ARRAY['a']", "'{}'", "(1, 'a')",
			"10000000000"}))
	}
	return exprOf(t, t.quoted(value))
}

// edge is a value of a type, sometimes at its ends, or one that is none.
func (m *maker) edge(t *valueType) *piece {
	switch m.IntN(10) {
	case 0:
		return exprOf(t, "NULL::"+t.sql)
	case 1, 2, 3, 4:
		return exprOf(t, t.quoted(pick(m.dice, t.edges)))
	}
	return exprOf(t, m.literal(t))
}

func (m *maker) probeCall() *piece {
	m.met("call of a function that may fail")
	c := pick(m.dice, m.calls.all)
	var args []*piece
	risky := m.IntN(len(c.args))
	for i, a := range c.args {
		if i == risky && !slices.Contains(growing, c.f.Name) {
			args = append(args, m.edge(a))
			continue
		}
		args = append(args, word(m.literal(a)))
	}
	return phrase("SELECT %s", c.piece(args...))
}

// probeCast casts between any types, with modifiers.
func (m *maker) probeCast() *piece {
	m.met("any cast")
	from, to := pick(m.dice, valueTypes), pick(m.dice, valueTypes)
	name := to.sql
	if m.chance(3) {
		switch to.sql {
		case "numeric":
			name = pick(m.dice, []string{"numeric(3,1)", "numeric(5)", "numeric(2,2)", "numeric(3,-1)"})
		case "varchar", "bpchar":
			name = pick(m.dice, []string{"varchar(2)", "char(4)", "char", "varchar(1)"})
		case "timestamp", "timestamptz", "time", "timetz":
			name += pick(m.dice, []string{"(0)", "(3)", "(6)"})
		case "interval":
			name = pick(m.dice, []string{"interval(0)", "interval day", "interval hour to minute",
				"interval year to month", "interval second(2)"})
		}
	}
	if m.chance(3) {
		value := pick(m.dice, slices.Concat(to.values, to.edges))
		return phrase("SELECT %s::"+name, word("'"+strings.ReplaceAll(value, "'", "''")+"'"))
	}
	return phrase("SELECT %s::"+name, exprOf(from, m.literal(from)))
}

// mistake is a statement with one mistake in it.
func (m *maker) mistake() *piece {
	m.met("mistake")
	t := pick(m.dice, m.tables)
	r := t.as("r")
	s := &scope{columns: r.columns}
	a, b := pick(m.dice, valueTypes), pick(m.dice, valueTypes)
	x, y := m.expr(s, a, 1), m.expr(s, b, 1)
	one := func(format string) *piece { return phrase(strings.ReplaceAll(format, "@", "%s"), x) }
	two := func(format string) *piece { return phrase(strings.ReplaceAll(format, "@", "%s"), x, y) }
	from := " FROM " + t.name + " AS r"
	return pick(m.dice, []func() *piece{
		func() *piece { return one("SELECT @" + from + " WHERE nope = 1") },
		func() *piece { return one("SELECT r.nope, @" + from) },
		func() *piece { return one("SELECT @, count(*)" + from + " GROUP BY r.id + 1") },
		func() *piece { return one("SELECT 1" + from + " WHERE @") },
		func() *piece { return two("SELECT 1" + from + " WHERE @ = @") },
		func() *piece { return two("SELECT CASE WHEN true THEN @ ELSE @ END" + from) },
		func() *piece { return two("SELECT COALESCE(@, @)" + from) },
		func() *piece { return two("SELECT @" + from + " UNION ALL SELECT @" + from) },
		func() *piece { return two("SELECT @" + from + " EXCEPT SELECT @" + from) },
		func() *piece { return two("SELECT ARRAY[@, @]" + from) },
		func() *piece { return two("SELECT GREATEST(@, @)" + from) },
		func() *piece { return two("SELECT (@ IN (@, NULL))" + from) },
		func() *piece { return two("SELECT @ IN (SELECT @)" + from) },
		func() *piece { return two("SELECT @ = ANY (ARRAY[@])" + from) },
		func() *piece { return two("SELECT (@, 1) < (@, 2)" + from) },
		func() *piece { return two("SELECT NULLIF(@, @)" + from) },
		func() *piece { return two("SELECT @ BETWEEN @ AND NULL" + from) },
		func() *piece { return one("SELECT 1" + from + " WHERE count(@) > 1") },
		func() *piece { return one("SELECT sum(count(@))" + from) },
		func() *piece { return one("SELECT 1" + from + " WHERE row_number() OVER (ORDER BY @) > 1") },
		func() *piece {
			return one("SELECT " + pick(m.dice, []string{"sum", "avg", "min", "max", "bool_and", "string_agg",
				"array_agg", "stddev", "bit_and", "every"}) + "(@ ORDER BY r.id)" + from)
		},
		func() *piece { return one("SELECT @" + from + " ORDER BY 5") },
		func() *piece { return one("SELECT (SELECT @, 1)" + from) },
		func() *piece { return two("SELECT (SELECT @" + from + " UNION ALL SELECT @" + from + ")") },
		func() *piece { return one("SELECT DISTINCT @" + from + " ORDER BY r.id") },
		func() *piece { return one("SELECT @" + from + " LIMIT -1") },
		func() *piece { return one("INSERT INTO " + t.name + " (id, nope) VALUES (1, 2)") },
		func() *piece { return two("SELECT id" + from + " JOIN " + t.name + " AS q ON @ = @") },
		func() *piece { return one("SELECT @" + from + " HAVING true") },
		func() *piece { return one("SELECT *, @" + from + " GROUP BY r.id") },
		func() *piece { return one("SELECT unnest(@)" + from + " ORDER BY 1") },
		func() *piece { return one("SELECT generate_series(1, @)") },
		func() *piece { return two("SELECT @ IS DISTINCT FROM @" + from) },
		func() *piece { return one("SELECT @" + from + " FOR UPDATE") },
		func() *piece { return one("SELECT -(@)" + from) },
		func() *piece { return one("SELECT NOT @" + from) },
		func() *piece { return one("SELECT @ IS TRUE" + from) },
		func() *piece { return one("SELECT (@)[1]" + from) },
		func() *piece { return one("SELECT @ COLLATE \"C\"" + from) },
		func() *piece { return two("SELECT lag(@, 1, @) OVER (ORDER BY r.id)" + from) },
	})()
}
