package expr_test

import (
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/work"
	"zproxy/types"
)

// TestBoundCalls compares functions with a fixed second argument with Eval.
func TestBoundCalls(t *testing.T) {
	values := []types.Value{types.Null, types.NewText(""), types.NewText("abc"), types.NewText("ab")}
	for _, sign := range []string{"~~", "!~~"} {
		for _, pattern := range values {
			cond := expr.Call{Fn: builtin.Operators(sign, 2)[0],
				Args: []expr.Expr{expr.Column{T: types.Text}, expr.Const{Value: pattern, T: types.Text}}, T: types.Bool}
			checkPredicate(t, cond, values)
		}
	}
}

// TestLikeEnds has patterns try every place of a long text: prepared or not, they end with the statement.
func TestLikeEnds(t *testing.T) {
	s := strings.Repeat("a", 1<<20)
	for _, pattern := range []string{"%" + strings.Repeat("_", 1<<19) + "b", "%" + strings.Repeat("a", 1<<19) + `\b%`,
		strings.Repeat("%a", 1<<19) + "%"} {
		for _, name := range []string{"textlike", "texticlike", "bytealike"} {
			f := builtin.Functions(name)[0]
			a, b := types.NewText(s), types.NewText(pattern)
			c := &expr.Context{Meter: work.Meter{Interrupt: func() error { return errEnd }}}
			if _, err := f.Fn2(c, a, b); err != errEnd {
				t.Errorf("%s of %.10s: %v", name, pattern, err)
			}
			if f.Bind == nil {
				continue
			}
			if _, err := f.Bind(c, b)(a); err != errEnd {
				t.Errorf("%s of %.10s, prepared: %v", name, pattern, err)
			}
		}
	}
}
