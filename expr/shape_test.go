package expr_test

import (
	"errors"
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/types"
)

// samples is one expression of each kind and more, all different.
func samples() []expr.Expr {
	a, b := expr.Column{Index: 0, Name: "a", T: types.Int4}, expr.Column{Index: 1, Name: "b", T: types.Int4}
	yes := expr.Const{Value: types.NewBool(true), T: types.Bool}
	varchar := types.T{OID: types.OIDVarchar, Mod: 4 + 3}
	lower, plus, minus := builtin.Functions("lower")[0], builtin.Functions("int4pl")[0], builtin.Functions("int4um")[0]
	now := builtin.Functions("now")[0]
	return []expr.Expr{
		a, b, num(1), num(2), str("1"), null(types.Int4), null(types.Text), yes, expr.Param{Number: 0, T: types.Int4},
		expr.Param{Number: 1, T: types.Int4},
		expr.Call{Fn: lower, Args: []expr.Expr{str("x")}, T: types.Text}, expr.Call{Fn: plus, Args: []expr.Expr{a, b},
			T: types.Int4}, expr.Call{Fn: plus, Args: []expr.Expr{b, a}, T: types.Int4},
		expr.Call{Fn: minus, Args: []expr.Expr{a}, T: types.Int4}, expr.Call{Fn: now, Args: nil, T: types.Timestamptz},
		expr.Compare{Op: expr.EQ, Left: a, Right: num(1)}, expr.Compare{Op: expr.LT, Left: a, Right: num(1)},
		expr.Compare{Op: expr.EQ, Left: num(1), Right: a},
		expr.Logic{Or: false, Args: []expr.Expr{yes, expr.IsNull{Arg: a, Not: false}}},
		expr.Logic{Or: true, Args: []expr.Expr{yes, expr.IsNull{Arg: a, Not: false}}}, expr.Not{Arg: yes},
		expr.IsNull{Arg: a, Not: false}, expr.IsNull{Arg: a, Not: true}, expr.IsBool{Arg: yes, Want: true, Not: false},
		expr.IsBool{Arg: yes, Want: false, Not: false}, expr.IsBool{Arg: yes, Want: true, Not: true},
		expr.Distinct{Left: a, Right: b, Not: false}, expr.Distinct{Left: a, Right: b, Not: true},
		expr.In{Arg: a, List: []expr.Expr{num(1), b}, Not: false}, expr.In{Arg: a, List: []expr.Expr{num(1), b},
			Not: true}, expr.In{Arg: a, List: []expr.Expr{num(1)}, Not: false},
		expr.Case{Whens: []expr.When{{Cond: yes, Result: a}}, Else: nil, T: types.Int4},
		expr.Case{Whens: []expr.When{{Cond: yes, Result: a}}, Else: b, T: types.Int4},
		expr.Case{Whens: []expr.When{{Cond: yes, Result: a}, {Cond: yes, Result: b}}, Else: nil, T: types.Int4},
		expr.Coalesce{Args: []expr.Expr{a, b}, T: types.Int4}, expr.NullIf{Left: a, Right: b}, expr.Extreme{Least: true,
			Args: []expr.Expr{a, b}, T: types.Int4}, expr.Extreme{Least: false, Args: []expr.Expr{a, b}, T: types.Int4},
		expr.Cast{Arg: a, To: types.Int8}, expr.Cast{Arg: a, To: types.Text}, expr.Cast{Arg: str("x"), To: varchar},
		expr.Cast{Arg: str("x"), To: types.Varchar},
	}
}

func TestWithInputsKeepsTheExpression(t *testing.T) {
	for _, e := range samples() {
		before := e.String()
		if same := e.WithInputs(slices.Clone(e.Inputs())); !expr.Equal(e, same) || same.String() != before ||
			!same.Type().Same(e.Type()) {
			t.Errorf("%s over its own inputs is %s", e, same)
		}
		other := slices.Clone(e.Inputs())
		for i := range other {
			other[i] = expr.Param{Number: 40 + i, T: other[i].Type()}
		}
		changed := e.WithInputs(other)
		if len(other) > 0 && (expr.Equal(e, changed) || len(changed.Inputs()) != len(other) ||
			!expr.Equal(changed.Inputs()[len(other)-1], other[len(other)-1])) {
			t.Errorf("%s over other inputs is %s", e, changed)
		}
		if e.String() != before {
			t.Errorf("%s was changed to %s", before, e)
		}
	}
}

func TestEqual(t *testing.T) {
	for i, a := range samples() {
		for j, b := range samples() {
			if expr.Equal(a, b) != (i == j) {
				t.Errorf("%s and %s are equal: %t", a, b, expr.Equal(a, b))
			}
		}
	}
}

func TestRewrite(t *testing.T) {
	for _, e := range samples() {
		before := e.String()
		var seen []string
		out := expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			seen = append(seen, x.String())
			if c, ok := x.(expr.Column); ok {
				c.Index += 10
				return c
			}
			return x
		})
		if e.String() != before || seen[len(seen)-1] != out.String() {
			t.Errorf("%s was rewritten to %s by way of %q", before, out, seen)
		}
		read, moved := map[int]bool{}, map[int]bool{}
		expr.Columns(e, read)
		expr.Columns(out, moved)
		for i := range read {
			if !moved[i+10] || len(moved) != len(read) {
				t.Errorf("%s reads %v, rewritten %v", e, read, moved)
			}
		}
		if found := expr.Any(e, func(x expr.Expr) bool {
			_,
				ok := x.(expr.Column)
			return ok
		}); found != (len(read) > 0) {
			t.Errorf("%s has a column: %t", e, found)
		}
	}
}

func TestFixed(t *testing.T) {
	random, now := builtin.Functions("random")[0], builtin.Functions("now")[0]
	for _, test := range []struct {
		e    expr.Expr
		want bool
	}{
		{num(1), true}, {expr.Param{Number: 0, T: types.Int4}, true}, {expr.Column{Index: 0, Name: "a", T: types.Int4}, false},
		{expr.Call{Fn: now, Args: nil, T: types.Timestamptz}, true}, {expr.Call{Fn: random, Args: nil, T: types.Float8}, false},
		{expr.Cast{Arg: expr.Call{Fn: random, Args: nil, T: types.Float8}, To: types.Numeric}, false},
		{expr.Coalesce{Args: []expr.Expr{num(1), expr.Column{Index: 0, Name: "a", T: types.Int4}}, T: types.Int4}, false},
	} {
		if expr.Fixed(test.e) != test.want {
			t.Errorf("%s is fixed: %t", test.e, expr.Fixed(test.e))
		}
	}
}

func TestConjuncts(t *testing.T) {
	a, b, c := expr.IsNull{Arg: num(1), Not: false}, expr.IsNull{Arg: num(2), Not: false},
		expr.Logic{Or: true, Args: []expr.Expr{truths[0], truths[2]}}
	nested := expr.Logic{Args: []expr.Expr{expr.Logic{Args: []expr.Expr{a, b}}, c}}
	if all := expr.Conjuncts(nested); len(all) != 3 || !expr.Equal(all[0], a) || !expr.Equal(all[1], b) ||
		!expr.Equal(all[2], c) {
		t.Errorf("%v", all)
	}
	if got := expr.Conjoin(expr.Conjuncts(nested)).String(); got != "((1 IS NULL) AND (2 IS NULL) AND (false OR true))" {
		t.Error(got)
	}
	if expr.Conjoin(nil) != nil || expr.Conjuncts(nil) != nil || !expr.Equal(expr.Conjoin([]expr.Expr{a}), a) {
		t.Error("no condition, or one")
	}
}

// TestErrorsOfInputs wants every expression to hand on the error of an input.
func TestErrorsOfInputs(t *testing.T) {
	for _, e := range samples() {
		in := e.Inputs()
		if len(in) == 0 {
			continue
		}
		broken := slices.Clone(in)
		broken[0] = failing
		_, err := e.WithInputs(broken).Eval(&expr.Context{Env: &types.Env{}},
			types.Row{types.NewInt(1), types.NewInt(2)})
		if err == nil || errors.Unwrap(err) != nil || err.Error() != "computed" {
			t.Errorf("%s hides an error: %v", e, err)
		}
	}
}
