package regex

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/pglocal"
	"zproxy/internal/testseed"
)

var patterns = flag.Int("patterns", 2000, "how many patterns TestLikePostgres makes")

// maker makes patterns with groups and back references, to groups that stand before, around, in another alternative
// or in what is repeated.
type maker struct {
	*rand.Rand
	groups int
}

func (m *maker) pattern(depth int) string {
	var b strings.Builder
	for i := range 1 + m.IntN(3) {
		if i > 0 && m.IntN(3) == 0 {
			b.WriteByte('|')
		}
		b.WriteString(m.atom(depth))
		if m.IntN(3) == 0 {
			b.WriteString([]string{"*", "+", "?", "{2}", "{0,1}", "{1,3}", "{0}", "*?", "+?", "??",
				"{1,2}?"}[m.IntN(11)])
		}
	}
	return b.String()
}

func (m *maker) atom(depth int) string {
	switch n := m.IntN(10); {
	case n < 2 && m.groups > 0:
		return fmt.Sprintf(`\%d`, 1+m.IntN(m.groups))
	case n < 5 && depth > 0 && m.groups < 9:
		m.groups++
		return "(" + m.pattern(depth-1) + ")"
	case n == 5 && depth > 0:
		return "(?:" + m.pattern(depth-1) + ")"
	case n == 6:
		return []string{"^", "$", "[ab]", ".", "()", `(?=a)`, `\m`, `\M`, `\y`}[m.IntN(9)]
	}
	return string("abc"[m.IntN(3)])
}

// posix is a pattern in a syntax of POSIX, of signs that are special in it or in another one.
func (m *maker) posix() string {
	var b strings.Builder
	b.WriteString([]string{"(?b)", "(?e)", "(?bx)", "(?ex)"}[m.IntN(4)])
	signs := []string{
		"a", "b", "c", "1", "2", ".", "*", "+", "?", "{2}", "{1,2}", "{,2}", "{", "}", "(", ")", "|", "^", "$", "\\",
		`\{2\}`, `\{0,1\}`, `\{`, `\}`, `\(`, `\)`, `\(a\)`, "(b)", `\1`, `\2`, `\<`, `\>`, `\d`, " ", "#",
		"[ab]", "[^a]", `[\a]`, "[]a]", "[[:alpha:]]", "[[.a.]]",
	}
	for range 1 + m.IntN(6) {
		b.WriteString(signs[m.IntN(len(signs))])
	}
	return b.String()
}

// TestLikePostgres finds random patterns in random texts as PostgreSQL does: where, and what the groups are.
func TestLikePostgres(t *testing.T) {
	likePostgres(t, "aabbc ", func(m *maker) string { return m.pattern(3) })
}

// TestPosixLikePostgres finds patterns in the syntaxes of POSIX as PostgreSQL does.
func TestPosixLikePostgres(t *testing.T) {
	likePostgres(t, "aab12d\\{}()|*+?^$ ", (*maker).posix)
}

func likePostgres(t *testing.T, letters string, next func(*maker) string) {
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+pglocal.Start(t)+"/postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	m := &maker{Rand: rand.New(rand.NewPCG(testseed.Of(t), 0))}
	for range *patterns {
		m.groups = 0
		pattern := next(m)
		text := make([]byte, m.IntN(8))
		for i := range text {
			text[i] = letters[m.IntN(len(letters))]
		}
		var want string
		err := conn.QueryRow(t.Context(), `SELECT coalesce((regexp_instr($1, $2, 1, 1, 0) - 1) || ' ' || (regexp_instr($1, $2, 1, 1, 1) - 1)
			|| ' ' || array_to_string(regexp_match($1, $2), ',', 'NULL'), '-')`, string(text), pattern).Scan(&want)
		if err != nil {
			if _, err := Compile(pattern, Options{}); err == nil {
				t.Errorf("%q: PostgreSQL: %v", pattern, err)
			}
			continue
		}
		if got := found(pattern, string(text)); got != want {
			t.Errorf("%q in %q: %s, PostgreSQL: %s", pattern, text, got, want)
		}
	}
}

func found(pattern, text string) string {
	re, err := Compile(pattern, Options{})
	if err != nil {
		return err.Error()
	}
	at, err := re.Find(text, 0)
	switch {
	case err != nil:
		return err.Error()
	case at == nil:
		return "-"
	}
	parts := []string{}
	first := 1
	if re.Groups() == 0 {
		first = 0
	}
	for i := first; i <= re.Groups(); i++ {
		if at[2*i] < 0 {
			parts = append(parts, "NULL")
		} else {
			parts = append(parts, text[at[2*i]:at[2*i+1]])
		}
	}
	return fmt.Sprintf("%d %d %s", at[0], at[1], strings.Join(parts, ","))
}
