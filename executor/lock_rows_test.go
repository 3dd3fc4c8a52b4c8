package executor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// fakeLocks is what becomes of rows by their first columns; others are as they were read.
type fakeLocks struct {
	verdicts map[int64]lockVerdict
	newest   map[int64]types.Row
	err      error
	asked    []int64
}

func (l *fakeLocks) lock(_ *table, _ *plan.LockTarget, row types.Row) (types.Row, lockVerdict, error) {
	id := row[0].Int()
	l.asked = append(l.asked, id)
	return l.newest[id], l.verdicts[id], l.err
}

// lockedRowsOf runs LockRows with some locks, and ends after some rows. It says how many came in each batch.
func lockedRowsOf(w *world, n plan.LockRows, l *fakeLocks, most int) (string, error) {
	var out []string
	for batch, err := range lockRowsBy(frame{ctx: w.t.Context(), env: w.env}, n, l.lock) {
		if err != nil {
			return strings.Join(out, " "), err
		}
		for i := range batch.Len() {
			out = append(out, rowText(batch.Row(i)))
		}
		if len(out) >= most {
			break
		}
	}
	return strings.Join(out, " "), nil
}

// TestLockRows passes on the rows that could be locked and that still are what was asked for, with their newest
// values, and locks none that is not asked for.
func TestLockRows(t *testing.T) {
	w := newWorld(t, tableOf("id int8, a int8", 1))
	input := listOf(3, row(7, 1, 10), row(7, 2, 20), row(7, 3, 30), row(7, 4, 40))
	n := lockedFrom(input, w.table, 1)
	n.Recheck = compare(expr.LT, column(2), constant(35))
	for _, c := range []struct {
		what  string
		locks fakeLocks
		most  int
		want  string
		asked []int64
	}{
		{"nothing has changed", fakeLocks{}, 9, "(7,1,10) (7,2,20) (7,3,30) (7,4,40)", []int64{1, 2, 3, 4}},
		{"no more than is asked for", fakeLocks{}, 2, "(7,1,10) (7,2,20)", []int64{1, 2}},
		{"new values", fakeLocks{verdicts: map[int64]lockVerdict{2: rowChanged, 3: rowChanged},
			newest: map[int64]types.Row{2: row(2, 21), 3: row(3, 36)}}, 9, "(7,1,10) (7,2,21) (7,4,40)", []int64{1, 2, 3, 4}},
		{"gone, and passed over", fakeLocks{verdicts: map[int64]lockVerdict{1: rowGone, 2: rowSkipped}}, 1, "(7,3,30)",
			[]int64{1, 2, 3}},
	} {
		got, err := lockedRowsOf(w, n, &c.locks, c.most)
		if err != nil || got != c.want || !slices.Equal(c.locks.asked, c.asked) {
			t.Errorf("%s: %s, %v, %v", c.what, got, c.locks.asked, err)
		}
	}
	failure := errors.New("no lock")
	if got, err := lockedRowsOf(w, n, &fakeLocks{err: failure}, 9); got != "" || !errors.Is(err, failure) {
		t.Error(got, err)
	}
}

// TestLockRowsOfTwo checks a row that is made of two again when both are locked, with the new values of both.
func TestLockRowsOfTwo(t *testing.T) {
	w := newWorld(t, tableOf("id int8, a int8", 1))
	n := lockedFrom(listOf(4, row(1, 5, 2, 5), row(3, 6, 4, 6)), w.table, 0)
	n.Targets = append(n.Targets, lockedFrom(n.Input, w.table, 2).Targets...)
	n.Recheck = compare(expr.EQ, column(1), column(3))
	l := &fakeLocks{verdicts: map[int64]lockVerdict{1: rowChanged, 2: rowChanged, 3: rowChanged},
		newest: map[int64]types.Row{1: row(1, 8), 2: row(2, 8), 3: row(3, 8)}}
	if got, err := lockedRowsOf(w, n, l, 9); got != "(1,8,2,8)" || err != nil {
		t.Error(got, err)
	}
	l.verdicts, l.asked = map[int64]lockVerdict{1: rowSkipped}, nil
	if got, err := lockedRowsOf(w, n, l, 9); got != "(3,6,4,6)" || !slices.Equal(l.asked, []int64{1, 3, 4}) {
		t.Error(got, l.asked, err)
	}
}

// TestRecheckKeepsSlots asks a condition whose subquery puts a value into a slot, which a join below has set.
func TestRecheckKeepsSlots(t *testing.T) {
	w := newWorld(t, tableOf("id int8, a int8", 1))
	f := frame{ctx: t.Context(), env: w.env}
	f.bind()
	w.env.Expr.SetOuter(0, types.NewInt(1))
	inner := plan.Values{Rows: [][]expr.Expr{{outer(0)}}, Cols: []plan.Column{{Type: types.Int8}}}
	cond := compare(expr.EQ, constant(5), expr.Subquery{Kind: expr.ScalarSubquery, Number: 1,
		Plan: plan.Sub{Node: inner}, Slots: []int{0}, Args: []expr.Expr{columnOf(0)}, Depends: []int{0}, T: types.Int8})
	for value, want := range map[int]bool{5: true, 6: false} {
		if got, err := f.recheck(cond, row(value)); got != want || err != nil {
			t.Error(value, got, err)
		}
		if got := w.env.Expr.Outer[0].Int(); got != 1 {
			t.Errorf("the slot has become %d", got)
		}
	}
}
