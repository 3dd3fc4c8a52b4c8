package regex

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/internal/testseed"
)

// TestLazy runs random expressions by lazy automata and by all states at once: matches end at the same places, also
// where no more states may be made, and a search finds the same match.
func TestLazy(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 4))
	for range 2000 {
		pattern := randomPattern(r, 4)
		re, err := Compile(pattern, Options{})
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		p, few := re.root.prog, r.IntN(2) == 0
		for range 5 {
			text := ""
			for range 1 + r.IntN(6) {
				text += randomText(r)
			}
			re.m.text, re.m.steps = text, 0
			from, search := 0, r.IntN(2) == 0
			for range r.IntN(4) {
				if from < len(text) {
					from += width(text[from:])
				}
			}
			limit := len(text)
			if r.IntN(3) == 0 {
				limit = from
				for range r.IntN(8) {
					if limit < len(text) {
						limit += width(text[limit:])
					}
				}
			}
			if l := re.m.lazyOf(p, search); few && l != nil {
				l.most = 1 + r.IntN(3)
			}
			var got, want []int
			all := func(list *[]int) func(int) bool {
				return func(end int) bool {
					*list = append(*list, end)
					return true
				}
			}
			lists := all(&want)
			err1 := re.m.endsOf(p, from, limit, search, all(&got))
			err2 := re.m.run(p, from, limit, search, func(_, end int) bool { return lists(end) })
			if err1 != nil || err2 != nil || !slices.Equal(got, want) {
				t.Fatalf("%q in %q from %d to %d, search %v: %v, not %v; %v, %v", pattern, text, from, limit, search,
					got, want, err1, err2)
			}
			began, err1 := re.begin(from)
			wanted, err2 := re.beginOf(from)
			if err1 != nil || err2 != nil || began != wanted {
				t.Fatalf("%q in %q from %d begins at %d, not %d; %v, %v", pattern, text, from, began, wanted, err1,
					err2)
			}
		}
	}
}

func BenchmarkFind(b *testing.B) {
	text := "https://www.example.com/a/path/of/some/length?with=parameters&and=others"
	for _, pattern := range []string{`^https?://(?:www\.)?([^/]+)/.*$`, `len(.)th`, `[0-9]+x`, `other`} {
		b.Run(fmt.Sprintf("%q", pattern), func(b *testing.B) {
			re, err := Compile(pattern, Options{})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := re.Find(text, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
