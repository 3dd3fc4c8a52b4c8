package advice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/types"
)

// sampled is what is known when a column of texts has a sample, and so many different values.
func sampled(id uint32, distinct float64, texts ...string) Known {
	known := Known{Store: inOrder,
		Stats:   catalog.Stats{Rows: 1e5, Columns: map[uint32]catalog.ColumnStats{id: {Distinct: distinct}}},
		Samples: map[uint32][]types.Value{},
	}
	for _, s := range texts {
		known.Samples[id] = append(known.Samples[id], types.NewText(s))
	}
	return known
}

// TestCrowdedTexts holds how many texts have to be in one cell of an index.
func TestCrowdedTexts(t *testing.T) {
	table := made(t, "CREATE TABLE t (id int PRIMARY KEY, word text); CREATE INDEX z ON t USING zorder (id, word zorder_ops (bytes = 1)); CREATE INDEX zz ON t USING zorder (id, word zorder_ops (bytes = 8))")
	each := func(times int, letters string) (list []string) {
		for _, c := range letters {
			list = append(list, slices.Repeat([]string{string(c)}, times)...)
		}
		return list
	}
	last := func(list []string) (out []string) {
		for _, s := range list {
			out = append(out, "1234567"+s)
		}
		return out
	}
	for _, c := range []struct {
		name  string
		index int
		known Known
		want  string
	}{
		{"a quarter each", 0, sampled(2, 40, each(25, "abcd")...), "[01Z10]"},
		{"a little less than that", 0, sampled(2, 60, append(each(24, "abcd"), each(2, "ef")...)...), "[]"},
		{"few in the sample", 0, sampled(2, 40, each(99, "a")...), "[]"},
		{"not many times as many as cells", 0, sampled(2, 39, each(25, "abcd")...), "[]"},
		{"many cells", 0, sampled(2, 199, each(5, "abcdefghijklmnopqrst")...), "[]"},
		{"told apart by the last bit", 1, sampled(2, 35, last(each(25, "0123"))...), "[]"},
		{"told apart by no bit", 1, sampled(2, 40, last(each(25, "0123"))...), "[01Z10]"},
	} {
		if got := codes(table, &table.Indexes[c.index], c.known); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestLongDimensions judges dimensions that are longer than samples by the least and the greatest
// value.
func TestLongDimensions(t *testing.T) {
	text := func(s string) types.Value { return types.NewText(s) }
	for _, c := range []struct {
		bytes    int
		min, max types.Value
		distinct float64
		want     string
	}{
		{9, text("123456789a"), text("123456789b"), 10, "[01Z10]"},
		{9, text("123456789a"), text("123456789b"), 9, "[]"},
		{9, text("12345678a"), text("12345678b"), 1e4, "[]"},
		{9, text("1"), text("12345678b"), 1e4, "[]"},
		{9, types.Null, text("123456789"), 1e4, "[]"},
		{9, text("123456789"), types.Null, 1e4, "[]"},
		{8, text("123456789a"), text("123456789b"), 1e4, "[]"}, // of these a sample is known, or nothing
	} {
		table := made(t, fmt.Sprintf("CREATE TABLE t (id int PRIMARY KEY, word text); CREATE INDEX z ON t USING zorder (id, word zorder_ops (bytes = %d))", c.bytes))
		known := Known{Store: inOrder, Stats: catalog.Stats{Rows: 1e5,
			Columns: map[uint32]catalog.ColumnStats{2: {Min: c.min, Max: c.max, Distinct: c.distinct}}}}
		if got := codes(table, &table.Indexes[0], known); got != c.want {
			t.Errorf("%d bytes, %v to %v, %v values: %s, want %s", c.bytes, c.min, c.max, c.distinct, got, c.want)
		}
	}
}

// TestKindsOfText wants all types of any length to be judged as texts, and char(n), too.
func TestKindsOfText(t *testing.T) {
	for sql, want := range map[string]string{
		"text": "[01Z09]", "varchar": "[01Z09]", "varchar(8)": "[]", "varchar(9)": "[01Z09]", "char(8)": "[]", "char(9)": "[01Z09]", "bytea": "[01Z09]",
		"int": "[]", "uuid": "[]",
	} {
		table := made(t, "CREATE TABLE t (id int PRIMARY KEY, c "+sql+"); CREATE INDEX z ON t USING zorder (id, c)")
		if got := codes(table, &table.Indexes[0], Known{Store: inOrder}); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
		learns := Known{Store: inOrder, Samples: map[uint32][]types.Value{2: {types.NewText("a")}}}
		if got := codes(table, &table.Indexes[0], learns); got != "[]" {
			t.Errorf("%s of which something is learned: %s", sql, got)
		}
	}
}

// TestMended wants the hint to leave out what has a fault by its values, and to keep the others as
// they were declared, but for what the index has learned by itself.
func TestMended(t *testing.T) {
	table := made(t, `CREATE TABLE t (id int PRIMARY KEY, a int, b int, url text, name varchar(200), w text);
		CREATE INDEX z ON t USING zorder (a zorder_ops (bits = 20, map = 'raw'), url, b, w zorder_ops (map = 'raw')); CREATE INDEX zz ON t USING zorder (url, name); CREATE INDEX zzz ON t USING zorder (url)`)
	curve := table.Indexes[0].Layout.Sort[0].Curve
	curve[2].Bits, curve[2].AutoBits, curve[2].Map, curve[2].AutoMap, curve[2].Version = 32, true, catalog.MapQuantile,
		true, 1
	curve[3].Bits, curve[3].AutoBits, curve[3].Version = 64, true, 1
	known := sampled(4, 1e5, slices.Repeat([]string{"http://www."}, 100)...)
	known.Samples[5] = []types.Value{types.NewText("a")}
	want := []string{
		`index "z" of table "t" has "url" as a dimension of texts that begin alike, so that it hardly tells them apart (advice 01Z10)
DROP INDEX z; CREATE INDEX z ON t USING zorder (a zorder_ops (bits = 20, map = 'raw'), b, w zorder_ops (map = 'raw'))
`, `index "zz" of table "t" has "url" as a dimension of texts that begin alike, so that it hardly tells them apart (advice 01Z10)
DROP INDEX zz; CREATE INDEX zz ON t USING zorder (name)
`, `index "zzz" of table "t" has "url" as a dimension of texts that begin alike, so that it hardly tells them apart (advice 01Z10)
DROP INDEX zzz; CREATE INDEX zzz ON t (url)
`,
	}
	for i, want := range want {
		if got := shown(On(table, &table.Indexes[i], known)); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

// TestUneven holds how close together values of a dimension have to lie.
func TestUneven(t *testing.T) {
	// spread are codes in the parts that the first bits make, of each so many as its place in counts says,
	// in as many different ones of the part's 64.
	spread := func(counts ...int) (out []uint64) {
		for part, n := range counts {
			for i := range n {
				out = append(out, uint64(part)<<60+uint64(i%64)<<54)
			}
		}
		return out
	}
	evenly := func(n int) []uint64 { return spread(slices.Repeat([]int{n}, 16)...) }
	same := func(code uint64, n int) []uint64 { return slices.Repeat([]uint64{code << 40}, n) }
	table := made(t, "CREATE TABLE t (id int PRIMARY KEY, a bigint); CREATE INDEX z ON t USING zorder (id, a)")
	for _, c := range []struct {
		name   string
		bits   int
		sample []uint64
		want   string
	}{
		{"a quarter in one part", 32, spread(25, 15, 15, 15, 15, 15), "[01Z14]"},
		{"less than a quarter", 32, spread(24, 19, 19, 19, 19), "[]"},
		{"few in the sample", 32, spread(50, 49), "[]"},
		{"two frequent values in one part", 32, slices.Concat(evenly(37), same(1, 96), same(2, 96)), "[01Z14]"},
		{"two very frequent values", 32, slices.Concat(evenly(37), spread(0, 1, 1, 1, 1, 1, 1, 1, 1), same(1, 100), same(2, 100)), "[]"},
		{"few that are not frequent", 32, slices.Concat(spread(50, 49), same(1, 100)), "[]"},
		{"just enough that are not frequent", 32, slices.Concat(spread(50, 50), same(1, 100)), "[01Z14]"},
		{"of four bits", 4, spread(64, 64), "[01Z14]"},
		{"of three bits", 3, spread(64, 64), "[]"},
		{"of 64 bits", 64, spread(64, 64), "[01Z14]"},
		{"of more bits than are known", 65, spread(64, 64), "[]"},
	} {
		x := table.Indexes[0]
		x.Layout.Sort = []catalog.Part{{Kind: part.ZAddress, Curve: []catalog.Dimension{
			{Column: 1, Bits: 32, Map: catalog.MapRaw, Version: 1}, {Column: 2, Bits: c.bits, Map: catalog.MapQuantile, Version: 1},
		}}}
		known := Known{Store: inOrder, Stats: catalog.Stats{Rows: 1e6},
			Samples: map[uint32][]types.Value{2: coded(c.sample)},
			Anew:    map[uint32][]catalog.Dimension{x.ID: {{Column: 2}}}} // as even as can be
		got := On(table, &x, known)
		if codes := codes(table, &x, known); codes != c.want {
			t.Errorf("%s: %s, want %s", c.name, codes, c.want)
		}
		if len(got) > 0 && !strings.HasPrefix(got[0].Message,
			`index "z" of table "t" was built for other rows, so that it hardly distinguishes the present rows by "a" (`) {
			t.Errorf("%s: %s", c.name, got[0].Message)
		}
	}
}
