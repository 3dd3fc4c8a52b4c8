package e2e

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/testseed"
)

// remedies are the statements that the HINT of a refused statement names.
var remedies = []*regexp.Regexp{
	regexp.MustCompile(`An index(?: in shards)? would serve: (.*?)\. (?:ANALYZE|ALLOW|LIMIT)`),
	regexp.MustCompile(`(REINDEX INDEX .*?)\. (?:ANALYZE|ALLOW)`),
}

// TestRemediesServe refuses random queries that read all of random tables, and does what the HINTs
// say: each statement runs as it stands, makes no index that there is, or of which advice says at
// once that it should not be there, and lets the refused statement run.
func TestRemediesServe(t *testing.T) {
	for _, k := range []kind{inMemory, unordered, onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) {
			served := openDB(t, k)
			rounds := 40
			if k.name == onFake.name {
				rounds = 10 // it takes a hundred requests to write the rows
			}
			seed := testseed.Of(t)
			r, followed := rand.New(rand.NewPCG(seed, 0)), 0
			for round := range rounds {
				p := newPlayer(t, served.url()+adviceOn)
				p.must(t, "DROP TABLE IF EXISTS t, u")
				ddl := randomDesign(r)
				p.must(t, strings.Join(ddl, "; "))
				p.must(t, "SET zproxy.full_scan = refuse")
				for range 6 {
					query := randomLimitedQuery(r)
					if n := follow(t, p, query); n < 0 {
						t.Fatalf("%s, round %d, seed %d:\n%s;\n%s", k.name, round, seed, strings.Join(ddl, ";\n"),
							query)
					} else if followed += n; n > 0 {
						break // with one more index for each query there would soon be too many
					}
				}
			}
			if followed < rounds/4 {
				t.Errorf("only %d hints were followed", followed)
			}
		})
	}
}

// randomDesign are the statements that make a table with rows and some indexes.
func randomDesign(r *rand.Rand) []string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	out := []string{
		"CREATE TABLE t (a int NOT NULL, \"B c\" int NOT NULL, c text NOT NULL, d timestamp, e int, PRIMARY KEY (" + pick("a", `"B c"`, `a, "B c"`, `c, a, "B c"`) + "))" + pick("", "", " WITH (shards = 4)"),
		"CREATE TABLE u (id int PRIMARY KEY, e int)",
	}
	for range r.IntN(4) {
		columns := []string{"a", `"B c"`, "c", "d", "e"}
		r.Shuffle(len(columns), func(i, k int) { columns[i], columns[k] = columns[k], columns[i] })
		columns = columns[:1+r.IntN(3)]
		switch {
		case r.IntN(5) == 0 && len(columns) > 1:
			out = append(out, "CREATE INDEX ON t USING zorder ("+strings.Join(columns, ", ")+")")
		default:
			out = append(out, "CREATE "+pick("", "", "UNIQUE ")+"INDEX ON t ("+strings.Join(columns, ", ")+")"+pick("",
				"", " WITH (shards = 4)")+pick("", "", " WHERE e > 5"))
		}
	}
	// Of more than 1,000 rows, which is when all of them are refused, most conditions keep a few.
	return append(out, `INSERT INTO t SELECT CASE WHEN i < 10 THEN i ELSE -i END, i, 'c' || i,
			CASE WHEN i < 10 THEN '2024-01-01'::timestamp ELSE '2023-01-01' END + i * interval '1 hour',
			CASE WHEN i < 10 THEN i ELSE i + 1000000 END FROM generate_series(1, 1001) i`,
		"INSERT INTO u SELECT i, i FROM generate_series(1, 9) i")
}

// randomLimitedQuery is a query that may read all of the table.
func randomLimitedQuery(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	condition := func() string {
		return pick("a = 3", "e = 8", "a > 30", "a BETWEEN 1 AND 900000", "e BETWEEN 1 AND 900000",
			`"B c" IN (SELECT e FROM u)`, `"B c" = 4`, `"B c" BETWEEN 2 AND 5`, "c = 'c7'", "c LIKE 'c1%'", "d = '2024-01-01 05:00'",
			"d > '2024-01-02'", "e = 6", "e IN (6, 7)", "e < 3", "e + 1 = 3", "e IS NULL", "date_trunc('day', d) = '2024-01-01'")
	}
	where := condition()
	for range r.IntN(3) {
		where += pick(" AND ", " AND ", " OR ") + condition()
	}
	switch r.IntN(6) {
	case 0:
		return "SELECT count(*) FROM t JOIN u USING (e) WHERE u.id = 4"
	case 1:
		return "SELECT * FROM t WHERE " + where + " ORDER BY d LIMIT 3"
	case 2:
		return "SELECT * FROM t ORDER BY " + pick("a", "d DESC", "e") + " LIMIT 3"
	case 3:
		return "SELECT /*+ IGNORE_INDEX(t, t_e_idx) */ * FROM t WHERE " + where
	}
	return pick("SELECT * FROM t WHERE ", "UPDATE t SET e = e WHERE ", "DELETE FROM t WHERE false AND ") + where
}

// follow runs a query and does what the HINTs of refusals say, each time another. It is how many it
// followed, or -1.
func follow(t *testing.T, p *player, query string) int {
	seen := map[string]bool{} // of each table
	for n := 0; ; n++ {
		_, err := p.conn.Exec(p.ctx, query).ReadAll()
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != "53400" {
			if err != nil {
				t.Errorf("%s: %v", query, err)
				return -1
			}
			return n
		}
		remedy := ""
		for _, re := range remedies {
			if m := re.FindStringSubmatch(e.Hint); m != nil {
				remedy = m[1]
			}
		}
		switch {
		case remedy == "" && strings.Contains(e.Hint, "INDEX"):
			t.Errorf("the hint names no statement: %s", e.Hint)
			return -1
		case remedy == "":
			return n
		case seen[e.Message]:
			t.Errorf("after its remedy it is refused still: %s\n%s", e.Message, e.Hint)
			return -1
		}
		seen[e.Message] = true
		had := definitions(t, p)
		p.takeAdvice()
		if _, err := p.conn.Exec(p.ctx, remedy).ReadAll(); err != nil {
			t.Errorf("%s: %v", remedy, err)
			return -1
		}
		for _, advice := range p.takeAdvice() {
			if strings.HasPrefix(advice.Hint, "DROP INDEX") {
				t.Errorf("%s\ngives advice: %s\n%s", remedy, advice.Message, advice.Hint)
				return -1
			}
		}
		if now := definitions(t, p); strings.HasPrefix(remedy, "CREATE") && len(slices.Compact(now)) != len(had)+1 {
			t.Errorf("%s makes an index that there is: %q", remedy, had)
			return -1
		}
	}
}

var indexName = regexp.MustCompile(`INDEX (?:"[^"]*"|\S+) ON`)

// definitions are those of all indexes, without their names, in order.
func definitions(t *testing.T, p *player) []string {
	t.Helper()
	results, err := p.conn.Exec(p.ctx, "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range results[0].Rows {
		out = append(out, indexName.ReplaceAllString(string(row[0]), "INDEX ON"))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
