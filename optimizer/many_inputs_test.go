package optimizer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/types"
)

// TestManyInputs orders more inputs than one search takes: the one with a few rows comes first among those that do.
func TestManyInputs(t *testing.T) {
	const n = 70
	var s plantest.Schema
	if err := s.Define("CREATE TABLE t (a int PRIMARY KEY, b int)"); err != nil {
		t.Fatal(err)
	}
	from, where := make([]string, n), []string{"t40.a = 7"}
	for i := range n {
		from[i] = fmt.Sprintf("t AS t%d", i)
		if i > 0 {
			where = append(where, fmt.Sprintf("t%d.b = t%d.b", i-1, i))
		}
	}
	sql := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s", strings.Join(from, ", "), strings.Join(where, " AND "))
	n1, err := s.Plan(sql)
	if err != nil {
		t.Fatal(err)
	}
	r := recorder{t: t}
	o := optimizer.Options{Store: access.Store{OrderedPartitions: true}, Env: &types.Env{}, Observe: r.observe}
	if _, err := optimizer.Optimize(n1, &o); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.rules, "OrderJoins") {
		t.Error("the inputs are not ordered")
	}
}
