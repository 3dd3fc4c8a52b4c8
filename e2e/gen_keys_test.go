package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// madeReference is what a column of a foreign key refers to.
type madeReference struct {
	to     *madeTable
	column string
}

// valueOf is a value of a column that refers to a row: the one with the number that is given, if there is one.
func (r *madeReference) valueOf(parent int) string {
	if r.column == "id" {
		return strconv.Itoa(parent)
	}
	return fmt.Sprintf("(SELECT %s FROM %s WHERE id = %d)", r.column, r.to.name, parent)
}

// parent is the number of a row that may be there.
func (m *maker) parent() int { return 1 + m.IntN(7) }

// valueFor is a value of a column of a row that refers to rows with a number.
func (m *maker) valueFor(c madeColumn, parent int) string {
	switch {
	case c.refers == nil:
		return m.quotedValue(c.t)
	case m.chance(8):
		return "NULL"
	case m.chance(8):
		return c.refers.valueOf(m.parent())
	}
	return c.refers.valueOf(parent)
}

// pair makes a key of the id and another column, to which foreign keys of two columns may refer.
func (m *maker) pair(t *madeTable) {
	columns := slices.DeleteFunc(slices.Clone(t.columns[1:]), func(c madeColumn) bool {
		return !c.t.same || c.generated
	})
	if len(columns) > 0 {
		t.pair = &columns[m.IntN(len(columns))]
		t.constraints = append(t.constraints, "UNIQUE (id, "+t.pair.name+")")
	}
}

// refer adds a foreign key with columns of its own to a table.
func (m *maker) refer(t, to *madeTable) {
	m.met("foreign key")
	column := func(name string, of *valueType, declared string, refers string) string {
		c := madeColumn{name: name, t: of, declared: declared, refers: &madeReference{to, refers}, notNull: m.chance(6)}
		if c.notNull {
			c.extra = " NOT NULL"
		}
		if refers == "id" && m.chance(3) {
			c.extra += " DEFAULT " + strconv.Itoa(m.parent())
		}
		t.columns = append(t.columns, c)
		return name
	}
	n := len(t.columns)
	of := typeNamed(pick(m.dice, []string{"int4", "int4", "int8", "int2"}))
	columns := []string{column(fmt.Sprintf("f%d", n), of, of.sql, "id")}
	refers := pick(m.dice, []string{"", " (id)"})
	if to.pair != nil && m.chance(2) {
		m.met("foreign key of two columns")
		columns = append(columns, column(fmt.Sprintf("g%d", n), to.pair.t, to.pair.declared, to.pair.name))
		refers = " (id, " + to.pair.name + ")"
	}
	name := fmt.Sprintf("%s_k%d", t.name, n)
	t.constraints = append(t.constraints, fmt.Sprintf("CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s%s%s", name,
		strings.Join(columns, ", "), to.name, refers, m.keyClauses(columns)))
	t.keys = append(t.keys, name)
	to.referrers = append(to.referrers, t)
}

// keyClauses are those behind what a foreign key refers to.
func (m *maker) keyClauses(columns []string) string {
	action := func() string {
		return pick(m.dice, []string{"NO ACTION", "RESTRICT", "CASCADE", "CASCADE", "SET NULL", "SET DEFAULT"})
	}
	out := pick(m.dice, []string{"", "", " MATCH SIMPLE", " MATCH FULL"})
	if !m.chance(4) {
		does := action()
		if strings.HasPrefix(does, "SET") && m.chance(3) {
			does += " (" + strings.Join(some(m.dice, columns, 2), ", ") + ")"
		}
		out += " ON DELETE " + does
	}
	if !m.chance(3) {
		out += " ON UPDATE " + action()
	}
	return out + pick(m.dice, []string{"", "", "", " NOT DEFERRABLE", " DEFERRABLE", " DEFERRABLE INITIALLY DEFERRED"})
}

// touched are the tables whose rows a write of a table may change.
func (t *madeTable) touched() []*madeTable {
	out := []*madeTable{t}
	for i := 0; i < len(out); i++ {
		for _, r := range out[i].referrers {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// changeKeys changes the foreign keys of a table, or when they are checked.
func (m *maker) changeKeys() statement {
	t := pick(m.dice, m.tables)
	alter := func(format string, args ...any) statement {
		return statement{text: word("ALTER TABLE " + t.name + " " + fmt.Sprintf(format, args...)), loose: true}
	}
	n := m.IntN(6)
	if n < 2 || len(t.keys) == 0 {
		m.met("foreign key added")
		to, c, name := pick(m.dice, m.tables), m.intColumn(t), m.alias("k")
		s := alter("ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s%s%s", name, c, to.name,
			m.keyClauses([]string{c}), pick(m.dice, []string{"", " NOT VALID"}))
		s.then = func() {
			t.keys = append(t.keys, name)
			to.referrers = append(to.referrers, t)
		}
		return s
	}
	key := pick(m.dice, t.keys)
	switch n {
	case 2:
		return alter("DROP CONSTRAINT %s", key)
	case 3:
		return alter("VALIDATE CONSTRAINT %s", key)
	case 4:
		return alter("ALTER CONSTRAINT %s %s", key, pick(m.dice, []string{"DEFERRABLE", "NOT DEFERRABLE",
			"DEFERRABLE INITIALLY DEFERRED"}))
	}
	return statement{text: word("TRUNCATE " + t.name + pick(m.dice, []string{"", " CASCADE"})), loose: true}
}

// setConstraints says when constraints are checked.
func (m *maker) setConstraints() string {
	name := "ALL"
	if t := pick(m.dice, m.tables); len(t.keys) > 0 && m.chance(3) {
		name = pick(m.dice, t.keys)
	}
	return "SET CONSTRAINTS " + name + pick(m.dice, []string{" DEFERRED", " DEFERRED", " IMMEDIATE"})
}
