package e2e

import (
	"fmt"
	"slices"
)

// auditTable is where triggers note what they saw.
const auditTable = "audit"

// triggers are functions and triggers of some tables. None of them keeps an action of a foreign key from what it does.
func (m *maker) triggers() (out []statement) {
	do := func(format string, args ...any) {
		out = append(out, statement{text: phrase("%s", word(fmt.Sprintf(format, args...)))})
	}
	do("CREATE TABLE %s (at text, what text, id int)", auditTable)
	m.audits = true
	for _, t := range m.tables {
		if m.chance(2) {
			continue
		}
		m.met("trigger")
		name := t.name + "_f"
		do("CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s END $$", name, m.triggerBody(t))
		for i := range 1 + m.IntN(2) {
			do("CREATE TRIGGER %s_t%d %s EXECUTE FUNCTION %s()", t.name, i, m.triggerHead(t), name)
		}
	}
	return out
}

// triggerBody is what a function of a trigger does.
func (m *maker) triggerBody(t *madeTable) string {
	note := "INSERT INTO " + auditTable + " VALUES (TG_WHEN || ' ' || TG_LEVEL, TG_OP, %s); "
	level := "IF TG_LEVEL = 'STATEMENT' THEN " + fmt.Sprintf(note, "NULL") + "RETURN NULL; END IF; "
	old := "IF TG_OP = 'DELETE' THEN " + fmt.Sprintf(note, "OLD.id") + "RETURN OLD; END IF; "
	change := ""
	free := slices.DeleteFunc(slices.Clone(t.columns[1:]), func(c madeColumn) bool {
		return c.generated || c.refers != nil || slices.Contains(t.unique, c.name) ||
			t.pair != nil && t.pair.name == c.name
	})
	if len(free) > 0 {
		c := pick(m.dice, free)
		value := m.literal(c.t)
		if c.t == intType {
			value = "NEW.id + 1"
		}
		change = fmt.Sprintf("IF TG_WHEN = 'BEFORE' AND NEW.id %% 3 = 0 THEN NEW.%s := %s; END IF; ", c.name, value)
	}
	if m.chance(3) {
		change += "IF TG_WHEN = 'BEFORE' AND TG_OP = 'INSERT' AND NEW.id % 7 = 0 THEN RETURN NULL; END IF; "
	}
	if m.chance(6) {
		change += "IF NEW.id % 11 = 0 THEN RAISE EXCEPTION 'not %', NEW.id; END IF; "
	}
	return level + old + change + fmt.Sprintf(note, "NEW.id") + "RETURN NEW;"
}

// triggerHead says when a trigger fires. UPDATE OF a generated column is left out: PostgreSQL 15 counts it as set by
// every MERGE and ON CONFLICT DO UPDATE.
func (m *maker) triggerHead(t *madeTable) string {
	given := slices.DeleteFunc(slices.Clone(t.columns), func(c madeColumn) bool { return c.generated })
	events := pick(m.dice, []string{"INSERT", "UPDATE", "DELETE", "INSERT OR UPDATE", "INSERT OR UPDATE OR DELETE",
		"UPDATE OF " + pick(m.dice, given).name})
	when := pick(m.dice, []string{"BEFORE", "BEFORE", "AFTER", "AFTER"})
	// Actions of several keys on one row are done key by key, in PostgreSQL parent by parent: the row may be changed
	// before it goes, or not.
	if len(t.keys) > 1 || m.chance(3) {
		return fmt.Sprintf("%s %s ON %s FOR EACH STATEMENT", when, events, t.name)
	}
	head := fmt.Sprintf("%s %s ON %s FOR EACH ROW", when, events, t.name)
	if m.chance(4) && (events == "INSERT" || events == "UPDATE") {
		head += " WHEN (NEW.id > 2)"
	}
	return head
}
