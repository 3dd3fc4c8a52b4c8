package expr_test

import (
	"errors"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/sqlerr"
	"zproxy/types"
)

func num(v int64) expr.Expr { return expr.Const{Value: types.NewInt(v), T: types.Int4} }

func str(s string) expr.Expr { return expr.Const{Value: types.NewText(s), T: types.Text} }

func null(t types.T) expr.Expr { return expr.Const{T: t} }

// truths are the three values of SQL's logic.
var truths = []expr.Expr{
	expr.Const{Value: types.NewBool(false), T: types.Bool}, expr.Const{T: types.Bool},
	expr.Const{Value: types.NewBool(true), T: types.Bool},
}

// failing is an expression that must not be computed.
var failing = expr.Call{Fn: &expr.Function{Name: "fail", Fn0: func(*expr.Context) (types.Value, error) {
	return types.Null, errors.New("computed")
}}, T: types.Bool}

func show(t *testing.T, e expr.Expr) string {
	t.Helper()
	v, err := e.Eval(&expr.Context{Env: &types.Env{}}, types.Row{types.NewInt(5), types.Null, types.NewText("x")})
	if err != nil {
		return err.Error()
	}
	return expr.Const{Value: v, T: e.Type()}.String()
}

func TestThreeValues(t *testing.T) {
	words := []string{"false", "NULL", "true"}
	for i, a := range truths {
		for j, b := range truths {
			if got := show(t, expr.Logic{Args: []expr.Expr{a, b}}); got != words[min(i, j)] {
				t.Errorf("%s AND %s is %s", a, b, got)
			}
			if got := show(t, expr.Logic{Or: true, Args: []expr.Expr{a, b}}); got != words[max(i, j)] {
				t.Errorf("%s OR %s is %s", a, b, got)
			}
			for k, c := range truths {
				if got := show(t, expr.Logic{Args: []expr.Expr{a, b, c}}); got != words[min(i, j, k)] {
					t.Errorf("%s AND %s AND %s is %s", a, b, c, got)
				}
			}
		}
		if got := show(t, expr.Not{Arg: a}); got != words[2-i] {
			t.Errorf("NOT %s is %s", a, got)
		}
		for _, not := range []bool{false, true} {
			is := func(holds bool) string { return map[bool]string{true: "true", false: "false"}[holds != not] }
			if got := show(t, expr.IsNull{Arg: a, Not: not}); got != is(i == 1) {
				t.Errorf("%s is %s", expr.IsNull{Arg: a, Not: not}, got)
			}
			for want, position := range map[bool]int{true: 2, false: 0} {
				if e := (expr.IsBool{Arg: a, Want: want, Not: not}); show(t, e) != is(i == position) {
					t.Errorf("%s is %s", e, show(t, e))
				}
			}
		}
	}
}

func TestComparisons(t *testing.T) {
	values := []expr.Expr{num(1), num(2), null(types.Int4)}
	for op := expr.EQ; op <= expr.GE; op++ {
		for _, a := range values {
			for _, b := range values {
				got := show(t, expr.Compare{Op: op, Left: a, Right: b})
				if flipped := show(t, expr.Compare{Op: op.Flip(), Left: b, Right: a}); flipped != got {
					t.Errorf("%s is %s, flipped %s", expr.Compare{Op: op, Left: a, Right: b}, got, flipped)
				}
				if opposite := show(t, expr.Not{Arg: expr.Compare{Op: op.Negate(), Left: a,
					Right: b}}); opposite != got {
					t.Errorf("%s is %s, by its opposite %s", expr.Compare{Op: op, Left: a, Right: b}, got, opposite)
				}
			}
		}
	}
	for want, e := range map[string]expr.Expr{
		"true": expr.Compare{Op: expr.LE, Left: num(1), Right: num(1)}, "false": expr.Compare{Op: expr.NE, Left: num(1), Right: num(1)}, "NULL": expr.Compare{Op: expr.EQ, Left: num(1), Right: null(types.Int4)},
	} {
		if got := show(t, e); got != want {
			t.Errorf("%s is %s", e, got)
		}
	}
}

// TestIn holds IN against equalities joined by OR.
func TestIn(t *testing.T) {
	values := []expr.Expr{num(1), num(2), num(3), null(types.Int4)}
	for _, a := range values {
		for _, b := range values {
			for _, c := range values {
				or := expr.Logic{Or: true, Args: []expr.Expr{expr.Compare{Op: expr.EQ, Left: a, Right: b},
					expr.Compare{Op: expr.EQ, Left: a, Right: c}}}
				if in := (expr.In{Arg: a, List: []expr.Expr{b, c}}); show(t, in) != show(t, or) {
					t.Errorf("%s is %s", in, show(t, in))
				}
				if in := (expr.In{Arg: a, List: []expr.Expr{b, c}, Not: true}); show(t, in) != show(t,
					expr.Not{Arg: or}) {
					t.Errorf("%s is %s", in, show(t, in))
				}
			}
		}
	}
}

func TestEval(t *testing.T) {
	yes, no := truths[2], truths[0]
	none := null(types.Int4)
	div := builtin.Functions("int4div")[0]
	greet := &expr.Function{Name: "f", NotStrict: true,
		FnN: func(_ *expr.Context, a []types.Value) (types.Value, error) {
			return types.NewInt(int64(len(a))), nil
		}}
	for _, test := range []struct {
		e    expr.Expr
		want string
	}{
		{expr.Distinct{Left: none, Right: none, Not: false}, "false"}, {expr.Distinct{Left: none, Right: num(1), Not: false}, "true"},
		{expr.Distinct{Left: num(1), Right: num(1), Not: true}, "true"}, {expr.Distinct{Left: num(1), Right: num(2), Not: true}, "false"},
		{expr.Case{Whens: []expr.When{{Cond: no, Result: failing}, {Cond: truths[1], Result: failing}, {Cond: yes, Result: num(2)}, {Cond: failing, Result: num(3)}}, T: types.Int4}, "2"},
		{expr.Case{Whens: []expr.When{{Cond: no, Result: num(1)}}, Else: num(9), T: types.Int4}, "9"},
		{expr.Case{Whens: []expr.When{{Cond: no, Result: num(1)}}, T: types.Int4}, "NULL"},
		{expr.Coalesce{Args: []expr.Expr{none, num(2), failing}, T: types.Int4}, "2"}, {expr.Coalesce{Args: []expr.Expr{none, none}, T: types.Int4}, "NULL"},
		{expr.NullIf{Left: num(1), Right: num(1)}, "NULL"}, {expr.NullIf{Left: num(1), Right: num(2)}, "1"}, {expr.NullIf{Left: num(1), Right: none}, "1"}, {expr.NullIf{Left: none, Right: num(1)}, "NULL"},
		{expr.Extreme{Least: false, Args: []expr.Expr{num(1), none, num(3), num(2)}, T: types.Int4}, "3"},
		{expr.Extreme{Least: true, Args: []expr.Expr{none, num(3), num(2)}, T: types.Int4}, "2"}, {expr.Extreme{Least: true, Args: []expr.Expr{none}, T: types.Int4}, "NULL"},
		{expr.Logic{Args: []expr.Expr{no, failing}}, "false"}, {expr.Logic{Or: true, Args: []expr.Expr{yes, failing}}, "true"},
		{expr.Logic{Args: []expr.Expr{yes, failing}}, "computed"}, {expr.In{Arg: num(1), List: []expr.Expr{num(1), failing}, Not: false}, "true"},
		{expr.Column{Index: 0, T: types.Int4}, "5"}, {expr.Column{Index: 1, T: types.Int4}, "NULL"},
		{expr.Call{Fn: div, Args: []expr.Expr{num(7), num(2)}, T: types.Int4}, "3"}, {expr.Call{Fn: div, Args: []expr.Expr{num(7), num(0)}, T: types.Int4}, "division by zero"},
		{expr.Call{Fn: div, Args: []expr.Expr{none, failing}, T: types.Int4}, "computed"},
		{expr.Call{Fn: greet, Args: []expr.Expr{none, num(1)}, T: types.Int4}, "2"},
		{expr.Call{Fn: greet, Args: []expr.Expr{failing}, T: types.Int4}, "computed"},
		{expr.Param{Number: 0, T: types.Int4}, "there is no parameter $1"},
		{expr.Cast{Arg: str("abcdef"), To: types.T{OID: types.OIDVarchar, Mod: 4 + 3}, Explicit: true}, "'abc'"},
		{expr.Cast{Arg: str("abcdef"), To: types.T{OID: types.OIDVarchar, Mod: 4 + 3}}, "value too long for type character varying(3)"},
		{expr.Cast{Arg: null(types.Text), To: types.Int4, Fn: castTo(types.OIDText, types.OIDInt4)}, "NULL"},
		{expr.Cast{Arg: str("12"), To: types.Int4, Fn: castTo(types.OIDText, types.OIDInt4)}, "12"},
		{expr.Cast{Arg: failing, To: types.Int4}, "computed"}, {expr.IsNull{Arg: failing}, "computed"}, {expr.Not{Arg: failing}, "computed"},
		{expr.Distinct{Left: num(1), Right: failing, Not: false}, "computed"}, {expr.NullIf{Left: num(1), Right: failing}, "computed"},
		{expr.Extreme{Least: false, Args: []expr.Expr{num(1), failing}, T: types.Int4}, "computed"},
	} {
		if got := show(t, test.e); got != test.want {
			t.Errorf("%s is %s, want %s", test.e, got, test.want)
		}
	}
}

func castTo(from, to types.OID) expr.CastFunc {
	c, _ := types.FindCast(from, to)
	return c.Fn
}

func TestParam(t *testing.T) {
	c := &expr.Context{Params: []types.Value{types.Null, types.NewInt(7)}}
	if v, err := (expr.Param{Number: 1, T: types.Int4}).Eval(c, nil); err != nil || v.Int() != 7 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := (expr.Param{Number: 2, T: types.Int4}).Eval(c, nil); !sqlerr.Has(err, sqlerr.UndefinedParameter) {
		t.Error(err)
	}
}
