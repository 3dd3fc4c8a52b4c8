package e2e

import (
	"fmt"
	"strings"
)

// partition lets a table have partitions of its id, and says how they are made. Keys that only one row may have contain
// the id then.
func (m *maker) partition(t *madeTable) {
	m.met("partitioned table")
	t.partitioned, t.layout = pick(m.dice, []string{"RANGE", "LIST", "HASH"}), ""
	for i := range t.columns {
		c := &t.columns[i]
		if at := strings.Index(c.extra, " UNIQUE"); at >= 0 {
			c.extra = c.extra[:at]
		}
	}
	t.unique = t.unique[:1]
}

// partitions are the statements that make the partitions of a table.
func (t *madeTable) partitions() (out []statement) {
	bounds := map[string][]string{
		"RANGE": {"FROM (MINVALUE) TO (5)", "FROM (5) TO (12)", "FROM (12) TO (1000)"},
		"LIST":  {"IN (1, 3, 5, 7, 9, 11)", "IN (2, 4, NULL)"},
		"HASH":  {"WITH (MODULUS 2, REMAINDER 0)", "WITH (MODULUS 4, REMAINDER 1)", "WITH (MODULUS 4, REMAINDER 3)"},
	}[t.partitioned]
	for i, b := range bounds {
		out = append(out, statement{text: word(fmt.Sprintf("CREATE TABLE %s_p%d PARTITION OF %[1]s FOR VALUES %[3]s",
			t.name, i, b))})
	}
	if t.partitioned != "" && t.partitioned != "HASH" {
		out = append(out, statement{text: word("CREATE TABLE " + t.name + "_rest PARTITION OF " + t.name + " DEFAULT")})
	}
	return out
}
