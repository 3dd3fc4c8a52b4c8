package leakproof

import (
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"

	"zproxy/internal/plantest"
)

func TestIs(t *testing.T) {
	var s plantest.Schema
	if err := s.Define(`CREATE TABLE t (a int, b bigint, c text, v varchar(5), n numeric, d date)`); err != nil {
		t.Fatal(err)
	}
	for cond, want := range map[string]bool{
		"a = 1":                                       true,
		"a = b AND NOT (c < 'x' OR c IS NULL)":        true,
		"a IN (1, 2) AND v = 'x'":                     true,
		"a = ANY ('{1,2}')":                           true,
		"n > a":                                       true,
		"starts_with(c, 'x')":                         true,
		"c = current_setting('app.tenant')":           true,
		"a = (SELECT 1 / count(*) FROM t)":            true,
		"a = current_setting('app.tenant')::int":      true,
		"1 / a > 0":                                   false,
		"c::int = 1":                                  false,
		"c LIKE 'x%'":                                 false,
		"length(c) > 1":                               false,
		"a > 0 AND b::int = 5":                        false,
		"EXISTS (SELECT FROM t AS u WHERE u.a = t.a)": false,
		"c::varchar(3) = 'x'":                         false,
		"a = ANY (string_to_array(c, ',')::int[])":    false,
	} {
		n, err := s.Plan("SELECT FROM t WHERE " + cond)
		if err != nil {
			t.Errorf("%s: %v", cond, err)
			continue
		}
		if got := Is(condition(n)); got != want {
			t.Errorf("%s: %v", cond, got)
		}
	}
}

// condition is that of the first Filter of a plan.
func condition(n plan.Node) expr.Expr {
	for {
		if f, ok := n.(plan.Filter); ok {
			return f.Cond
		}
		n = n.Inputs()[0]
	}
}
