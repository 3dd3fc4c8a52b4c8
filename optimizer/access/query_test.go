package access_test

import (
	"cmp"
	"fmt"
	"strings"
)

// query is a random SELECT.
type query struct {
	sql       string
	params    []string // literals
	hint      string
	unordered bool
}

func (w *world) query() query {
	q := query{}
	where, more := "", w.IntN(4)
	if w.IntN(3) == 0 {
		where, more = w.boxes(&q), more/3
	} else {
		where = w.condition(&q, 2)
	}
	for range more {
		where += " AND " + w.condition(&q, 2)
	}
	if w.IntN(6) == 0 {
		where = w.rowComparison(&q) + " AND " + where
	}
	if len(w.held) > 0 && w.IntN(3) == 0 {
		where = w.held[w.IntN(len(w.held))] + " AND " + where
	}
	q.sql = "SELECT " + w.key(4, false) + " FROM t WHERE " + where
	if w.IntN(2) == 0 {
		q.sql += " ORDER BY " + w.key(3, true)
		if w.IntN(3) == 0 {
			q.sql += " NULLS FIRST"
		}
		if w.IntN(2) == 0 {
			q.sql += " LIMIT 5"
		}
	}
	return q
}

// some is a column, often one of the primary key.
func (w *world) some() column {
	if w.IntN(2) == 0 {
		return w.columns[w.primary[w.IntN(len(w.primary))]]
	}
	return w.columns[w.IntN(len(w.columns))]
}

// literal is one of a column's values, sometimes NULL, sometimes given as a parameter.
func (w *world) literal(q *query, c column) string {
	v := c.literals[w.IntN(len(c.literals))]
	if w.IntN(20) == 0 {
		v = "NULL"
	}
	if w.IntN(4) > 0 {
		return v
	}
	q.params = append(q.params, v)
	return fmt.Sprintf("$%d", len(q.params))
}

func (w *world) condition(q *query, depth int) string {
	c := w.some()
	v := func() string { return w.literal(q, c) }
	kind := w.IntN(17)
	if depth == 0 {
		kind = w.IntN(9)
	}
	switch kind {
	case 0, 1, 2:
		return c.name + " = " + v()
	case 3:
		return c.name + []string{" < ", " <= ", " > ", " >= ", " <> "}[w.IntN(5)] + v()
	case 4:
		return v() + []string{" < ", " <= ", " > ", " >= ", " = "}[w.IntN(5)] + c.name
	case 5:
		return c.name + " BETWEEN " + v() + " AND " + v()
	case 6:
		return c.name + []string{" IN (", " NOT IN ("}[w.IntN(2)] + v() + ", " + v() + ", " + v() + ")"
	case 7:
		return c.name + []string{" IS NULL", " IS NOT NULL"}[w.IntN(2)]
	case 8:
		return []string{"c", "f"}[w.IntN(2)] + []string{" LIKE ", " NOT LIKE "}[w.IntN(2)] +
			[]string{"'ab%'", "'ab\\_'", "'a%c'", "'%'", "''", "'a_'"}[w.IntN(6)]
	case 9:
		return []string{"d", "NOT d", "d IS TRUE", "(1 + 1 = 2)"}[w.IntN(4)]
	case 10, 11:
		return "(" + w.condition(q, depth-1) + " OR " + w.condition(q, depth-1) + ")"
	case 12:
		return "NOT (" + w.condition(q, depth-1) + ")"
	case 13, 14:
		return w.rowComparison(q)
	case 15:
		return w.anyOf(q, c)
	}
	return "(" + c.name + " = " + v() + " OR " + c.name + " = " + v() + ")"
}

// rowComparison compares some columns at once, often those that a key begins with.
func (w *world) rowComparison(q *query) string {
	var names, values []string
	from := w.Perm(4)
	if len(w.primary) > 1 && w.IntN(2) == 0 {
		from = w.primary
	}
	for _, i := range from[:min(2+w.IntN(2), len(from))] {
		names, values = append(names, w.columns[i].name), append(values, w.literal(q, w.columns[i]))
	}
	left, right := "("+strings.Join(names, ", ")+")", "("+strings.Join(values, ", ")+")"
	if w.IntN(4) == 0 {
		left, right = right, left
	}
	return left + []string{" < ", " <= ", " > ", " >= ", " = "}[w.IntN(5)] + right
}

// anyOf compares a column with the elements of an array: written out, a constant, or a
// parameter.
func (w *world) anyOf(q *query, c column) string {
	var items []string
	for range w.IntN(4) {
		item := "NULL"
		if w.IntN(5) > 0 {
			item = strings.Trim(c.literals[w.IntN(len(c.literals))], "'")
		}
		items = append(items, cmp.Or(item, `""`))
	}
	array := "'{" + strings.Join(items, ",") + "}'"
	switch w.IntN(4) {
	case 0:
		array = "ARRAY[" + w.literal(q, c) + "::" + c.typ + ", " + c.literals[0] + "]"
	case 1:
		q.params = append(q.params, array)
		array = fmt.Sprintf("$%d", len(q.params))
	}
	return c.name + []string{" = ANY (", " = ANY (", " = ANY (", " <> ALL (", " >= ANY ("}[w.IntN(5)] + array + ")"
}
