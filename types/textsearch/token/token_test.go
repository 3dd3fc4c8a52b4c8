package token

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/pglocal"
	"zproxy/internal/testseed"
)

// pieces are what texts are made of in which tokens of all kinds begin and end.
var pieces = []string{"a", "b", "foo", "Bar", "1", "23", "-", "-", ".", ".", "/", "/", "_", "@", ":", "://", "http",
	"com", "www", "~", "?", "&", "#", ";", "<", ">", "!", "--", "'", "\"", "\\", " ", " ", "é", "ß", "e", "E", "+", "=", "x",
	"script", "style", "<script>", "</script>", "amp;", "日", "\t", "-12 ", "-b-", "%", "a\u0301", ",", "(", "{", "example.com", "\u0661"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(9) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func tokens(text string) string {
	s := NewScanner(text)
	var out []string
	for {
		kind, word, ok := s.Next()
		if !ok {
			return strings.Join(out, "|")
		}
		out = append(out, fmt.Sprintf("%d:%s", kind, word))
	}
}

// TestTokensAreThoseOfPostgres divides random texts.
func TestTokensAreThoseOfPostgres(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+pglocal.Start(t)+"/postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	texts := make([]string, 20_000)
	for i := range texts {
		texts[i] = randomText(r)
	}
	rows, err := conn.Query(t.Context(), `SELECT coalesce((SELECT string_agg(tokid || ':' || token, '|')
		FROM ts_parse('default', x)), '') FROM unnest($1::text[]) WITH ORDINALITY u(x, n) ORDER BY n`, texts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if got := tokens(text); got != want[i] {
			t.Errorf("%q: %s, PostgreSQL has %s", text, got, want[i])
		}
	}
}
