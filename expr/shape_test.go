package expr

import (
	"errors"
	"slices"
	"testing"

	"zproxy/types"
)

// samples is one expression of each kind and more, all different.
func samples() []Expr {
	a, b := Column{Index: 0, Name: "a", T: types.Int4}, Column{Index: 1, Name: "b", T: types.Int4}
	yes := Const{Value: types.NewBool(true), T: types.Bool}
	varchar := types.T{OID: types.OIDVarchar, Mod: 4 + 3}
	lower, plus, minus := Functions("lower")[0], Functions("int4pl")[0], Functions("int4um")[0]
	now := Functions("now")[0]
	return []Expr{
		a, b, num(1), num(2), str("1"), null(types.Int4), null(types.Text), yes, Param{0, types.Int4}, Param{1, types.Int4},
		Call{lower, []Expr{str("x")}, types.Text}, Call{plus, []Expr{a, b}, types.Int4}, Call{plus, []Expr{b, a}, types.Int4},
		Call{minus, []Expr{a}, types.Int4}, Call{now, nil, types.Timestamptz},
		Compare{EQ, a, num(1)}, Compare{LT, a, num(1)}, Compare{EQ, num(1), a},
		Logic{false, []Expr{yes, IsNull{a, false}}}, Logic{true, []Expr{yes, IsNull{a, false}}}, Not{yes},
		IsNull{a, false}, IsNull{a, true}, IsBool{yes, true, false}, IsBool{yes, false, false}, IsBool{yes, true, true},
		Distinct{a, b, false}, Distinct{a, b, true}, In{a, []Expr{num(1), b}, false}, In{a, []Expr{num(1), b}, true}, In{a, []Expr{num(1)}, false},
		Case{[]When{{yes, a}}, nil, types.Int4}, Case{[]When{{yes, a}}, b, types.Int4}, Case{[]When{{yes, a}, {yes, b}}, nil, types.Int4},
		Coalesce{[]Expr{a, b}, types.Int4}, NullIf{Left: a, Right: b}, Extreme{true, []Expr{a, b}, types.Int4}, Extreme{false, []Expr{a, b}, types.Int4},
		Cast{Arg: a, To: types.Int8}, Cast{Arg: a, To: types.Text}, Cast{Arg: str("x"), To: varchar}, Cast{Arg: str("x"), To: types.Varchar},
	}
}

func TestWithInputsKeepsTheExpression(t *testing.T) {
	for _, e := range samples() {
		before := e.String()
		if same := e.WithInputs(slices.Clone(e.Inputs())); !Equal(e, same) || same.String() != before || same.Type() != e.Type() {
			t.Errorf("%s over its own inputs is %s", e, same)
		}
		other := slices.Clone(e.Inputs())
		for i := range other {
			other[i] = Param{Number: 40 + i, T: other[i].Type()}
		}
		changed := e.WithInputs(other)
		if len(other) > 0 && (Equal(e, changed) || len(changed.Inputs()) != len(other) || !Equal(changed.Inputs()[len(other)-1], other[len(other)-1])) {
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
			if Equal(a, b) != (i == j) {
				t.Errorf("%s and %s are equal: %t", a, b, Equal(a, b))
			}
		}
	}
}

func TestRewrite(t *testing.T) {
	for _, e := range samples() {
		before := e.String()
		var seen []string
		out := Rewrite(e, func(x Expr) Expr {
			seen = append(seen, x.String())
			if c, ok := x.(Column); ok {
				c.Index += 10
				return c
			}
			return x
		})
		if e.String() != before || seen[len(seen)-1] != out.String() {
			t.Errorf("%s was rewritten to %s by way of %q", before, out, seen)
		}
		read, moved := map[int]bool{}, map[int]bool{}
		Columns(e, read)
		Columns(out, moved)
		for i := range read {
			if !moved[i+10] || len(moved) != len(read) {
				t.Errorf("%s reads %v, rewritten %v", e, read, moved)
			}
		}
		if found := Any(e, func(x Expr) bool { _, ok := x.(Column); return ok }); found != (len(read) > 0) {
			t.Errorf("%s has a column: %t", e, found)
		}
	}
}

func TestFixed(t *testing.T) {
	random, now := Functions("random")[0], Functions("now")[0]
	for _, test := range []struct {
		e    Expr
		want bool
	}{
		{num(1), true}, {Param{0, types.Int4}, true}, {Column{Index: 0, Name: "a", T: types.Int4}, false},
		{Call{now, nil, types.Timestamptz}, true}, {Call{random, nil, types.Float8}, false},
		{Cast{Arg: Call{random, nil, types.Float8}, To: types.Numeric}, false},
		{Coalesce{[]Expr{num(1), Column{Index: 0, Name: "a", T: types.Int4}}, types.Int4}, false},
	} {
		if Fixed(test.e) != test.want {
			t.Errorf("%s is fixed: %t", test.e, Fixed(test.e))
		}
	}
}

func TestConjuncts(t *testing.T) {
	a, b, c := IsNull{num(1), false}, IsNull{num(2), false}, Logic{true, []Expr{truths[0], truths[2]}}
	nested := Logic{Args: []Expr{Logic{Args: []Expr{a, b}}, c}}
	if all := Conjuncts(nested); len(all) != 3 || !Equal(all[0], a) || !Equal(all[1], b) || !Equal(all[2], c) {
		t.Errorf("%v", all)
	}
	if got := Conjoin(Conjuncts(nested)).String(); got != "((1 IS NULL) AND (2 IS NULL) AND (false OR true))" {
		t.Error(got)
	}
	if Conjoin(nil) != nil || Conjuncts(nil) != nil || !Equal(Conjoin([]Expr{a}), a) {
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
		_, err := e.WithInputs(broken).Eval(&Context{Env: &types.Env{}}, types.Row{types.NewInt(1), types.NewInt(2)})
		if err == nil || errors.Unwrap(err) != nil || err.Error() != "computed" {
			t.Errorf("%s hides an error: %v", e, err)
		}
	}
}
