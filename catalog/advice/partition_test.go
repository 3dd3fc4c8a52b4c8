package advice

import (
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/store"
)

// TestGrowing wants numbers that have grown to be told of where a store has a hot end, and shards of them where it
// has none.
func TestGrowing(t *testing.T) {
	for _, c := range []struct {
		grown     float64
		known     Known
		want, why string
	}{
		{0.89, Known{Store: inOrder, Split: true}, "[]", ""},
		{0.9, Known{Store: inOrder, Split: true}, "[01Z04]", `begins with "a", whose new values are above all others`},
		{0.9, Known{Store: inOrder}, "[]", ""},
		{0.9, Known{Store: store.Capabilities{Units: true}}, "[]", ""},
	} {
		c.known.Stats = catalog.Stats{Known: true, Rows: 1e4, Columns: map[uint32]catalog.ColumnStats{
			1: {Distinct: 1e4, Grown: c.grown}}}
		if got := codes(table(), nil, c.known); got != c.want {
			t.Errorf("grown %v: %s, want %s", c.grown, got, c.want)
		}
		if got := shown(On(table(), nil, c.known)); !strings.Contains(got, c.why) {
			t.Errorf("grown %v: %s", c.grown, got)
		}
	}
	sharded := made(t, "CREATE TABLE t (a int PRIMARY KEY) WITH (shards = 16)")
	known := Known{Store: store.Capabilities{Units: true}, Stats: catalog.Stats{Known: true, Rows: 1e4,
		Columns: map[uint32]catalog.ColumnStats{sharded.Columns[0].ID: {Distinct: 1e4, Grown: 1}}}}
	if got := codes(sharded, nil, known); got != "[01Z18]" {
		t.Errorf("shards of what has grown: %s", got)
	}
}

// TestFollowing wants a column of a partition key that others decide to be told of, if enough rows show it.
func TestFollowing(t *testing.T) {
	for _, c := range []struct {
		sql   string
		rows  int
		share float64
		want  string
	}{
		{"PARTITION BY HASH (a, b)", 100, 0.99, "[01Z19]"},
		{"PARTITION BY HASH (a, b)", 99, 1, "[]"},
		{"PARTITION BY HASH (a, b)", 1000, 0.98, "[]"},
		{"PARTITION BY HASH (a)", 1000, 1, "[]"},
		{"WITH (partition_key = '{a:06},{b}')", 100, 1, "[01Z19]"},
	} {
		table := made(t, "CREATE TABLE t (a int, b text, c int, PRIMARY KEY (a, b, c)) "+c.sql)
		known := Known{Store: store.Capabilities{Units: true},
			Follows: func(uint32, []uint32) (int, float64) { return c.rows, c.share }}
		if got := codes(table, nil, known); got != c.want {
			t.Errorf("%s, %d rows: %s, want %s", c.sql, c.rows, got, c.want)
		}
	}
}

// TestNewest wants a descending time where a key is mostly read backward, of any index.
func TestNewest(t *testing.T) {
	for _, c := range []struct {
		columns           string
		reversed, forward int64
		want              string
	}{
		{"who, at", 100, 99, "ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (who, at DESC, n)"},
		{"who, at", 100, 100, ""},
		{"who, at", 99, 0, ""},
		{"who, at DESC", 1000, 0, ""},
	} {
		table := made(t, "CREATE TABLE t (who int, at timestamp, n int, PRIMARY KEY ("+c.columns+", n))")
		known := Known{Store: inOrder, Split: true,
			Newest: func(uint32) (int64, int64) { return c.reversed, c.forward }}
		hint := ""
		for _, n := range On(table, nil, known) {
			hint += n.Hint
		}
		if hint != c.want {
			t.Errorf("%s, %d backward and %d forward: %q, want %q", c.columns, c.reversed, c.forward, hint, c.want)
		}
	}
}
