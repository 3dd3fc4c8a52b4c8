package access_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/plantest"
	"zproxy/internal/testseed"
	"zproxy/optimizer"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestAlternativesLeaveNoRowOut is TestPathsLeaveNoRowOut for ORs of conditions on several
// columns, which are read one by one where that binds more of a key.
func TestAlternativesLeaveNoRowOut(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	all := []string{"either", "either without a filter", "either of row comparisons"}
	untilMet(t, 16, all, func(met map[string]int) {
		w := newWorld(t, r)
		for range 25 {
			q := w.alternatives()
			for _, hint := range append(w.indexes, "primary", mergeHint, "") {
				q.hint, q.unordered = hint, r.IntN(3) == 0
				w.check(q, met)
			}
		}
	})
}

// alternatives is a SELECT with an OR over the first columns of a key, sometimes beside
// another condition.
func (w *world) alternatives() query {
	q := query{}
	names := strings.Split(strings.ReplaceAll(w.key(3, false), " ", ""), ",")
	if w.IntN(2) == 0 {
		names = strings.Split(w.named(w.groups[w.IntN(len(w.groups))], false), ", ")
	}
	where := ""
	if w.IntN(3) == 0 {
		where = w.rowsIn(&q, names)
	} else {
		where = w.anyAlternative(&q, names)
	}
	if w.IntN(3) == 0 {
		where += " AND " + w.condition(&q, 1)
	}
	q.sql = "SELECT " + w.key(4, false) + " FROM t WHERE " + where
	if w.IntN(3) == 0 {
		q.sql += " ORDER BY " + w.key(2, true)
	}
	return q
}

func (w *world) anyAlternative(q *query, names []string) string {
	var or []string
	for range 2 + w.IntN(3) {
		or = append(or, w.alternative(q, names))
	}
	return "(" + strings.Join(or, " OR ") + ")"
}

// alternative bounds some columns together.
func (w *world) alternative(q *query, names []string) string {
	if len(names) > 1 && w.IntN(2) == 0 {
		return "(" + strings.Join(names, ", ") + ")" + []string{" < ", " <= ", " > ", " >= "}[w.IntN(4)] +
			w.fields(q, names)
	}
	var out []string
	for _, name := range names[:1+w.IntN(len(names))] {
		out = append(out, w.bound(q, w.columnNamed(name)))
	}
	return "(" + strings.Join(out, " AND ") + ")"
}

// boxes bounds columns of an index, of which some are left free, in one way or in several.
func (w *world) boxes(q *query) string {
	group := w.groups[w.IntN(len(w.groups))]
	var or []string
	for range []int{1, 1, 2, 4}[w.IntN(4)] {
		and := []string{w.bound(q, w.columns[group[w.IntN(len(group))]])}
		for _, i := range group {
			if w.IntN(3) > 0 {
				and = append(and, w.bound(q, w.columns[i]))
			}
		}
		or = append(or, strings.Join(and, " AND "))
	}
	if len(or) == 1 {
		return or[0]
	}
	return "(" + strings.Join(or, " OR ") + ")"
}

// bound is a condition that bounds a column.
func (w *world) bound(q *query, c column) string {
	v := func() string { return w.literal(q, c) }
	switch w.IntN(10) {
	case 0:
		return c.name + " IS NULL"
	case 5:
		return "(" + c.name + " < " + v() + " OR " + c.name + " > " + v() + ")"
	case 6:
		return "(" + c.name + " IS NULL OR " + c.name + " BETWEEN " + v() + " AND " + v() + ")"
	case 1:
		list := []string{v(), v()}
		for range w.IntN(2) * w.IntN(8) {
			list = append(list, v())
		}
		return c.name + " IN (" + strings.Join(list, ", ") + ")"
	case 2:
		return c.name + []string{" < ", " <= "}[w.IntN(2)] + v()
	case 3:
		return c.name + []string{" > ", " >= "}[w.IntN(2)] + v()
	case 4:
		return c.name + " BETWEEN " + v() + " AND " + v()
	}
	return c.name + " = " + v()
}

// rowsIn compares columns with several rows at once.
func (w *world) rowsIn(q *query, names []string) string {
	var list []string
	for range 1 + w.IntN(4) {
		list = append(list, w.fields(q, names))
	}
	return fmt.Sprintf("(%s) IN (%s)", strings.Join(names, ", "), strings.Join(list, ", "))
}

// fields is a row of values of columns.
func (w *world) fields(q *query, names []string) string {
	var values []string
	for _, name := range names {
		values = append(values, w.literal(q, w.columnNamed(name)))
	}
	return "(" + strings.Join(values, ", ") + ")"
}

func (w *world) columnNamed(name string) column {
	return w.columns[slices.IndexFunc(w.columns, func(c column) bool { return c.name == name })]
}

// TestLongRowLists wants each row of a list to be read by its key however many there are,
// as the values of an IN are.
func TestLongRowLists(t *testing.T) {
	var s plantest.Schema
	if err := s.Define("CREATE TABLE t (a int, b int, PRIMARY KEY (a, b))"); err != nil {
		t.Fatal(err)
	}
	const rows = 3000
	var list []string
	for i := range rows {
		list = append(list, fmt.Sprintf("(%d, %d)", i%100, i))
	}
	n, err := s.Plan("SELECT * FROM t WHERE (a, b) IN (" + strings.Join(list, ", ") + ")")
	if err != nil {
		t.Fatal(err)
	}
	if n, err = optimizer.Optimize(n, &optimizer.Options{Env: &types.Env{}}); err != nil {
		t.Fatal(err)
	}
	scan, _ := scanOf(n)
	if a := factsOf(scan.Access); len(a.Either) != rows || len(a.EntryFilter) != 0 || a.Estimate.Ranges != rows ||
		a.Estimate.Requests != rows/plan.LookupBatch {
		t.Errorf("%d alternatives, %d filters, %v requests", len(a.Either), len(a.EntryFilter), a.Estimate.Requests)
	}
}
