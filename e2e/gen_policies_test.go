package e2e

import (
	"fmt"
	"strings"
)

// subject is the role on which policies bear.
const subject = "generated_app"

// policies let a role use everything, and bound what it sees of some tables.
func (m *maker) policies() []statement {
	var out []statement
	do := func(p *piece) { out = append(out, statement{text: p}) }
	for _, what := range []string{"USAGE ON SCHEMA public", "ALL ON ALL TABLES IN SCHEMA public",
		"ALL ON ALL SEQUENCES IN SCHEMA public"} {
		do(word("GRANT " + what + " TO " + subject))
	}
	for _, t := range m.tables {
		if m.chance(2) {
			continue
		}
		m.met("row security")
		do(word("ALTER TABLE " + t.name + " ENABLE ROW LEVEL SECURITY"))
		for i := range m.IntN(4) {
			do(m.policy(t, fmt.Sprintf("p%d", i)))
		}
	}
	return out
}

func (m *maker) policy(t *madeTable, name string) *piece {
	s := t.scope(t.name)
	command := pick(m.dice, []string{"", "", "ALL", "SELECT", "SELECT", "INSERT", "UPDATE", "DELETE"})
	head := "CREATE POLICY " + name + " ON " + t.name
	if m.chance(4) {
		head += " AS RESTRICTIVE"
	}
	if command != "" {
		head += " FOR " + command
	}
	head += pick(m.dice, []string{"", " TO PUBLIC", " TO " + subject, " TO " + subject, " TO CURRENT_USER"})
	using, check := nothing, nothing
	if command != "INSERT" {
		using = phrase(" USING (%s)", m.expr(s, boolType, 2))
	}
	if command != "SELECT" && command != "DELETE" && (using == nothing || m.chance(3)) {
		check = phrase(" WITH CHECK (%s)", m.expr(s, boolType, 2))
	}
	return phrase(strings.ReplaceAll(head, "%", "%%")+"%s%s", using, check)
}

// role is the statement that makes another role the present one.
func (m *maker) role() string {
	m.met("role")
	return pick(m.dice, []string{"SET ROLE " + subject, "SET ROLE " + subject, "RESET ROLE"})
}
