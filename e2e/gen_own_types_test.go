package e2e

import (
	"fmt"
	"strings"
)

// madeDomain is a domain of a program.
type madeDomain struct {
	name    string
	of      *valueType
	notNull bool
}

var enumLabels = []string{"b", "a", "C", "a b", "é", "z", "it's"}

// ownTypes makes enums and domains, which columns of tables may have then.
func (m *maker) ownTypes() (create []statement) {
	for i := range m.IntN(3) {
		m.met("enum")
		t := &valueType{sql: fmt.Sprintf("e%d", i), same: true, values: some(m.dice, enumLabels, 5),
			edges: []string{"x", "", "A"}}
		m.enums = append(m.enums, t)
		var labels []string
		for _, v := range t.values {
			labels = append(labels, "'"+strings.ReplaceAll(v, "'", "''")+"'")
		}
		create = append(create, statement{
			text: word("CREATE TYPE " + t.sql + " AS ENUM (" + strings.Join(labels, ", ") + ")")})
	}
	for i := range m.IntN(3) {
		m.met("domain")
		// PostgreSQL has no operators for domains over enums
		d := madeDomain{name: fmt.Sprintf("d%d", i), of: pick(m.dice, valueTypes), notNull: m.chance(6)}
		m.domains = append(m.domains, d)
		sql := "CREATE DOMAIN " + d.name + " AS " + d.of.declared(m.dice)
		if m.chance(4) {
			sql += " DEFAULT " + m.literal(d.of)
		}
		if d.notNull {
			sql += " NOT NULL"
		}
		if !d.of.unordered && !m.chance(3) {
			sql += fmt.Sprintf(" CHECK (VALUE %s %s)", pick(m.dice, []string{"<>", ">=", "<="}), m.literal(d.of))
		}
		create = append(create, statement{text: word(sql)})
	}
	return create
}

// inDomain declares a column by a domain of its type, if there is one.
func (m *maker) inDomain(c *madeColumn) {
	for _, d := range m.domains {
		if d.of == c.t && m.chance(2) {
			c.declared, c.notNull = d.name, d.notNull
			return
		}
	}
}

// addLabel adds a value to an enum. It is used once it is there for good.
func (m *maker) addLabel() statement {
	m.met("value added to an enum")
	t, label := pick(m.dice, m.enums), m.alias("label ")
	sql := fmt.Sprintf("ALTER TYPE %s ADD VALUE '%s'", t.sql, label)
	if m.chance(4) {
		sql = strings.Replace(sql, "'", "IF NOT EXISTS '", 1)
	}
	if where := pick(m.dice, []string{"", " BEFORE ", " BEFORE ", " AFTER "}); where != "" {
		sql += where + "'" + strings.ReplaceAll(pick(m.dice, t.values), "'", "''") + "'"
	}
	return statement{text: word(sql), then: func() { t.values = append(t.values, label) }}
}
