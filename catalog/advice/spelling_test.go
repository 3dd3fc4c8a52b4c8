package advice

import (
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/types"
)

// TestSpelling holds which values of a text make its key get advice, be they sampled or known from statistics.
func TestSpelling(t *testing.T) {
	table := made(t, "CREATE TABLE t (name text, n int, PRIMARY KEY (n, name)); CREATE INDEX z ON t USING zorder (name zorder_ops (bytes = 4), n)")
	for _, c := range []struct{ values, want string }{
		{"2016-02-01 2016-02-02", "[]"},
		{"2016-02-01 2016-W05-1", "[01Z16]"},
		{"2016-02-01T12:00:00 2016-032", "[01Z16]"},
		{"2016-W05-1 2016-W05-2", "[]"},
		{"2016-02-01 2016-W05-1 a b", "[]"},
		{"Zoe Anna", "[]"},
		{"Zoë Zoé", "[]"},
		{"Zoe\u0308 Zoe\u0301", "[]"},
		{"Zoë Zoe\u0301", "[01Z17]"},
		{"각 \u1100\u1161", "[01Z17]"},
	} {
		var values []types.Value
		for v := range strings.FieldsSeq(c.values) {
			values = append(values, types.NewText(v))
		}
		known := Known{Store: inOrder, Stats: catalog.Stats{Rows: 1e6, Columns: map[uint32]catalog.ColumnStats{
			1: {Min: values[0], Max: values[0], Histogram: values[1:], Distinct: 1e5}}}}
		if got := codes(table, nil, known); got != c.want {
			t.Errorf("%s, by statistics: %s, want %s", c.values, got, c.want)
		}
		known.Stats.Columns, known.Samples = nil, map[uint32][]types.Value{1: values}
		if got := codes(table, &table.Indexes[0], known); got != c.want {
			t.Errorf("%s, by a sample: %s, want %s", c.values, got, c.want)
		}
	}
}
