package text

import (
	"math/rand/v2"
	"testing"

	"zproxy/expr"
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
	c := &expr.Context{}
	for range 20_000 {
		s := word([]string{"a", "b", "é", "%"})
		pattern := word([]string{"a", "b", "é", "%", "%", "%", "_", `\a`, `\é`, `\%`, `\`})
		if rng.IntN(2) == 0 {
			pattern = word([]string{"a", "b", "é", "%", "%", `\%`, `\é`})
		}
		for _, width := range []func(string) int{runeWidth, byteWidth} {
			want, wantErr := like(c, s, pattern, width)
			got, err := compileLike(c, pattern, width)(s)
			if got != want || (err == nil) != (wantErr == nil) {
				t.Fatalf("%q LIKE %q is %v %v, want %v %v", s, pattern, got, err, want, wantErr)
			}
		}
	}
}

// TestBoundILike compares prepared patterns in any case with those that are not.
func TestBoundILike(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 1))
	word := func(letters string) types.Value {
		var s []rune
		for range rng.IntN(6) {
			s = append(s, []rune(letters)[rng.IntN(len([]rune(letters)))])
		}
		return types.NewText(string(s))
	}
	c := &expr.Context{}
	for range 5000 {
		text, pattern := word("aAéÉ%"), word(`aAéÉ%%_\`)
		for _, f := range patternFunctions {
			if f.Operator != "~~*" && f.Operator != "!~~*" {
				continue
			}
			want, wantErr := f.Fn2(c, text, pattern)
			got, err := f.Bind(c, pattern)(text)
			if (err == nil) != (wantErr == nil) || err == nil && got != want.Bool() {
				t.Fatalf("%q %s %q is %v %v, want %v %v", text.Text(), f.Operator, pattern.Text(), got, err,
					want.Bool(), wantErr)
			}
		}
	}
}
