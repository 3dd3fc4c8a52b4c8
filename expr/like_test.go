package expr

import (
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/expr/work"
	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestCompiledLike compares prepared patterns with those that are read anew for each text.
func TestCompiledLike(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	word := func(letters []string) (s string) {
		for range rng.IntN(7) {
			s += letters[rng.IntN(len(letters))]
		}
		return s
	}
	c := &Context{}
	for range 20_000 {
		s, pattern := word([]string{"a", "b", "é"}), word([]string{"a", "b", "é", "%", "%", "%", "_", `\a`, `\`})
		if rng.IntN(2) == 0 {
			pattern = word([]string{"a", "b", "é", "%", "%"})
		}
		for _, width := range []func(string) int{runeWidth, byteWidth} {
			want, wantErr := c.like(s, pattern, width)
			got, err := c.compileLike(pattern, width)(s)
			if got != want || (err == nil) != (wantErr == nil) {
				t.Fatalf("%q LIKE %q is %v %v, want %v %v", s, pattern, got, err, want, wantErr)
			}
		}
	}
}

// TestBoundCalls compares functions with a fixed second argument with Eval.
func TestBoundCalls(t *testing.T) {
	values := []types.Value{types.Null, types.NewText(""), types.NewText("abc"), types.NewText("ab")}
	for _, sign := range []string{"~~", "!~~"} {
		for _, pattern := range values {
			cond := Call{Fn: Operators(sign, 2)[0], Args: []Expr{Column{T: types.Text}, Const{Value: pattern, T: types.Text}}, T: types.Bool}
			checkPredicate(t, cond, values)
		}
	}
}

// TestLikeEnds has patterns try every place of a long text: prepared or not, they end with the statement.
func TestLikeEnds(t *testing.T) {
	s := strings.Repeat("a", 1<<20)
	for _, pattern := range []string{"%" + strings.Repeat("_", 1<<19) + "b", "%" + strings.Repeat("a", 1<<19) + `\b`,
		strings.Repeat("%a", 1<<19) + "%"} {
		for _, name := range []string{"textlike", "texticlike", "bytealike"} {
			f := Functions(name)[0]
			a, b := types.NewText(s), types.NewText(pattern)
			c := &Context{Meter: work.Meter{Interrupt: func() error { return errEnd }}}
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
