package expr

import (
	"errors"
	"testing"

	"zproxy/sqlerr"
	"zproxy/types"
)

func num(v int64) Expr { return Const{Value: types.NewInt(v), T: types.Int4} }

func str(s string) Expr { return Const{Value: types.NewText(s), T: types.Text} }

func null(t types.T) Expr { return Const{T: t} }

// truths are the three values of SQL's logic.
var truths = []Expr{
	Const{Value: types.NewBool(false), T: types.Bool}, Const{T: types.Bool}, Const{Value: types.NewBool(true), T: types.Bool},
}

// failing is an expression that must not be computed.
var failing = Call{Fn: &Function{Name: "fail", Fn0: func(*Context) (types.Value, error) {
	return types.Null, errors.New("computed")
}}, T: types.Bool}

func show(t *testing.T, e Expr) string {
	t.Helper()
	v, err := e.Eval(&Context{Env: &types.Env{}}, types.Row{types.NewInt(5), types.Null, types.NewText("x")})
	if err != nil {
		return err.Error()
	}
	return Const{Value: v, T: e.Type()}.String()
}

func TestThreeValues(t *testing.T) {
	words := []string{"false", "NULL", "true"}
	for i, a := range truths {
		for j, b := range truths {
			if got := show(t, Logic{Args: []Expr{a, b}}); got != words[min(i, j)] {
				t.Errorf("%s AND %s is %s", a, b, got)
			}
			if got := show(t, Logic{Or: true, Args: []Expr{a, b}}); got != words[max(i, j)] {
				t.Errorf("%s OR %s is %s", a, b, got)
			}
			for k, c := range truths {
				if got := show(t, Logic{Args: []Expr{a, b, c}}); got != words[min(i, j, k)] {
					t.Errorf("%s AND %s AND %s is %s", a, b, c, got)
				}
			}
		}
		if got := show(t, Not{Arg: a}); got != words[2-i] {
			t.Errorf("NOT %s is %s", a, got)
		}
		for _, not := range []bool{false, true} {
			is := func(holds bool) string { return map[bool]string{true: "true", false: "false"}[holds != not] }
			if got := show(t, IsNull{Arg: a, Not: not}); got != is(i == 1) {
				t.Errorf("%s is %s", IsNull{Arg: a, Not: not}, got)
			}
			for want, place := range map[bool]int{true: 2, false: 0} {
				if e := (IsBool{Arg: a, Want: want, Not: not}); show(t, e) != is(i == place) {
					t.Errorf("%s is %s", e, show(t, e))
				}
			}
		}
	}
}

func TestComparisons(t *testing.T) {
	values := []Expr{num(1), num(2), null(types.Int4)}
	for op := EQ; op <= GE; op++ {
		for _, a := range values {
			for _, b := range values {
				got := show(t, Compare{op, a, b})
				if flipped := show(t, Compare{op.Flip(), b, a}); flipped != got {
					t.Errorf("%s is %s, flipped %s", Compare{op, a, b}, got, flipped)
				}
				if opposite := show(t, Not{Compare{op.Negate(), a, b}}); opposite != got {
					t.Errorf("%s is %s, by its opposite %s", Compare{op, a, b}, got, opposite)
				}
			}
		}
	}
	for want, e := range map[string]Expr{
		"true": Compare{LE, num(1), num(1)}, "false": Compare{NE, num(1), num(1)}, "NULL": Compare{EQ, num(1), null(types.Int4)},
	} {
		if got := show(t, e); got != want {
			t.Errorf("%s is %s", e, got)
		}
	}
}

// TestIn holds IN against equalities joined by OR.
func TestIn(t *testing.T) {
	values := []Expr{num(1), num(2), num(3), null(types.Int4)}
	for _, a := range values {
		for _, b := range values {
			for _, c := range values {
				or := Logic{Or: true, Args: []Expr{Compare{EQ, a, b}, Compare{EQ, a, c}}}
				if in := (In{Arg: a, List: []Expr{b, c}}); show(t, in) != show(t, or) {
					t.Errorf("%s is %s", in, show(t, in))
				}
				if in := (In{Arg: a, List: []Expr{b, c}, Not: true}); show(t, in) != show(t, Not{or}) {
					t.Errorf("%s is %s", in, show(t, in))
				}
			}
		}
	}
}

func TestEval(t *testing.T) {
	yes, no := truths[2], truths[0]
	none := null(types.Int4)
	div := Functions("int4div")[0]
	greet := &Function{Name: "f", NotStrict: true, FnN: func(_ *Context, a []types.Value) (types.Value, error) {
		return types.NewInt(int64(len(a))), nil
	}}
	for _, test := range []struct {
		e    Expr
		want string
	}{
		{Distinct{none, none, false}, "false"}, {Distinct{none, num(1), false}, "true"},
		{Distinct{num(1), num(1), true}, "true"}, {Distinct{num(1), num(2), true}, "false"},
		{Case{Whens: []When{{no, failing}, {truths[1], failing}, {yes, num(2)}, {failing, num(3)}}, T: types.Int4}, "2"},
		{Case{Whens: []When{{no, num(1)}}, Else: num(9), T: types.Int4}, "9"},
		{Case{Whens: []When{{no, num(1)}}, T: types.Int4}, "NULL"},
		{Coalesce{[]Expr{none, num(2), failing}, types.Int4}, "2"}, {Coalesce{[]Expr{none, none}, types.Int4}, "NULL"},
		{NullIf{Left: num(1), Right: num(1)}, "NULL"}, {NullIf{Left: num(1), Right: num(2)}, "1"}, {NullIf{Left: num(1), Right: none}, "1"}, {NullIf{Left: none, Right: num(1)}, "NULL"},
		{Extreme{false, []Expr{num(1), none, num(3), num(2)}, types.Int4}, "3"},
		{Extreme{true, []Expr{none, num(3), num(2)}, types.Int4}, "2"}, {Extreme{true, []Expr{none}, types.Int4}, "NULL"},
		{Logic{Args: []Expr{no, failing}}, "false"}, {Logic{Or: true, Args: []Expr{yes, failing}}, "true"},
		{Logic{Args: []Expr{yes, failing}}, "computed"}, {In{num(1), []Expr{num(1), failing}, false}, "true"},
		{Column{Index: 0, T: types.Int4}, "5"}, {Column{Index: 1, T: types.Int4}, "NULL"},
		{Call{div, []Expr{num(7), num(2)}, types.Int4}, "3"}, {Call{div, []Expr{num(7), num(0)}, types.Int4}, "division by zero"},
		{Call{div, []Expr{none, failing}, types.Int4}, "computed"},
		{Call{greet, []Expr{none, num(1)}, types.Int4}, "2"},
		{Call{greet, []Expr{failing}, types.Int4}, "computed"},
		{Param{Number: 0, T: types.Int4}, "there is no parameter $1"},
		{Cast{Arg: str("abcdef"), To: types.T{OID: types.OIDVarchar, Mod: 4 + 3}, Explicit: true}, "'abc'"},
		{Cast{Arg: str("abcdef"), To: types.T{OID: types.OIDVarchar, Mod: 4 + 3}}, "value too long for type character varying(3)"},
		{Cast{Arg: null(types.Text), To: types.Int4, Fn: castTo(types.OIDText, types.OIDInt4)}, "NULL"},
		{Cast{Arg: str("12"), To: types.Int4, Fn: castTo(types.OIDText, types.OIDInt4)}, "12"},
		{Cast{Arg: failing, To: types.Int4}, "computed"}, {IsNull{Arg: failing}, "computed"}, {Not{failing}, "computed"},
		{Distinct{num(1), failing, false}, "computed"}, {NullIf{Left: num(1), Right: failing}, "computed"},
		{Extreme{false, []Expr{num(1), failing}, types.Int4}, "computed"},
	} {
		if got := show(t, test.e); got != test.want {
			t.Errorf("%s is %s, want %s", test.e, got, test.want)
		}
	}
}

func castTo(from, to types.OID) CastFunc {
	c, _ := types.FindCast(from, to)
	return c.Fn
}

func TestParam(t *testing.T) {
	c := &Context{Params: []types.Value{types.Null, types.NewInt(7)}}
	if v, err := (Param{Number: 1, T: types.Int4}).Eval(c, nil); err != nil || v.Int() != 7 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := (Param{Number: 2, T: types.Int4}).Eval(c, nil); !sqlerr.Has(err, sqlerr.UndefinedParameter) {
		t.Error(err)
	}
}
