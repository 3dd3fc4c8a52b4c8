package parser

import (
	"math/rand/v2"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
)

// TestDeep reads text that would take the process down if it reached the C parser. Each
// form is fine at a tenth of the limit.
func TestDeep(t *testing.T) {
	for _, form := range [][3]string{
		{"(", "1", ")"}, {"- ", "a", ""}, {"not ", "a", ""}, {"f(", "a", ")"}, {"array[", "1", "]"},
		{"case when a then b else ", "c", " end"}, {"(a and ", "b", ")"}, {"", "a", "::int"}, {"", "1", "+1"},
		{"", "a", " is null"}, {"", "a", " collate x"}, {"", "a", " at time zone b"},
		{"", "a", " between b and c is null"}, {"", "1", " union select 1, 2"}, {"(select ", "1", ")"},
		{"case when t.end then ", "c", " end"}, {"", "1 from a", " join b on c and d"},
		{"", "1 from a", " natural left join b"}, {"1 from ", "a", " cross join b"}, {"", "1 from a", " join b using (c) full join c on d"},
		{"* from (select ", "1", ") x"}, {"1 where exists (select ", "1", ")"}, {"a in (select ", "1", ")"}, {"array(select ", "1", ")"},
		{"(with x as (select 1) select ", "1", ")"}, {"(select 1 except select ", "1", ")"}, {"row(", "1", ")"}, {"(", "a", ").b"},
		{"", "a", "[1] + 1"}, {"a[", "1", "]"}, {"", "a", " operator(pg_catalog.+) b"}, {"sum(a) over (order by ", "1", ")"},
		{"a = any (", "1", ")"}, {"", "1", " intersect all (select 1)"}, {"1 from lateral (select ", "1", ") x"},
	} {
		for _, n := range []int{maxDepth / 10, 2 * maxDepth, 5000} {
			sql := "SELECT " + strings.Repeat(form[0], n) + form[1] + strings.Repeat(form[2], n)
			if n < maxDepth { // the text of a definition is made in C, too
				_, _ = Parse(strings.Replace(sql, "SELECT", "CREATE TABLE t (a int DEFAULT", 1) + ")")
				_, _ = Parse("CREATE VIEW v AS " + sql)
			}
			if _, err := Parse(sql); sqlerr.Has(err, sqlerr.StatementTooComplex) != (n > maxDepth) {
				t.Errorf("%q, %d times: %v", form, n, err)
			}
		}
	}
}

// TestMillion is far beyond the limit.
func TestMillion(t *testing.T) {
	if _, err := Parse("SELECT " + strings.Repeat("(", 1_000_000)); !sqlerr.Has(err, sqlerr.StatementTooComplex) {
		t.Error(err)
	}
}

// TestLong reads what is long and not deep.
func TestLong(t *testing.T) {
	for _, form := range [][3]string{
		{"SELECT * FROM t WHERE a = 1", " AND b = 2"}, {"SELECT * FROM t WHERE a = 1", " OR b = 2 AND c BETWEEN -1 AND 3"},
		{"INSERT INTO t VALUES (1, -1)", ", (2, f(-3, 'x'::text))"}, {"SELECT 1", "; SELECT 1 + 1"},
		{"SELECT 1 FROM t", ", u"}, {"WITH a AS (SELECT 1)", ", b AS (SELECT 1)", " SELECT 1"}, {"SELECT a[1]", "[2]"},
		{"SELECT a", ", CASE WHEN b THEN c WHEN d THEN e END"},
	} {
		if _, err := Parse(form[0] + strings.Repeat(form[1], 2000) + form[2]); err != nil {
			t.Errorf("%q: %v", form, err)
		}
	}
	if _, err := Parse("SELECT a, b FROM t" +
		strings.Repeat(" UNION ALL SELECT a + 1, b FROM t WHERE c = 1", 900)); err != nil {
		t.Error(err)
	}
	if _, err := Parse("SELECT 1 FROM t" + strings.Repeat(" LEFT JOIN u AS v ON v.a = t.a", 450)); err != nil {
		t.Error(err)
	}
	if _, err := Parse("SELECT a" + strings.Repeat(" AND a", 20_000)); err != nil {
		t.Error(err)
	}
	if _, err := Parse(strings.Repeat(" ", maxText+1)); !sqlerr.Has(err, sqlerr.ProgramLimitExceeded) {
		t.Error(err)
	}
	if _, err := Parse("SELECT 1" + strings.Repeat(",1", maxTokens)); !sqlerr.Has(err, sqlerr.ProgramLimitExceeded) {
		t.Error(err)
	}
}

// TestOperatorRuns refuses at once what the lexer would read for hours, and nothing that
// it reads quickly.
func TestOperatorRuns(t *testing.T) {
	const many = 1 << 20
	for _, run := range []string{"+", "-+", "/*", "/*+", "*/"} {
		if _, err := Parse("SELECT 1 " + strings.Repeat(run, many)); !sqlerr.Has(err, sqlerr.ProgramLimitExceeded) {
			t.Errorf("%s: %.100v", run, err)
		}
	}
	for _, run := range []string{"'" + strings.Repeat("+---", 1000) + "'", "1 --" + strings.Repeat("=", many),
		"1 /*" + strings.Repeat("*", many) + "*/", "'" + strings.Repeat("a+", many) + "'"} {
		if _, err := Parse("SELECT " + run); err != nil {
			t.Errorf("%.10s: %.100v", run, err)
		}
	}
}

// TestDepthBound compares the bound with the trees that the grammar makes.
func TestDepthBound(t *testing.T) {
	seed := testseed.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		sql := "SELECT " + randomExpr(r, 6)
		tree, err := postgres(sql, nil)
		if err != nil {
			continue
		}
		toks, _ := tokenize(sql, nil)
		if real, bound := messages(tree.ProtoReflect())/2, depth(toks); real > 2*bound+6 {
			t.Fatalf("seed %d: depth %d, bound %d: %s", seed, real, bound, sql)
		}
	}
}

func randomExpr(r *rand.Rand, depth int) string {
	if depth == 0 {
		return "a"
	}
	sub := func() string { return randomExpr(r, depth-1-r.IntN(depth)) }
	switch r.IntN(10) {
	case 0:
		return sub() + " AND " + sub()
	case 1:
		return sub() + " OR " + sub()
	case 2:
		return "(" + sub() + ")"
	case 3:
		return sub() + " BETWEEN " + sub() + " AND " + sub() + strings.Repeat(" IS NULL", r.IntN(3))
	case 4:
		return "CASE WHEN " + sub() + " THEN " + sub() + " ELSE " + sub() + " END"
	case 5:
		return "f(" + sub() + ", " + sub() + ")"
	case 6:
		return "NOT " + sub()
	case 7:
		return sub() + strings.Repeat(" IS NULL BETWEEN b AND c", r.IntN(10))
	case 8:
		return sub() + strings.Repeat(" + a", r.IntN(10))
	}
	return "(SELECT " + sub() + " FROM t" + strings.Repeat(" JOIN u ON "+sub(), r.IntN(4)) +
		strings.Repeat(" UNION SELECT "+sub(), r.IntN(10)) + ")"
}

// messages is how deep the messages of a tree nest.
func messages(m protoreflect.Message) int {
	deepest := 0
	children(m, func(m protoreflect.Message) { deepest = max(deepest, messages(m)) })
	return deepest + 1
}

// TestCopies refuses at once what would fill the memory, and compares the bound with the
// trees that the grammar makes.
func TestCopies(t *testing.T) {
	nested := func(n int, columns string) string {
		sql := "SELECT 1"
		for range n {
			sql = "WITH x AS (UPDATE t SET a = 1, (" + columns + ") = (" + sql + ") WHERE b) SELECT 1"
		}
		return sql
	}
	for _, sql := range []string{nested(12, "a,b,c,d,e"), nested(30, "a, b"),
		"UPDATE t SET (a" + strings.Repeat(",a", 2000) + ") = ROW(a" + strings.Repeat(",a", 2000) + ")"} {
		if _, err := Parse(sql); !sqlerr.Has(err, sqlerr.ProgramLimitExceeded) {
			t.Errorf("%.60s: %v", sql, err)
		}
	}
	for n := range 5 {
		sql := nested(n, "a, b, c")
		tree, refused := postgres(sql, nil)
		if refused != nil {
			t.Fatal(refused)
		}
		toks, _ := tokenize(sql, nil)
		if real, bound := size(tree.ProtoReflect()), copies(toks, maxTokens); real > 4*bound+6 {
			t.Errorf("%d messages, bound %d: %s", real, bound, sql)
		}
	}
	if _, err := Parse("UPDATE t SET (a, b) = (1, 2), (c, d) = (SELECT 1, 2) WHERE (a, b) = (3, 4)"); err != nil {
		t.Error(err)
	}
}

// size is how many messages a tree has.
func size(m protoreflect.Message) int {
	n := 1
	children(m, func(m protoreflect.Message) { n += size(m) })
	return n
}

// The constants of the token stream are what the guard and the lifts think they are.
func TestTokens(t *testing.T) {
	toks, ok := tokenize("( ) [ ] , ; . case END /* x */ `", nil)
	want := []pg.Token{pg.Token_ASCII_40, pg.Token_ASCII_41, pg.Token_ASCII_91, pg.Token_ASCII_93, pg.Token_ASCII_44,
		pg.Token_ASCII_59, pg.Token_ASCII_46, pg.Token_CASE, pg.Token_END_P, pg.Token_Op}
	if !ok || len(toks.list) != len(want) || !toks.is(0, want...) {
		t.Error(toks.list)
	}
}
