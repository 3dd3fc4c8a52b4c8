package e2e

import "fmt"

// writableViews are views through which rows of tables are written.
func (m *maker) writableViews() (out []statement) {
	for i := range m.IntN(3) {
		m.met("updatable view")
		t := pick(m.dice, m.tables)
		v := &madeTable{name: fmt.Sprintf("u%d", i), of: t, id: t.id, key: t.key, unique: t.unique}
		v.columns = append(v.columns, t.columns[0])
		if len(t.columns) > 1 {
			v.columns = append(v.columns, some(m.dice, t.columns[1:], 4)...)
		}
		where := nothing
		if m.chance(2) {
			where = phrase(" WHERE %s", m.expr(t.scope(t.name), boolType, 2))
		}
		create := "CREATE VIEW " + v.name + " AS SELECT " + columnNames(v.columns) + " FROM " + t.name + "%s" +
			pick(m.dice, []string{"", "", " WITH CHECK OPTION", " WITH LOCAL CHECK OPTION"})
		out = append(out, statement{text: phrase(create, where)})
		m.writable = append(m.writable, v)
	}
	return out
}

// writes is a write of a table, or of a view of it, and what shows what it has done.
func (m *maker) writes() []statement {
	t := pick(m.dice, m.tables)
	base, s := t, statement{}
	if len(m.writable) > 0 && m.chance(4) {
		m.met("write of a view")
		v := pick(m.dice, m.writable)
		base, s = v.of, m.write(v)
		if s.numbers != nil {
			s.numbers = base
		}
	} else {
		s = m.write(t)
	}
	out := []statement{s}
	for _, of := range base.touched() {
		out = append(out, statement{text: word("SELECT * FROM " + of.name), query: true})
	}
	if m.audits {
		out = append(out, statement{text: word("SELECT * FROM " + auditTable), query: true})
	}
	return out
}
