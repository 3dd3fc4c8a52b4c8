package plan

import (
	"strings"
	"testing"

	"zproxy/encoding/keys"
	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

func number(v int64) expr.Expr { return expr.Const{Value: types.NewInt(v), T: types.Int4} }

func text(s string) expr.Expr { return expr.Const{Value: types.NewText(s), T: types.Text} }

func term(op TermOp, args ...expr.Expr) Term { return Term{Op: op, Args: args} }

func TestBoundSet(t *testing.T) {
	null := expr.Const{T: types.Int4}
	for _, test := range []struct {
		terms []Term
		want  string
	}{
		{nil, "all"},
		{[]Term{term(TermEQ, number(3))}, "= 3"},
		{[]Term{term(TermLT, number(3))}, "( - 3)"}, {[]Term{term(TermLE, number(3))}, "( - 3]"},
		{[]Term{term(TermGT, number(3))}, "(3 - )"}, {[]Term{term(TermGE, number(3))}, "[3 - )"},
		{[]Term{term(TermGT, number(3)), term(TermLE, number(5))}, "(3 - 5]"},
		{[]Term{term(TermGT, number(5)), term(TermLT, number(3))}, "none"},
		{[]Term{term(TermIn, number(3), null, number(1), number(3))}, "= 1 or = 3"},
		{[]Term{term(TermIn, number(3), number(1)), term(TermGT, number(1))}, "= 3"},
		{[]Term{term(TermNull)}, "NULL"}, {[]Term{term(TermNotNull)}, "( - )"},
		{[]Term{term(TermNull), term(TermEQ, number(3))}, "none"}, {[]Term{term(TermNotNull), term(TermEQ, number(3))}, "= 3"},
		// Nothing compares with NULL.
		{[]Term{term(TermEQ, null)}, "none"}, {[]Term{term(TermLT, null)}, "none"}, {[]Term{term(TermGE, null)}, "none"},
		{[]Term{term(TermIn, null)}, "none"}, {[]Term{term(TermPrefix, expr.Const{T: types.Text})}, "none"},
		{[]Term{term(TermEQ, null), term(TermNull)}, "none"},
	} {
		set, err := Bound{Terms: test.terms}.Set(&expr.Context{})
		if got := keys.FormatSet(set, types.Int4); err != nil || got != test.want {
			t.Errorf("%v: %s, %v, want %s", test.terms, got, err, test.want)
		}
	}
}

// TestPrefixSet holds the interval of a prefix against strings.HasPrefix.
func TestPrefixSet(t *testing.T) {
	words := []string{"", "a", "ab", "ab\x00", "ab\xff", "ab\xff\xff", "abc", "ac", "b", "\xff", "\xff\xff",
		"\xff\xff\x01", "é", "éa", "ê"}
	for _, prefix := range words {
		set, err := Bound{Terms: []Term{term(TermPrefix, text(prefix))}}.Set(&expr.Context{})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if got := set.Contains(types.NewText(w)); got != strings.HasPrefix(w, prefix) {
				t.Errorf("%q in the set of %q: %t", w, prefix, got)
			}
		}
		if set.Null {
			t.Errorf("NULL begins with %q", prefix)
		}
	}
}

func TestBoundOfParameters(t *testing.T) {
	b := Bound{Terms: []Term{term(TermEQ, expr.Param{Number: 0, T: types.Int4})}}
	if _, err := b.Set(&expr.Context{}); !sqlerr.Has(err, sqlerr.UndefinedParameter) {
		t.Error(err)
	}
	set, err := b.Set(&expr.Context{Params: []types.Value{types.NewInt(4)}})
	if err != nil || !set.Contains(types.NewInt(4)) || set.Contains(types.NewInt(5)) {
		t.Errorf("%+v, %v", set, err)
	}
}

func TestWithInputs(t *testing.T) {
	leaf := Values{Rows: [][]expr.Expr{{number(1)}}, Cols: []Column{{Name: "a", Type: types.Int4}}}
	other := Values{Rows: [][]expr.Expr{{number(2)}}, Cols: leaf.Cols}
	for _, n := range []Node{
		leaf, Stream{Cols: leaf.Cols}, Scan{Cols: leaf.Cols}, Filter{Input: leaf},
		Project{Input: leaf, Cols: leaf.Cols}, Sort{Input: leaf}, Limit{Input: leaf},
		Distinct{Input: leaf}, Aggregate{Input: leaf}, Insert{Input: leaf}, Update{Input: leaf}, Delete{Input: leaf},
	} {
		in := n.Inputs()
		if len(in) == 0 {
			if len(n.WithInputs(nil).Columns()) != 1 {
				t.Errorf("%T", n)
			}
			continue
		}
		changed := n.WithInputs([]Node{other})
		if first(in[0]) != 1 || first(n.Inputs()[0]) != 1 || first(changed.Inputs()[0]) != 2 ||
			len(changed.Columns()) != len(n.Columns()) {
			t.Errorf("%T: %v, changed %v", n, n, changed)
		}
	}
}

// first is the number in the first row.
func first(n Node) int64 { return n.(Values).Rows[0][0].(expr.Const).Value.Int() }
