package expr_test

import (
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/types"
)

func TestString(t *testing.T) {
	a := expr.Column{Index: 0, Name: "a", T: types.Int4}
	yes := truths[2]
	for _, test := range []struct {
		e    expr.Expr
		want string
	}{
		{num(-1), "-1"}, {str("it's"), "'it''s'"}, {yes, "true"}, {null(types.Int4), "NULL"},
		{expr.Const{Value: types.NewDate(0), T: types.Date}, "'2000-01-01'::date"},
		{expr.Const{Value: types.NewTimestamp(0), T: types.Timestamptz}, "'2000-01-01 00:00:00+00'::timestamp with time zone"},
		{expr.Const{Value: types.NewBytes([]byte{255}), T: types.Bytea}, `'\xff'::bytea`}, {expr.Const{Value: types.NewFloat(1.5), T: types.Float8}, "1.5"},
		{expr.Param{Number: 2, T: types.Int4}, "$3"}, {a, "a"},
		{expr.Call{Fn: builtin.Functions("lower")[0], Args: []expr.Expr{str("x")}, T: types.Text}, "lower('x')"},
		{expr.Call{Fn: builtin.Functions("int4pl")[0], Args: []expr.Expr{a, num(1)}, T: types.Int4}, "(a + 1)"}, {expr.Call{Fn: builtin.Functions("int4um")[0], Args: []expr.Expr{a}, T: types.Int4}, "(- a)"},
		{expr.Compare{Op: expr.GE, Left: a, Right: num(1)}, "(a >= 1)"}, {expr.Logic{Or: true, Args: []expr.Expr{yes, yes, yes}}, "(true OR true OR true)"}, {expr.Not{Arg: yes}, "(NOT true)"},
		{expr.IsNull{Arg: a, Not: true}, "(a IS NOT NULL)"}, {expr.IsBool{Arg: yes, Want: false, Not: false}, "(true IS FALSE)"}, {expr.IsBool{Arg: yes, Want: true, Not: true}, "(true IS NOT TRUE)"},
		{expr.Distinct{Left: a, Right: num(1), Not: false}, "(a IS DISTINCT FROM 1)"}, {expr.Distinct{Left: a, Right: num(1), Not: true}, "(a IS NOT DISTINCT FROM 1)"},
		{expr.In{Arg: a, List: []expr.Expr{num(1), num(2)}, Not: true}, "(a NOT IN (1, 2))"},
		{expr.Case{Whens: []expr.When{{Cond: yes, Result: a}, {Cond: yes, Result: num(2)}}, Else: num(3), T: types.Int4}, "CASE WHEN true THEN a WHEN true THEN 2 ELSE 3 END"},
		{expr.Coalesce{Args: []expr.Expr{a, num(1)}, T: types.Int4}, "COALESCE(a, 1)"}, {expr.NullIf{Left: a, Right: num(1)}, "NULLIF(a, 1)"},
		{expr.Extreme{Least: true, Args: []expr.Expr{a, num(1)}, T: types.Int4}, "LEAST(a, 1)"}, {expr.Extreme{Least: false, Args: []expr.Expr{a}, T: types.Int4}, "GREATEST(a)"},
		{expr.Cast{Arg: a, To: types.T{OID: types.OIDVarchar, Mod: 7}}, "(a)::character varying(3)"},
	} {
		if got := test.e.String(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
