package expr

import (
	"testing"

	"zproxy/types"
)

func TestString(t *testing.T) {
	a := Column{Index: 0, Name: "a", T: types.Int4}
	yes := truths[2]
	for _, test := range []struct {
		e    Expr
		want string
	}{
		{num(-1), "-1"}, {str("it's"), "'it''s'"}, {yes, "true"}, {null(types.Int4), "NULL"},
		{Const{Value: types.NewDate(0), T: types.Date}, "'2000-01-01'::date"},
		{Const{Value: types.NewTimestamp(0), T: types.Timestamptz}, "'2000-01-01 00:00:00+00'::timestamp with time zone"},
		{Const{Value: types.NewBytes([]byte{255}), T: types.Bytea}, `'\xff'::bytea`}, {Const{Value: types.NewFloat(1.5), T: types.Float8}, "1.5"},
		{Param{2, types.Int4}, "$3"}, {a, "a"},
		{Call{Functions("lower")[0], []Expr{str("x")}, types.Text}, "lower('x')"},
		{Call{Functions("int4pl")[0], []Expr{a, num(1)}, types.Int4}, "(a + 1)"}, {Call{Functions("int4um")[0], []Expr{a}, types.Int4}, "(- a)"},
		{Compare{GE, a, num(1)}, "(a >= 1)"}, {Logic{true, []Expr{yes, yes, yes}}, "(true OR true OR true)"}, {Not{yes}, "(NOT true)"},
		{IsNull{a, true}, "(a IS NOT NULL)"}, {IsBool{yes, false, false}, "(true IS FALSE)"}, {IsBool{yes, true, true}, "(true IS NOT TRUE)"},
		{Distinct{a, num(1), false}, "(a IS DISTINCT FROM 1)"}, {Distinct{a, num(1), true}, "(a IS NOT DISTINCT FROM 1)"},
		{In{a, []Expr{num(1), num(2)}, true}, "(a NOT IN (1, 2))"},
		{Case{[]When{{yes, a}, {yes, num(2)}}, num(3), types.Int4}, "CASE WHEN true THEN a WHEN true THEN 2 ELSE 3 END"},
		{Coalesce{[]Expr{a, num(1)}, types.Int4}, "COALESCE(a, 1)"}, {NullIf{Left: a, Right: num(1)}, "NULLIF(a, 1)"},
		{Extreme{true, []Expr{a, num(1)}, types.Int4}, "LEAST(a, 1)"}, {Extreme{false, []Expr{a}, types.Int4}, "GREATEST(a)"},
		{Cast{Arg: a, To: types.T{OID: types.OIDVarchar, Mod: 7}}, "(a)::character varying(3)"},
	} {
		if got := test.e.String(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
