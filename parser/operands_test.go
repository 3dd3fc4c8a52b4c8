package parser

import (
	"fmt"
	"strings"
	"testing"
)

// operations are forms of expressions, with their operands in parentheses.
var operations = []string{
	"(%s) + (%s)", "(%s) - (%s)", "(%s) ^ (%s)", "- (%s)", "+ (%s)", "(%s) OPERATOR(pg_catalog.*) (%s)", "~ (%s)", "(%s) || (%s)",
	"(%s) = (%s)", "(%s) <> (%s)", "(%s) < (%s)", "(%s) >= (%s)",
	"(%s) AND (%s)", "(%s) OR (%s)", "NOT (%s)",
	"(%s) IS NULL", "(%s) IS NOT NULL", "(%s) IS TRUE", "(%s) IS NOT FALSE", "(%s) IS UNKNOWN", "(%s) IS DISTINCT FROM (%s)", "(%s) IS NOT DISTINCT FROM (%s)",
	"(%s) BETWEEN (%s) AND (%s)", "(%s) NOT BETWEEN (%s) AND (%s)", "(%s) BETWEEN SYMMETRIC (%s) AND (%s)", "(%s) NOT BETWEEN SYMMETRIC (%s) AND (%s)",
	"(%s) IN ((%s), (%s))", "(%s) NOT IN ((%s), (%s))", "(%s) IN (SELECT (%s))", "(%s) = ANY (ARRAY[(%s)])", "(%s) > ALL (SELECT (%s))",
	"(%s) LIKE (%s)", "(%s) NOT LIKE (%s)", "(%s) ILIKE (%s) ESCAPE (%s)", "(%s) SIMILAR TO (%s)", "(%s) NOT SIMILAR TO (%s) ESCAPE (%s)", "(%s) ~ (%s)",
	"(%s)::text", "CAST((%s) AS int)", `(%s) COLLATE "C"`, "(%s) AT TIME ZONE (%s)", "(%s) AT LOCAL", "extract(year from (%s))", "substring((%s) from (%s) for (%s))",
	"position((%s) in (%s))", "overlay((%s) placing (%s) from (%s))", "trim(both (%s) from (%s))", "((%s), (%s)) OVERLAPS ((%s), (%s))", "(%s) IS NORMALIZED",
	"NULLIF((%s), (%s))", "COALESCE((%s), (%s))", "GREATEST((%s), (%s))", "CASE (%s) WHEN (%s) THEN (%s) ELSE (%s) END", "CASE WHEN (%s) THEN (%s) END",
	"((%s))[(%s)]", "((%s))[(%s):(%s)]", "((%s)).f", "ROW((%s), (%s))", "((%s), (%s)) = ((%s), (%s))", "ARRAY[(%s)]", "f((%s))", "EXISTS (SELECT WHERE (%s))",
	"count(*) FILTER (WHERE (%s))", "sum((%s)) OVER (PARTITION BY (%s) ORDER BY (%s) DESC)", "string_agg((%s), ',' ORDER BY (%s))", "(SELECT (%s))",
	"(%s) IS DOCUMENT", "-1", "-1.5", "1", "a", "'x'", "interval '1 day'", "f(a)", "t.*", "NULL", "true", "$1", "a.b", "ARRAY[]::int[]", "B'1'", "current_date", "U&'\\0061'",
}

// TestKeptTexts puts each form of an expression into each place of each other, and wants the text that the catalog
// keeps to mean the same.
func TestKeptTexts(t *testing.T) {
	for _, outer := range operations {
		holes := strings.Count(outer, "%s")
		for _, inner := range operations {
			inner = strings.ReplaceAll(inner, "%s", "a")
			for hole := range holes {
				args := make([]any, holes)
				for i := range args {
					args[i] = "b"
				}
				args[hole] = inner
				expr := fmt.Sprintf(outer, args...)
				if _, err := Parse("SELECT " + expr); err != nil {
					continue // not ours to keep
				}
				if _, err := Parse("CREATE VIEW v AS SELECT " + expr); err != nil {
					t.Errorf("%s: %v", expr, err)
				}
			}
		}
	}
}
