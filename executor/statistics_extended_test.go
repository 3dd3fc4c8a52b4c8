package executor

import (
	"fmt"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestExtended collects what statistics objects ask for: how many values columns have together, how far they follow
// from each other, and which combinations are common.
func TestExtended(t *testing.T) {
	table := tableOf("a int4, b int4, c int4", 1)
	table.Columns[1].NotNull = false
	target := func(n int) *int { return &n }
	objects := []*catalog.Statistics{
		{ID: 100, Columns: []uint32{2, 3}, Kinds: extended.Kinds()},
		{ID: 101, Columns: []uint32{2, 3}, Kinds: []extended.Kind{extended.Common}, Target: target(1)},
		{ID: 102, Columns: []uint32{1, 2, 3}, Kinds: []extended.Kind{extended.Distinct}},
		{ID: 103, Columns: []uint32{1, 2}, Kinds: extended.Kinds(), Target: target(0)},
	}
	w := newWorld(t, table)
	var rows [][]types.Value
	for i := range 1000 {
		b := any(i % 10)
		if i%10 == 9 {
			b = nil
		}
		rows = append(rows, row(i, b, i%10/5))
	}
	w.insert(plan.Insert{}, rows...)
	table.Stats.Extended = map[uint32]extended.Data{103: {Columns: []uint32{1, 2}}, 99: {Columns: []uint32{1, 3}}}
	s, err := Statistics(t.Context(), w.env.Txn, w.env.Tables, table, Reading{Extended: objects})
	w.check(err)
	got := s.Stats.Extended
	for _, c := range []struct {
		name, got, want string
	}{
		{"groups", fmt.Sprint(got[100].Groups), "[{[2 3] 10}]"},
		{"dependencies", fmt.Sprint(got[100].Dependencies), "[{[2] 3 1}]"},
		{"of three columns", fmt.Sprint(got[102].Groups), "[{[1 2 3] 1000} {[2 3] 10} {[1 3] 1000} {[1 2] 1000}]"},
		{"nothing else of them", fmt.Sprint(got[102].Dependencies, got[102].Common), "[] []"},
		{"as many as the target", fmt.Sprint(len(got[101].Common), got[101].Groups), "1 []"},
		{"what was known", fmt.Sprint(got[103]), fmt.Sprint(extended.Data{Columns: []uint32{1, 2}})},
		{"all objects that there are", fmt.Sprint(len(got)), "4"},
		{"none but of keys", fmt.Sprint(s.Stats.Groups), "[]"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	if len(got[100].Common) != 10 {
		t.Errorf("%d combinations are common, want 10", len(got[100].Common))
	}
	for _, c := range got[100].Common {
		if c.Share != 0.1 || c.Base != 0.05 {
			t.Errorf("%v has the share %g, and would have %g, want 0.1 and 0.05", c.Values, c.Share, c.Base)
		}
	}
	if first := got[100].Common[9].Values; !first[0].IsNull() || first[1].Int() != 1 {
		t.Errorf("the last common combination is %v, want (NULL, 1)", first)
	}
}
