package executor

import (
	"errors"
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/types"
)

var errDropped = errors.New("a row that was dropped is tested")

// TestTestsInOrder filters many batches by tests that may change places: one that fails is asked only about rows that
// those before it keep.
func TestTestsInOrder(t *testing.T) {
	dear := &expr.Function{Name: "dear", Fn1: func(_ *expr.Context, v types.Value) (types.Value, error) {
		if v.Int() == 0 {
			return types.Null, errDropped
		}
		sum := 0
		for i := range 200 {
			sum += i * int(v.Int())
		}
		return types.NewBool(sum >= 0), nil
	}}
	notZero := compare(expr.NE, column(0), constant(0))
	call := expr.Call{Fn: dear, Args: []expr.Expr{column(0)}, T: types.Bool}
	rare := compare(expr.EQ, column(1), constant(7))
	tests := newTests([]expr.Expr{notZero, call, rare}, &expr.Context{})
	for range 20 {
		batch := types.NewBatch(2)
		for i := range types.BatchRows {
			batch.Append(types.Row{types.NewInt(int64(i % 3)), types.NewInt(int64(i % 100))})
		}
		batch.ToColumns()
		want := 0
		for i := range types.BatchRows {
			if i%3 != 0 && i%100 == 7 {
				want++
			}
		}
		if err := tests.keep(batch); err != nil {
			t.Fatal(err)
		}
		if batch.Len() != want {
			t.Fatalf("%d rows, want %d", batch.Len(), want)
		}
	}
}

// TestReorder moves tests forward that drop a row for less than those before them, unless they may fail.
func TestReorder(t *testing.T) {
	dear, cheap := vectorTest{took: 1000, rows: 100, left: 90}, vectorTest{took: 10, rows: 90, left: 10}
	failing := vectorTest{took: 1, rows: 10, left: 1, mayFail: true}
	unknown := vectorTest{}
	tests := tests{vectors: []vectorTest{dear, cheap, failing, unknown}}
	tests.reorder()
	if want := []vectorTest{cheap, dear, failing, unknown}; !slices.Equal(tests.vectors, want) {
		t.Errorf("%v, want %v", tests.vectors, want)
	}
}
