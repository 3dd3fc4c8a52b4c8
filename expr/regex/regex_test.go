package regex

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"zproxy/internal/testseed"
)

// TestLongestAgreesWithGo compares where matches are, of expressions without shortest
// parts, with Go's leftmost-longest ones. What PostgreSQL's groups capture is recorded in
// expr/testdata/regexps.
func TestLongestAgreesWithGo(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 3000 {
		pattern, text := randomPattern(r, 3), randomText(r)
		theirs, err := regexp.Compile("(?s)" + pattern)
		if err != nil {
			continue // such as a repetition of too many states
		}
		theirs.Longest()
		re, err := Compile(pattern, Options{})
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		got, err := re.Find(text, 0)
		want := theirs.FindStringIndex(text)
		if err != nil || (got == nil) != (want == nil) || got != nil && !slices.Equal(got[:2], want) {
			t.Fatalf("%q in %q: %v, %v, want %v", pattern, text, got, err, want)
		}
		if found, err := re.Match(text); err != nil || found != (want != nil) {
			t.Fatalf("%q in %q: match %t, %v", pattern, text, found, err)
		}
	}
}

func randomPattern(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return []string{"a", "b", "é", ".", "[ab]", "[^a]", `\d`, "^", "$", "(?:)"}[r.IntN(10)]
	}
	sub := func() string { return "(" + randomPattern(r, depth-1) + ")" }
	switch r.IntN(3) {
	case 0:
		return sub() + "|" + sub()
	case 1:
		return sub() + []string{"*", "+", "?", "{2}", "{1,3}", "{0,2}"}[r.IntN(6)]
	}
	return randomPattern(r, depth-1) + sub()
}

func randomText(r *rand.Rand) string {
	text := make([]rune, r.IntN(9))
	for i := range text {
		text[i] = []rune("abé1\n")[r.IntN(5)]
	}
	return string(text)
}

func FuzzFind(f *testing.F) {
	for _, pattern := range []string{
		`(a|b)*\1`, `(?=x)[^[:alpha:]\d]{2,3}?`, `(?<!a)\mb\M|***`, `\x41\u0041\12`, "[", "(", `\`,
	} {
		f.Add(pattern, "aabb é")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 50 || len(text) > 50 {
			return
		}
		re, err := Compile(pattern, Options{})
		if err != nil {
			return
		}
		found, err := re.Find(text, 0)
		if err == nil && found != nil && (found[0] > found[1] || found[1] > len(text)) {
			t.Errorf("%q in %q: %v", pattern, text, found)
		}
	})
}
