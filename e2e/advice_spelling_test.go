package e2e

import "testing"

// spelledTable has texts as keys, which spelledRows write in several ways.
const (
	spelledTable = "CREATE TABLE t (day text, name text, n int, PRIMARY KEY (day, n)); " +
		"CREATE INDEX i ON t USING zorder (name zorder_ops (bytes = 8), n)"
	spelledRows = `SELECT CASE n % 3 WHEN 0 THEN '2016-02-01' WHEN 1 THEN '2016-W05-1' ELSE '2016-032' END,
		normalize('Zoë' || n, NFD), n FROM generate_series(1, 499, 2) AS n UNION ALL
		SELECT '2016-02-02', 'Zoë' || n, n FROM generate_series(2, 500, 2) AS n`
)

// TestSpellingAsAdvised follows the hints about texts that are written in several ways: the rows mean what they did, in
// one way of writing, and nothing is left to be said.
func TestSpellingAsAdvised(t *testing.T) {
	p := newPlayer(t, openDB(t, onPebble).url()+adviceOn)
	p.must(t, spelledTable)
	if _, err := p.fill("t", "", spelledRows); err != nil {
		t.Fatal(err)
	}
	p.must(t, "ANALYZE t")
	advice := p.takeAdvice()
	if len(advice) != 2 || advice[0].Code != "01Z16" || advice[1].Code != "01Z17" {
		t.Fatalf("advice %v", advice)
	}
	for _, n := range advice {
		p.must(t, n.Hint)
	}
	p.must(t, "ANALYZE t")
	if left := p.takeAdvice(); len(left) > 0 {
		t.Errorf("still advised: %s", left[0].Message)
	}
	results, err := p.conn.Exec(p.ctx,
		"SELECT day, count(*), bool_and(name IS NORMALIZED) FROM t GROUP BY day ORDER BY day").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := "day text | count bigint | bool_and boolean\n2016-02-01 | 250 | t\n2016-02-02 | 250 | t\nSELECT 2\n"
	if got := p.table(results[0], false); got != want {
		t.Errorf("rows:\n%s\nwant:\n%s", got, want)
	}
}
