package parser

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/internal/testseed"
)

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"", ""},
		{"  ;", ""},
		{"SELECT 1", "SELECT $1"},
		{"select  *\n from t -- why\n where a=$2 and b='it''s' and c = 4.5e-3;", "select * from t where a=$2 and b=$3 and c = $4"},
		{"ALTER ROLE joe PASSWORD 'hunter2'", "ALTER ROLE joe PASSWORD $1"},
		{`SELECT E'a\'b', B'01', x'ff', N'n', U&'d\0061', $$a$$, $q$ '$$ $q$`, "SELECT $1, $2, $3, $4, $5, $6, $7"},
		{`SELECT "a 1" , t1.c2, a$1, 0x1F, .5, 1_000 /* 7 /* 8 */ 'x' */ FROM "q""7"`, `SELECT "a 1" , t1.c2, a$1, $1, $2, $3 FROM "q""7"`},
		{"SELECT E'a'\n'b\\' secret'", "SELECT $1"},
		{"SELECT 'never closed; secret", "SELECT $1"},
		{"SELECT $$never closed; secret", "SELECT $1"},
		{"SELECT 1;", "SELECT $1"},
		{"INSERT INTO t VALUES (-1, 2), ($3, NULL)", "INSERT INTO t VALUES (-$4, $5), ($3, NULL)"},
		{"SELECT a[1:2], $99999999999999999999, '\xff'", "SELECT a[$1:$2], $99999999999999999999, $3"},
	} {
		if got := Normalize(c.sql); got != c.want {
			t.Errorf("Normalize(%q)\n%q, want\n%q", c.sql, got, c.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	same := []string{"select * from t where a = 1", "SELECT *  FROM t /* x */ WHERE a='one' ;",
		"select*from T where A=$$x$$"}
	for _, sql := range same {
		if Fingerprint(sql) != Fingerprint(same[0]) {
			t.Errorf("%q has another fingerprint than %q", sql, same[0])
		}
	}
	for _, sql := range []string{`select * from "T" where a = 1`, "select * from t where a = $1",
		"select * from t where ab = 1", "select * from t where a = 1, 2"} {
		if Fingerprint(sql) == Fingerprint(same[0]) {
			t.Errorf("%q has the fingerprint of %q", sql, same[0])
		}
	}
}

// TestLexemesAreTokens makes texts of pieces that are hard to read. In each that
// PostgreSQL's lexer takes, all its literals must be in literals, and these must begin
// where its own do.
func TestLexemesAreTokens(t *testing.T) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{
		"'", "''", "\\", "E'", "e'", "B'01'", "X'1f'", "N'x'", "U&'", `"`, "$$", "$a$", "$1", "$", "/*", "*/", "--", "\n", " ", "\t",
		"1", "1.5", ".5", "1e5", "1e-5", "0x1f", "1..2", "a", "e", "é", "_", "a$1", "+", "-", "::int", "(", ")", ",", ";", "select", "uescape '!'",
	}
	taken := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		sql := b.String()
		list, err := scan(sql, nil)
		if err != nil {
			continue
		}
		taken++
		if problem := compareLiterals(sql, list); problem != "" {
			t.Fatalf("seed %d: in %q %s", seed, sql, problem)
		}
	}
	if taken < 1000 {
		t.Errorf("seed %d: only %d texts were ones to the lexer", seed, taken)
	}
}

func compareLiterals(sql string, list []*pg.ScanToken) string {
	inside := make([]bool, len(sql))
	begins := map[int]bool{}
	for l := range lexemes(sql) {
		if l.kind != lexLiteral {
			continue
		}
		begins[l.start] = true
		for i := l.start; i < l.end; i++ {
			inside[i] = true
		}
	}
	for _, token := range list {
		switch token.Token {
		case pg.Token_SCONST, pg.Token_USCONST, pg.Token_BCONST, pg.Token_XCONST, pg.Token_ICONST, pg.Token_FCONST:
			for i := token.Start; i < token.End; i++ {
				if !inside[i] {
					return fmt.Sprintf("byte %d of a literal is shown", i)
				}
			}
			delete(begins, int(token.Start))
		case pg.Token_NCHAR: // N'...' is two tokens
			delete(begins, int(token.Start))
		}
	}
	for at := range begins {
		return fmt.Sprintf("no literal begins at %d", at)
	}
	return ""
}

func BenchmarkFingerprint(b *testing.B) {
	const sql = "SELECT id, name, address FROM customers WHERE region = 'north' AND id BETWEEN 100 AND 200 ORDER BY name LIMIT 10"
	b.ReportAllocs()
	for b.Loop() {
		Fingerprint(sql)
	}
}
