package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// statement is one of a program.
type statement struct {
	text    *piece
	ordered bool       // the rows come in one order
	loose   bool       // which of several rows breaks a rule first is open
	ours    bool       // PostgreSQL has nothing like it
	numbers *madeTable // whose numbers of rows a failure may leave anywhere
	query   bool
	binary  bool   // is asked for in the binary format
	layout  string // what it says here besides, which PostgreSQL has no words for
	then    func() // is called when it has succeeded for good
}

func (s statement) String() string { return s.text.String() }

// next is a random statement.
func (m *maker) next(failed bool) []statement {
	if failed && !m.chance(3) {
		return []statement{{text: word(pick(m.dice, []string{"ROLLBACK", "COMMIT", "ROLLBACK TO a", "ROLLBACK TO b"}))}}
	}
	switch n := m.IntN(100); {
	case n < 35:
		s := m.ask()
		// a slice of an array keeps its bitmap of NULLs, and we have none
		s.binary = m.chance(6) && !strings.Contains(s.String(), ")[")
		return []statement{s}
	case n < 50:
		return []statement{{text: m.probe(), query: true}}
	case n < 85:
		return m.writes()
	case n < 89:
		return []statement{m.define()}
	}
	m.met("transaction")
	return []statement{{loose: true, text: word(pick(m.dice,
		[]string{"BEGIN", "BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ", "COMMIT", "COMMIT", "ROLLBACK",
			"SAVEPOINT a", "SAVEPOINT a", "SAVEPOINT b", "ROLLBACK TO a", "ROLLBACK TO b", "ROLLBACK TO SAVEPOINT a",
			"RELEASE a", "RELEASE SAVEPOINT b", m.setConstraints()}))}}
}

// define changes what the tables are, or who asks.
func (m *maker) define() statement {
	switch n := m.IntN(4); {
	case n == 0:
		return m.changeKeys()
	case n == 1 && len(m.enums) > 0:
		return m.addLabel()
	}
	return statement{text: word(m.role())}
}

func (m *maker) ask() statement {
	m.bare = m.chance(2)
	var r relation
	switch m.IntN(6) {
	case 0:
		m.bare = false
		r = m.common(nil, 3, func() relation { return m.query(nil, 2, nil) })
	case 1:
		m.bare = false
		from := m.from(nil, 3)
		r = relation{text: phrase("SELECT * FROM %s%s", from.text, m.where(&scope{columns: from.columns}, 3))}
	default:
		r = m.query(nil, 2+m.IntN(3), nil)
	}
	m.bare = false
	return statement{text: r.text, ordered: r.ordered, query: true}
}

func (m *maker) write(t *madeTable) statement {
	if m.returns == "" && m.chance(6) {
		m.met("write in with")
		m.returns = " RETURNING target.id AS a"
		s := m.write(t)
		m.returns = ""
		s.text = phrase("WITH w AS (%s) "+pick(m.dice, []string{"SELECT w.a, w.a + 1 AS b FROM w",
			"SELECT count(*), sum(a) FROM w", "SELECT (SELECT max(a) FROM w), 2 AS two"}), s.text)
		return s
	}
	var s statement
	switch m.IntN(8) {
	case 7:
		if m.returns != "" || t.of != nil { // views are merged into since PostgreSQL 17
			return m.delete(t)
		}
		s = m.merge(t)
	case 0, 1:
		s = m.insertRow(t)
	case 2:
		s = m.insertQuery(t)
	case 3, 4:
		s = m.update(t)
	case 5:
		s = m.updateFrom(t)
	default:
		s = m.delete(t)
	}
	return s
}

func (t *madeTable) scope(alias string) *scope {
	return &scope{columns: t.as(alias).columns}
}

// returning is a RETURNING or nothing.
func (m *maker) returning(t *madeTable, alias string) *piece {
	if m.returns != "" {
		return word(m.returns)
	}
	switch m.IntN(4) {
	case 0:
		m.met("returning")
		return clause(" RETURNING %s", listOf(", ", m.exprs(t.scope(alias), pick(m.dice, valueTypes), 3, 2)...))
	case 1:
		return clause(" RETURNING *")
	}
	return nothing
}

// returningTarget says nothing of the other table, of which any row may have matched.
func (m *maker) returningTarget(t *madeTable) *piece {
	if p := m.returning(t, "target"); p.String() != " RETURNING *" {
		return p
	}
	return clause(" RETURNING target.*")
}

// targets are some columns that a statement sets, with the id if the statement must give it.
func (m *maker) targets(t *madeTable) []madeColumn {
	out := slices.DeleteFunc(some(m.dice, t.columns[1:], 5), func(c madeColumn) bool {
		return c.generated && !m.chance(20)
	})
	for _, c := range t.columns[1:] {
		there := slices.ContainsFunc(out, func(o madeColumn) bool { return o.name == c.name })
		if (c.notNull || c.refers != nil && m.chance(2)) && !there && !m.chance(8) {
			out = append(out, c)
		}
	}
	if t.id == "" || t.id != "int GENERATED ALWAYS AS IDENTITY" && m.chance(2) {
		out = append(out, t.columns[0])
	}
	return out
}

func columnNames(columns []madeColumn) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// conflict is an ON CONFLICT or nothing.
func (m *maker) conflict(t *madeTable) *piece {
	switch m.IntN(5) {
	case 0:
		m.met("on conflict do nothing")
		targets := []string{" (id)", ""}
		if slices.ContainsFunc(t.columns, func(c madeColumn) bool { return strings.Contains(c.extra, "DEFERR") }) {
			targets = targets[:1] // an error of whose row is told first is of no matter
		}
		return clause(" ON CONFLICT" + pick(m.dice, targets) + " DO NOTHING")
	case 1:
		m.met("on conflict do update")
		c := pick(m.dice, t.columns[1:])
		if slices.Contains(t.unique, c.name) || c.generated {
			return nothing
		}
		s := t.scope("target")
		s.columns = slices.Concat(s.columns, t.as("excluded").columns)
		return clause(" ON CONFLICT (id) DO UPDATE SET "+c.name+" = %s%s", m.expr(s, c.t, 2), m.where(s, 2))
	}
	return nothing
}

func (m *maker) insertRow(t *madeTable) statement {
	m.met("insert")
	columns, parent := m.targets(t), m.parent()
	var row []*piece
	for _, c := range columns {
		switch {
		case c.name == "id":
			row = append(row, word(strconv.Itoa(1+m.IntN(30))))
		case m.chance(10):
			row = append(row, word("DEFAULT"))
		case c.refers != nil:
			row = append(row, word(m.valueFor(c, parent)))
		case m.chance(3):
			row = append(row, m.expr(&scope{}, c.t, 2))
		default:
			row = append(row, word(m.quotedValue(c.t)))
		}
	}
	text := phrase("INSERT INTO "+t.name+" AS target ("+columnNames(columns)+") VALUES (%s)%s%s", listOfAll(row),
		m.conflict(t), m.returning(t, "target"))
	return statement{text: text, numbers: t}
}

// quotedValue is a literal that takes the type of its place.
func (m *maker) quotedValue(t *valueType) string {
	if m.chance(10) {
		return "NULL"
	}
	literal := m.literal(t)
	return literal[:strings.LastIndex(literal, "::")]
}

// insertQuery inserts what a query gives, in one order.
func (m *maker) insertQuery(t *madeTable) statement {
	from := m.from(nil, 2)
	if from.key == nil {
		return m.insertRow(t)
	}
	m.met("insert select")
	s := &scope{columns: from.columns}
	columns := m.targets(t)
	var list []*piece
	for _, c := range columns {
		if c.name == "id" {
			list = append(list, phrase("(%s %% 40)", m.expr(s, intType, 2)))
			continue
		}
		if c.refers != nil && !m.chance(3) {
			list = append(list, word(m.valueFor(c, m.parent())))
			continue
		}
		list = append(list, m.expr(s, c.t, 2))
	}
	text := phrase("INSERT INTO "+t.name+" AS target ("+columnNames(columns)+") SELECT %s FROM %s%s ORDER BY %s LIMIT 4%s%s",
		listOfAll(list), from.text, m.where(s, 2), m.sortKeys(s, from.key, 1), m.conflict(t), m.returning(t, "target"))
	return statement{text: text, numbers: t, loose: true}
}

// settings are the columns that an UPDATE sets: a unique one only when it is of one row.
func (m *maker) settings(t *madeTable, s *scope, one bool) *piece {
	var set []*piece
	for _, c := range some(m.dice, t.columns[1:], 3) {
		if slices.Contains(t.unique, c.name) && !one || c.generated && !m.chance(20) {
			continue
		}
		value := m.expr(s, c.t, 2)
		switch {
		case m.chance(8):
			value = word("DEFAULT")
		case c.refers != nil && !m.chance(3):
			value = word(m.valueFor(c, m.parent()))
		}
		set = append(set, phrase(c.name+" = %s", value))
	}
	if len(set) == 0 {
		return word("id = target.id")
	}
	if m.chance(5) && len(set) > 1 && !strings.Contains(set[0].String()+set[1].String(), "= DEFAULT") {
		m.met("set of several")
		return phrase("("+strings.Split(set[0].format, " ")[0]+", "+strings.Split(set[1].format, " ")[0]+") = (%s, %s)",
			set[0].kids[0], set[1].kids[0])
	}
	return listOf(", ", set...)
}

func (m *maker) update(t *madeTable) statement {
	m.met("update")
	s := t.scope("target")
	if m.chance(2) {
		set := m.settings(t, s, true)
		if m.chance(4) {
			m.met("update of a key")
			set = word("id = " + strconv.Itoa(1+m.IntN(40)))
		}
		text := phrase("UPDATE "+t.name+" AS target SET %s WHERE target.id = "+strconv.Itoa(1+m.IntN(15))+"%s",
			set, m.returning(t, "target"))
		return statement{text: text}
	}
	text := phrase("UPDATE "+t.name+" AS target SET %s%s%s", m.settings(t, s, false), m.where(s, 3),
		m.returning(t, "target"))
	return statement{text: text, loose: true}
}

// updateFrom joins each row with at most one other.
func (m *maker) updateFrom(t *madeTable) statement {
	m.met("update from")
	s := t.scope("target")
	other := pick(m.dice, m.tables).as("other")
	s.columns = slices.Concat(s.columns, other.columns)
	text := phrase("UPDATE "+t.name+" AS target SET %s FROM %s WHERE other.id = target."+m.intColumn(t)+"%s%s",
		m.settings(t, s, false), other.text, clause(" AND %s", m.expr(s, boolType, 2)), m.returning(t, "target"))
	return statement{text: text, loose: true}
}

func (m *maker) intColumn(t *madeTable) string {
	names := []string{"id"}
	for _, c := range t.columns {
		if c.t == intType {
			names = append(names, c.name)
		}
	}
	return pick(m.dice, names)
}

func (m *maker) delete(t *madeTable) statement {
	m.met("delete")
	s := t.scope("target")
	if m.chance(2) {
		m.met("delete using")
		other := pick(m.dice, m.tables).as("other")
		s.columns = slices.Concat(s.columns, other.columns)
		return statement{loose: true, text: phrase("DELETE FROM "+t.name+" AS target USING %s WHERE %s%s%s", other.text,
			m.joinCondition(s, t.as("target"), other, 2),
			clause(" AND %s", m.expr(s, boolType, 2)), m.returningTarget(t))}
	}
	return statement{loose: true, text: phrase("DELETE FROM "+t.name+" AS target WHERE %s AND %s%s",
		m.expr(s, boolType, 3), m.expr(s, boolType, 2), m.returning(t, "target"))}
}

// merge writes rows by those of another table, of which each matches at most one.
func (m *maker) merge(t *madeTable) statement {
	m.met("merge")
	other := pick(m.dice, m.tables).as("source")
	source := &scope{columns: other.columns}
	both := &scope{columns: slices.Concat(t.as("target").columns, other.columns)}
	var whens []*piece
	when := func(s *scope, text string, do *piece) {
		cond := nothing
		if m.chance(2) {
			cond = clause(" AND %s", m.expr(s, boolType, 2))
		}
		whens = append(whens, phrase(text+"%s THEN %s", cond, do))
		if cond == nothing {
			whens = append(whens, nothing)
		}
	}
	open := func() bool { return len(whens) == 0 || whens[len(whens)-1] != nothing }
	for range 1 + m.IntN(3) {
		if !open() {
			break
		}
		do := word("DO NOTHING")
		switch m.IntN(4) {
		case 0, 1:
			do = phrase("UPDATE SET %s", m.settings(t, both, false))
		case 2:
			do = word("DELETE")
		}
		when(both, " WHEN MATCHED", do)
	}
	if columns := m.targets(t); slices.ContainsFunc(columns, func(c madeColumn) bool { return c.name == "id" }) {
		var row []*piece
		for _, c := range columns {
			if c.name == "id" {
				row = append(row, word("source.id + "+strconv.Itoa(m.IntN(12))))
			} else {
				row = append(row, m.expr(source, c.t, 2))
			}
		}
		when(source, " WHEN NOT MATCHED", phrase("INSERT ("+columnNames(columns)+") VALUES (%s)", listOfAll(row)))
	}
	text := phrase("MERGE INTO "+t.name+" AS target USING %s ON target.id = source.id%s%s", other.text,
		clause(" AND %s", m.expr(both, boolType, 1)), phrase(strings.Repeat("%s", len(whens)), whens...))
	return statement{text: text, numbers: t, loose: true}
}

// fill are the first rows of the tables.
func (m *maker) fill() (out []statement) {
	for _, t := range m.tables {
		for i := range 5 + m.IntN(8) {
			parent := m.parent()
			var names, row []string
			for _, c := range t.columns {
				switch {
				case c.name == "id" && t.id != "", c.generated:
				case c.name == "id":
					names, row = append(names, "id"), append(row, strconv.Itoa(i+1))
				case !m.chance(10):
					names, row = append(names, c.name), append(row, m.valueFor(c, parent))
				}
			}
			if len(names) == 0 {
				out = append(out, statement{text: word("INSERT INTO " + t.name + " DEFAULT VALUES"), numbers: t})
				continue
			}
			sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.name, strings.Join(names, ", "),
				strings.Join(row, ", "))
			out = append(out, statement{text: word(sql), numbers: t})
		}
	}
	return out
}

// prepare makes tables with their rows and indexes on a server of ours, and says how.
// Rows that break a rule are left out.
func (m *maker) prepare(c *pgconn.PgConn, create, fill []statement, indexes []string) (done []string) {
	var statements []string
	for _, s := range slices.Concat(create, fill) {
		statements = append(statements, s.String()+s.layout)
	}
	for _, sql := range append(statements, indexes...) {
		if ask(c, sql, false).code == "" {
			done = append(done, sql)
		}
	}
	return done
}
