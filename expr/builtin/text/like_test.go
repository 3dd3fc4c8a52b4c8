package text

import (
	"math/rand/v2"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
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
		s, pattern := word([]string{"a", "b", "é"}), word([]string{"a", "b", "é", "%", "%", "%", "_", `\a`, `\`})
		if rng.IntN(2) == 0 {
			pattern = word([]string{"a", "b", "é", "%", "%"})
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
