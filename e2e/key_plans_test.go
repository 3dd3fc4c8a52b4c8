package e2e

import (
	"fmt"
	"testing"
)

// TestKeysArePlannedAgain deletes parents, with statements that the session has planned once, while another session
// changes what they are about. After each change the children must go with their parents, or lose them.
func TestKeysArePlannedAgain(t *testing.T) {
	changes := []struct{ change, parent, child string }{
		{"", "p (id)", "c (id, pid)"},
		{"CREATE INDEX of_parent ON c (pid)", "p (id)", "c (id, pid)"},
		{"ALTER TABLE c ALTER pid TYPE bigint", "p (id)", "c (id, pid)"},
		{"ALTER TABLE p ALTER id TYPE numeric", "p (id)", "c (id, pid)"},
		{"DROP INDEX of_parent", "p (id)", "c (id, pid)"},
		{"ALTER TABLE c RENAME pid TO parent", "p (id)", "c (id, parent)"},
		{"ALTER TABLE p RENAME id TO number", "p (number)", "c (id, parent)"},
		{"ALTER TABLE c RENAME TO child", "p (number)", "child (id, parent)"},
		{"ALTER TABLE p RENAME TO above", "above (number)", "child (id, parent)"},
		{"CREATE SCHEMA other; ALTER TABLE child SET SCHEMA other", "above (number)", "other.child (id, parent)"},
		{"CREATE ROLE keeper; ALTER TABLE other.child OWNER TO keeper; GRANT USAGE ON SCHEMA other TO keeper",
			"above (number)", "other.child (id, parent)"},
		{"ALTER TABLE other.child ADD COLUMN more int DEFAULT 3", "above (number)", "other.child (id, parent)"},
		{"ALTER TABLE other.child DROP CONSTRAINT c_pid_fkey, ADD CONSTRAINT c_pid_fkey FOREIGN KEY (parent) " +
			"REFERENCES above ON DELETE SET NULL", "above (number)", "other.child (id, parent)"},
	}
	onEveryAndFake(t, func(t *testing.T, s *server) {
		c, other := s.connect(t), s.connect(t)
		must(t, c, "CREATE TABLE p (id int PRIMARY KEY)",
			"CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p ON DELETE CASCADE)")
		for i, to := range changes {
			if to.change != "" {
				must(t, other, to.change)
			}
			var parents, children, column string
			_, _ = fmt.Sscanf(to.parent, "%s (%s", &parents, &column)
			_, _ = fmt.Sscanf(to.child, "%s", &children)
			must(t, c, fmt.Sprintf("INSERT INTO %s VALUES (%d)", to.parent, i),
				fmt.Sprintf("INSERT INTO %s VALUES (%d, %d)", to.child, i, i),
				fmt.Sprintf("DELETE FROM %s", parents))
			left := 0
			if i == len(changes)-1 {
				left = 1
			}
			if n := countOf(t, c, fmt.Sprintf("SELECT count(*) FROM %s", children)); n != left {
				t.Errorf("after %q there are %d children", to.change, n)
			}
		}
	})
}
