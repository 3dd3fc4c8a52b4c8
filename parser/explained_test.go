package parser

import "testing"

// TestExplained finds the statements that EXPLAIN shows.
func TestExplained(t *testing.T) {
	for _, c := range [][2]string{
		{"EXPLAIN VERBOSE SELECT 1", "SELECT 1"},
		{"explain analyze verbose (SELECT a FROM t)", "(SELECT a FROM t)"},
		{"EXPLAIN (VERBOSE, FORMAT json) (SELECT 1) UNION SELECT 2", "(SELECT 1) UNION SELECT 2"},
		{"/* a ( */ EXPLAIN /* b */ (ANALYZE, VERBOSE on)\n-- ( \nUPDATE t SET a = (1)", "UPDATE t SET a = (1)"},
		{"EXPLAIN SELECT 1", "SELECT 1"},
		{`EXPLAIN (VERBOSE, "costs" off) EXECUTE verbose`, "EXECUTE verbose"},
		{"EXPLAIN", ""},
	} {
		if got := Explained(c[0]); got != c[1] {
			t.Errorf("%s: %q", c[0], got)
		}
	}
}
