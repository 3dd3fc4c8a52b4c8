package joinhint

import (
	"fmt"
	"strings"
	"testing"
)

// TestParse reads hints as pg_hint_plan spells them.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, words, want string }{
		{"leading", "a b c", "[a]+[b] free, [a b]+[c] free"},
		{"leading", "( a ( b c ) )", "[b]+[c], [a]+[b c]"},
		{"leading", "( ( a b ) ( c d ) )", "[a]+[b], [c]+[d], [a b]+[c d]"},
		{"leading", "( a b ) c", "none"},
		{"leading", "( a b c )", "none"},
		{"leading", "( a ( b", "none"},
		{"leading", "( a", "none"},
		{"leading", ")", "none"},
		{"leading", "a ( b", "none"},
		{"leading", "a", "none"},
		{"leading", "", "none"},
		{"hashjoin", "a b", "hash of [a b]"},
		{"nestloop", "a b c", "loop of [a b c]"},
		{"nohashjoin", "a b", "no hash of [a b]"},
		{"nonestloop", "a b", "no loop of [a b]"},
		{"hashjoin", "( a b )", "none"},
		{"hashjoin", "a", "none"},
		{"noleading", "a b", "none"},
		{"mergejoin", "a b", "merge of [a b]"},
		{"nomergejoin", "a b", "no merge of [a b]"},
		{"mergejoin", "a", "none"},
		{"nonomergejoin", "a b", "none"},
	} {
		h, ok := Parse(c.name, strings.Fields(c.words))
		if got := described(h, ok); got != c.want {
			t.Errorf("%s(%s): %s, want %s", c.name, c.words, got, c.want)
		}
	}
}

func described(h Hint, ok bool) string {
	if !ok {
		return "none"
	}
	var out []string
	for _, p := range h.Pairs() {
		s := fmt.Sprintf("%v+%v", p.Outer, p.Inner)
		if p.Free {
			s += " free"
		}
		out = append(out, s)
	}
	if out != nil {
		return strings.Join(out, ", ")
	}
	method := map[Method]string{Loop: "loop", Hash: "hash", Merge: "merge"}[h.Method]
	if h.Forbid {
		method = "no " + method
	}
	return fmt.Sprintf("%s of %v", method, h.Tables)
}
