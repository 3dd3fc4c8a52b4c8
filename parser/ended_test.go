package parser

import (
	"errors"
	"strings"
	"testing"
)

// TestParseUntil ends the reading of large texts each time that it asks, and wants it to ask often.
func TestParseUntil(t *testing.T) {
	end := errors.New("end")
	for name, sql := range map[string]string{
		"list":       "SELECT 1 WHERE 1 IN (" + strings.Repeat("1, ", 20_000) + "1)",
		"operators":  "SELECT 1 WHERE " + strings.Repeat("a = 1 OR ", 20_000) + "b",
		"rows":       "VALUES " + strings.Repeat("(1, 2), ", 10_000) + "(1, 2)",
		"statements": strings.Repeat("SHOW INDEX FROM t; ", 500),
		"refused":    "SELECT " + strings.Repeat("1, ", 20_000) + "FROM FROM",
	} {
		asked := 0
		_, _ = ParseUntil(sql, func() error { asked++; return nil })
		if want := map[string]int{"refused": 3, "statements": 100}[name]; asked < max(want, 10) && name != "refused" || asked < want {
			t.Errorf("%s: asked %d times", name, asked)
		}
		for _, last := range []int{1, 2, asked / 2, asked} {
			n := 0
			_, err := ParseUntil(sql, func() error {
				if n++; n == last {
					return end
				}
				return nil
			})
			if err != end || n != last {
				t.Errorf("%s, ended at %d of %d: %v after %d", name, last, asked, err, n)
			}
		}
	}
}
