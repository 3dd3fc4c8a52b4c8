package expr_test

import (
	"testing"

	"zproxy/expr"
	"zproxy/types"
)

// TestPredicatesAgreeWithEval compares every comparison, with its sides either way
// round, over values and NULL.
func TestPredicatesAgreeWithEval(t *testing.T) {
	ints := []types.Value{types.Null, types.NewInt(-1), types.NewInt(0), types.NewInt(7)}
	texts := []types.Value{types.Null, types.NewText(""), types.NewText("a"), types.NewText("b")}
	for _, kind := range []struct {
		t      types.T
		values []types.Value
	}{{types.Int8, ints}, {types.Text, texts}} {
		column := expr.Column{T: kind.t}
		for _, fixed := range kind.values {
			for op := expr.EQ; op <= expr.GE; op++ {
				value := expr.Const{Value: fixed, T: kind.t}
				checkPredicate(t, expr.Compare{Op: op, Left: column, Right: value}, kind.values)
				checkPredicate(t, expr.Compare{Op: op, Left: value, Right: column}, kind.values)
				checkPredicate(t, expr.Not{Arg: expr.Compare{Op: op, Left: column, Right: expr.Param{T: kind.t}}},
					kind.values)
			}
		}
	}
}

func checkPredicate(t *testing.T, cond expr.Expr, values []types.Value) {
	t.Helper()
	c := &expr.Context{Params: values[len(values)-1:]}
	test := expr.Predicates([]expr.Expr{cond}, c)[0]
	for _, v := range values {
		row := types.Row{v}
		want, err := cond.Eval(c, row)
		got, gotErr := test(row)
		if err != nil || gotErr != nil || got != want.IsTrue() {
			t.Errorf("%s over %v: %v %v, Eval says %v %v", cond, v, got, gotErr, want, err)
		}
	}
}
