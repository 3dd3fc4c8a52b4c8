package advice

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// table has a key (a, b) and the columns flag, u and text; a is column 1.
func table() *catalog.Table {
	return &catalog.Table{
		Schema: "public", Name: "t", PrimaryKey: "t_pkey",
		Columns: []catalog.Column{
			{ID: 1, Name: "a", Type: types.Int4}, {ID: 2, Name: "b", Type: types.Int4}, {ID: 3, Name: "flag", Type: types.Bool},
			{ID: 4, Name: "u", Type: types.UUID}, {ID: 5, Name: "word", Type: types.Text},
		},
		Primary: catalog.Layout{Partition: []catalog.Part{{Column: 1}}, Sort: []catalog.Part{{Column: 2}},
			Unique: true},
	}
}

// codes are those of the advice on a key.
func codes(t *catalog.Table, x *catalog.Index, known Known) string {
	var out []sqlerr.Code
	for _, n := range On(t, x, known) {
		out = append(out, n.Code)
	}
	return fmt.Sprint(out)
}

// TestLargePartition holds what is large: 10 GB of one value, by the estimated size of a row.
func TestLargePartition(t *testing.T) {
	metered := Known{Store: store.Capabilities{Units: true}}
	for _, c := range []struct {
		share     float64 // of 12 GB, or how many times as many
		shards    int     // that the value has
		want, ddl string
	}{
		{0.5, 1, "[]", ""}, {0.9, 1, "[01Z21]", `{"7": 4}`}, {0, 1, "[]", ""},
		{0.9, 2, "[]", ""}, {9, 2, "[01Z21]", `{"7": 24}`}, {9, 20, "[]", ""},
	} {
		of := table()
		if c.shards > 1 {
			heavy := of.Primary.Heavy()
			heavy.SetHeavy(types.NewInt(7), c.shards)
			of.Primary.Partition = append(of.Primary.Partition, *heavy)
		}
		known := metered
		rows := 12 * float64(1<<30) / of.EntryBytes(nil)
		known.Stats = catalog.Stats{Known: true, Rows: rows, Columns: map[uint32]catalog.ColumnStats{
			1: {Distinct: 1000, Common: []catalog.Common{{Value: types.NewInt(7), Share: c.share}}}}}
		if got := codes(of, nil, known); got != c.want {
			t.Errorf("with a share of %g there is %s, want %s", c.share, got, c.want)
		}
		if ddl := "ALTER TABLE t SET (heavy_keys = '" + c.ddl + "')"; c.ddl != "" {
			if hint := On(of, nil, known)[0].Hint; !strings.Contains(hint, ddl) {
				t.Errorf("with a share of %g there is %q, want %q", c.share, hint, ddl)
			}
		}
		known.Store = inOrder
		if got := codes(of, nil, known); got != "[]" {
			t.Errorf("where partitions have no limit there is %s", got)
		}
	}
}

// TestFewPartitions holds how few values are few, and how many rows there must be.
func TestFewPartitions(t *testing.T) {
	for _, c := range []struct {
		partition  []uint32
		a, b, rows float64
		want       string
	}{
		{[]uint32{1}, 32, 0, 3200, "[01Z05]"},
		{[]uint32{1}, 1, 0, 100, "[01Z05]"},
		{[]uint32{1}, 33, 0, 1e6, "[]"},
		{[]uint32{1}, 32, 0, 3199, "[]"},
		{[]uint32{1}, 0, 0, 1e6, "[]"}, // nothing is known
		{[]uint32{1, 2}, 4, 8, 1e6, "[01Z05]"},
		{[]uint32{1, 2}, 4, 9, 1e6, "[]"},
		{[]uint32{3}, 0, 0, 0, "[01Z05]"},
		{[]uint32{3, 1}, 16, 0, 1e6, "[01Z05]"},
		{[]uint32{3, 1}, 17, 0, 1e6, "[]"},
		{[]uint32{3, 1}, 0, 0, 0, "[]"},
	} {
		table := table()
		table.Primary.Partition = nil
		for _, id := range c.partition {
			table.Primary.Partition = append(table.Primary.Partition, catalog.Part{Column: id})
		}
		known := Known{Stats: catalog.Stats{Known: true, Rows: c.rows, Columns: map[uint32]catalog.ColumnStats{
			1: {Distinct: c.a}, 2: {Distinct: c.b},
		}}}
		if got := codes(table, nil, known); got != c.want {
			t.Errorf("partition %v of %v and %v values in %v rows: %s, want %s", c.partition, c.a, c.b, c.rows, got,
				c.want)
		}
	}
}

// TestHowFew wants the sentence to say how few they are.
func TestHowFew(t *testing.T) {
	for n, want := range map[float64]string{1: "there is one (advice 01Z05)", 2: "there are at most 2 (advice 01Z05)"} {
		if got := On(table(), nil, Known{Declared: map[uint32]float64{1: n}})[0].Message; !strings.HasSuffix(got,
			want) {
			t.Errorf("%v values: %s", n, got)
		}
	}
}

// TestDeclaredValues holds how conditions count: what they allow, if it is few, else what is there.
func TestDeclaredValues(t *testing.T) {
	for _, c := range []struct {
		declared, distinct, rows float64
		want                     string
	}{
		{0, 0, 0, "[]"},
		{1, 0, 0, "[01Z05]"},
		{32, 0, 0, "[01Z05]"},
		{33, 0, 0, "[]"},
		{32, 3, 1e6, "[01Z05]"},
		{33, 3, 1e6, "[01Z05]"},
		{33, 3, 299, "[]"},
		{3, 33, 1e6, "[01Z05]"}, // of which some are old
	} {
		known := Known{
			Stats:    catalog.Stats{Rows: c.rows, Columns: map[uint32]catalog.ColumnStats{1: {Distinct: c.distinct}}},
			Declared: map[uint32]float64{1: c.declared},
		}
		if got := codes(table(), nil, known); got != c.want {
			t.Errorf("%v declared, %v in %v rows: %s, want %s", c.declared, c.distinct, c.rows, got, c.want)
		}
	}
}

// TestShardedByClients holds what is taken for the number of a shard that clients compute.
func TestShardedByClients(t *testing.T) {
	const ten = "CREATE TABLE t (a int, at timestamp, b int, PRIMARY KEY (a, at, b))"
	even := []catalog.Common{{Share: 0.12}, {Share: 0.15}}
	for _, c := range []struct {
		sql                string
		min, max, distinct float64
		common             []catalog.Common
		want               string
	}{
		{ten, 0, 9, 10, even, "[]"},
		{ten, 1, 10, 10, even, "[]"},
		{ten, 0, 9, 10, nil, "[]"},
		{ten, 2, 11, 10, nil, "[01Z05]"},
		{ten, -1, 8, 10, nil, "[01Z05]"},
		{ten, 0, 10, 10, nil, "[01Z05]"},
		{ten, 0, 8, 10, nil, "[01Z05]"},
		{ten, 1, 9, 10, nil, "[01Z05]"},
		{ten, 0, 9, 10, []catalog.Common{{Share: 0.12}, {Share: 0.16}}, "[01Z05]"},
		{ten, 0, 3, 4, []catalog.Common{{Share: 0.37}}, "[]"},
		{ten, 0, 3, 4, []catalog.Common{{Share: 0.38}}, "[01Z05]"},
		{"CREATE TABLE t (a int, at timestamp, PRIMARY KEY (a, at))", 0, 9, 10, nil, "[]"},
		{"CREATE TABLE t (a int, id serial, b int, PRIMARY KEY (a, id, b))", 0, 9, 10, nil, "[]"},
		{"CREATE TABLE t (a int, b int, at timestamp, PRIMARY KEY (a, b, at))", 0, 9, 10, nil, "[01Z05]"},
		{"CREATE TABLE t (a int, at timestamp, b int, PRIMARY KEY (a, at, b)) PARTITION BY HASH (a, b)", 0, 9, 10, nil, "[]"},
		{"CREATE TABLE t (a int, at timestamp, ok bool, PRIMARY KEY (a, at, ok)) PARTITION BY HASH (a, ok)", 0, 9, 10, nil, "[01Z05]"},
		{"CREATE TABLE t (a int, b int, at timestamp, PRIMARY KEY (a, at, b)) PARTITION BY HASH (a, date_trunc('day', at))", 0, 9, 10, nil, "[]"},
	} {
		table := made(t, c.sql)
		known := Known{Stats: catalog.Stats{Rows: 1e6, Columns: map[uint32]catalog.ColumnStats{
			1: {Min: types.NewInt(int64(c.min)), Max: types.NewInt(int64(c.max)), Distinct: c.distinct, Common: c.common},
		}}}
		if got := codes(table, nil, known); got != c.want {
			t.Errorf("%s with %v to %v, %v of them: %s, want %s", c.sql, c.min, c.max, c.distinct, got, c.want)
		}
	}
	unknown := Known{Declared: map[uint32]float64{1: 4}}
	if got := codes(made(t, ten), nil, unknown); got != "[]" {
		t.Errorf("of which nothing is known: %s", got)
	}
	if got := codes(made(t, "CREATE TABLE t (a text, at timestamp, PRIMARY KEY (a, at))"), nil,
		unknown); got != "[01Z05]" {
		t.Errorf("texts: %s", got)
	}
	if got := codes(made(t, "CREATE TABLE t (a int PRIMARY KEY, at timestamp)"), nil, unknown); got != "[01Z05]" {
		t.Errorf("nothing behind: %s", got)
	}
}

// TestDimensionsOfTwoValues holds that values, too, make a dimension one of two.
func TestDimensionsOfTwoValues(t *testing.T) {
	table := made(t, "CREATE TABLE t (id int PRIMARY KEY, a int, b int, c int); CREATE INDEX z ON t USING zorder (a, b, c)")
	for _, c := range []struct {
		distinct float64
		want     string
	}{{0, "[]"}, {1, "[01Z08]"}, {2, "[01Z08]"}, {3, "[]"}} {
		known := Known{Store: inOrder, Stats: catalog.Stats{Rows: 1e6,
			Columns: map[uint32]catalog.ColumnStats{2: {Distinct: c.distinct}}}}
		if got := codes(table, &table.Indexes[0], known); got != c.want {
			t.Errorf("%v values: %s, want %s", c.distinct, got, c.want)
		}
	}
}

// TestHashOfValues wants values to tell that a uuid is random, and no more of other types.
func TestHashOfValues(t *testing.T) {
	for sql, want := range map[string]string{
		"uuid": "[01Z06] which spreads by itself (advice", "text": "[]", "int": "[]",
		"text DEFAULT gen_random_uuid()::text": "[01Z06] which spreads by itself (advice", "uuid DEFAULT uuidv7()": "[]",
	} {
		table := made(t, "CREATE TABLE t (id "+sql+" PRIMARY KEY) WITH (partition_key = '{md5(id):4}{id}')")
		known := Known{Store: inOrder, Stats: catalog.Stats{Rows: 1e6,
			Columns: map[uint32]catalog.ColumnStats{1: {Min: types.NewText("a"), Max: types.NewText("b"),
				Distinct: 1e6}}}}
		got := codes(table, nil, known)
		if list := On(table, nil, known); len(list) > 0 {
			_, why, _ := strings.Cut(list[0].Message, ", ")
			got += " " + why[:min(len(why), len("which spreads by itself (advice"))]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestRandomShards wants shards not to be taken for few values.
func TestRandomShards(t *testing.T) {
	table := table()
	table.Primary.Partition = []catalog.Part{{Column: 2, Count: 10}}
	known := Known{Store: inOrder, Stats: catalog.Stats{Known: true, Rows: 1e6,
		Columns: map[uint32]catalog.ColumnStats{2: {Distinct: 10}}}}
	if got := codes(table, nil, known); got != "[]" {
		t.Error(got)
	}
}

// TestReordered wants the hint to begin with a column that is not known to be worse.
func TestReordered(t *testing.T) {
	table := table()
	table.Columns[0].Type = types.Date
	table.Primary.Sort = []catalog.Part{{Column: 2, Desc: true}, {Column: 5}}
	for _, c := range []struct {
		distinct float64
		want     string
	}{
		{1, "ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (word, a, b DESC)"},
		{32, "ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (word, a, b DESC)"},
		{33, "ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (b DESC, a, word)"},
	} {
		known := Known{Stats: catalog.Stats{Known: true, Rows: 1e6,
			Columns: map[uint32]catalog.ColumnStats{2: {Distinct: c.distinct}}}}
		if got := On(table, nil, known)[0].Hint; got != c.want {
			t.Errorf("of %v values: %s, want %s", c.distinct, got, c.want)
		}
	}
}

// TestUUIDVersions holds which versions are in the order of time, and that both the least
// and the greatest value must be.
func TestUUIDVersions(t *testing.T) {
	for _, c := range []struct{ low, high, want string }{
		{"018f0000-0000-7000-8000-000000000001", "018f0000-0000-7000-8000-000000000002", "[01Z03]"},
		{"00000000-0000-1000-8000-000000000001", "018f0000-0000-1000-bfff-000000000002", "[01Z03]"},
		{"018f0000-0000-6000-9000-000000000001", "018f0000-0000-6000-a000-000000000002", "[01Z03]"},
		{"00000000-0000-1000-8000-000000000001", "018f0000-0000-7000-8000-000000000002", "[]"},
		{"018f0000-0000-4000-8000-000000000001", "018f0000-0000-7000-8000-000000000002", "[]"},
		{"018f0000-0000-7000-8000-000000000001", "018f0000-0000-4000-8000-000000000002", "[]"},
		{"018f0000-0000-7000-0000-000000000001", "018f0000-0000-7000-8000-000000000002", "[]"}, // of another variant
		{"018f0000-0000-2000-8000-000000000001", "018f0000-0000-5000-8000-000000000002", "[]"},
	} {
		table := table()
		table.Primary.Partition = []catalog.Part{{Column: 4}}
		known := Known{Store: inOrder, Split: true, Stats: catalog.Stats{Known: true, Rows: 2,
			Columns: map[uint32]catalog.ColumnStats{
				4: {Min: value(t, c.low, types.UUID), Max: value(t, c.high, types.UUID), Distinct: 2},
			}}}
		notices := On(table, nil, known)
		if got := codes(table, nil, known); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.low, c.high, got, c.want)
		}
		if len(notices) > 0 &&
			notices[0].Hint != "ALTER TABLE t DROP CONSTRAINT t_pkey, SET (shards = 16), ADD PRIMARY KEY (u, b)" {
			t.Errorf("uuids that others make: %s", notices[0].Hint)
		}
		if got := codes(table, nil, Known{}); got != "[]" {
			t.Errorf("without values: %s", got)
		}
	}
}

func value(t *testing.T, text string, typ types.T) types.Value {
	t.Helper()
	v, err := types.ParseText(text, typ, &types.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTextsBeginAlike holds when a dimension is said to hardly tell its texts apart.
func TestTextsBeginAlike(t *testing.T) {
	urls := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("http%s://www.%d.example", map[bool]string{true: "s"}[i%2 == 0], i))
		}
		return list
	}
	words := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("%04d", i))
		}
		return list
	}
	countries := func(n int) (list []string) {
		for i := range n {
			list = append(list, []string{"Switzerland", "Liechtenstein"}[i%2])
		}
		return list
	}
	letters := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("%c%04d", 'a'+i%26, i))
		}
		return list
	}
	for _, c := range []struct {
		name     string
		texts    []string
		bytes    int
		want     string
		byValues int
	}{
		{"addresses", urls(200), 4, "[01Z10]", 1},
		{"addresses of two kinds", urls(200), 8, "[01Z10]", 1},
		{"addresses and a few others", append(urls(200), words(10)...), 4, "[01Z10]", 1},
		{"addresses in few rows", urls(99), 4, "[]", 0},
		{"addresses by more than their beginning", urls(200), 16, "[]", 0},
		{"words", words(1000), 4, "[]", 0},
		{"the first letter of words", words(1000), 1, "[01Z10]", 1}, // all below 1000
		{"letters", letters(1040), 1, "[]", 0},
		{"words without a width", words(1000), 0, "[]", 0},
		{"addresses without a width", urls(200), 0, "[01Z10]", 1},
		{"few values", countries(1000), 4, "[01Z08]", 1},
	} {
		table := table()
		x := &catalog.Index{Name: "z", Method: catalog.ZOrder, Layout: catalog.Layout{
			Sort: []catalog.Part{{Kind: part.ZAddress,
				Curve: []catalog.Dimension{{Column: 5, Bits: 8 * c.bytes}, {Column: 1}}}},
		}}
		known := Known{Store: inOrder, Stats: catalog.Stats{Rows: float64(len(c.texts))},
			Samples: map[uint32][]types.Value{}}
		low, high, distinct := c.texts[0], c.texts[0], map[string]bool{}
		for _, s := range c.texts {
			low, high, distinct[s] = min(low, s), max(high, s), true
			known.Samples[5] = append(known.Samples[5], types.NewText(s))
		}
		known.Stats.Columns = map[uint32]catalog.ColumnStats{5: {Min: types.NewText(low), Max: types.NewText(high),
			Distinct: float64(len(distinct))}}
		if got := codes(table, x, known); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got := len(ByValues(table, x, known)); got != c.byValues {
			t.Errorf("%s: %d by the values, want %d", c.name, got, c.byValues)
		}
	}
}

// TestMapsOfOtherRows holds when the maps of an index are said not to fit the rows any more.
func TestMapsOfOtherRows(t *testing.T) {
	learned := zorder.Quantiles(series(0, 1000), 257).Grown(0, math.MaxUint64).Knots
	heavy := append(slices.Repeat([]uint64{keys.Code(types.NewInt(7), types.Int4)}, 900), series(0, 1000)...)
	var spread []uint64
	for i := range uint64(1000) {
		spread = append(spread, i<<54)
	}
	raw := catalog.Dimension{Column: 1, Bits: 32, Map: catalog.MapRaw, Version: 1}
	auto, quantile, fresh := raw, raw, raw
	auto.AutoMap, auto.AutoBits, fresh.Version = true, true, 0
	quantile.Map, quantile.Knots = catalog.MapQuantile, learned
	unlearned := quantile
	unlearned.Knots = nil
	for _, c := range []struct {
		name   string
		d      catalog.Dimension
		sample []uint64
		rows   float64
		want   string
	}{
		{"nothing learned", auto, series(0, 1000), 1000, "[01Z14]"},
		{"few rows", auto, series(0, 1000), 999, "[]"},
		{"few in the sample", auto, series(0, 99), 1e6, "[]"},
		{"raw as asked for", raw, series(0, 1000), 1e6, "[]"},
		{"not learned as asked for", unlearned, series(0, 1000), 1e6, "[01Z14]"},
		{"not built", fresh, series(0, 1000), 1e6, "[]"},
		{"spread by itself", auto, spread, 1e6, "[]"},
		{"learned", quantile, series(0, 1000), 1e6, "[]"},
		{"grown by a quarter", quantile, series(0, 1250), 1e6, "[]"},
		{"grown by twice", quantile, series(0, 2000), 1e6, "[01Z14]"},
		{"one value", auto, slices.Repeat([]uint64{1 << 63}, 1000), 1e6, "[]"},
		{"a frequent value beside learned ones", quantile, heavy, 1e6, "[]"},
		{"a frequent value beside others", auto, heavy, 1e6, "[01Z14]"},
	} {
		table := bigTable()
		x := &catalog.Index{Name: "z", Method: catalog.ZOrder, Layout: catalog.Layout{
			Sort: []catalog.Part{{Kind: part.ZAddress,
				Curve: []catalog.Dimension{c.d, {Column: 2, Bits: 8, Map: catalog.MapRaw, Version: 1}}}},
		}}
		known := Known{Store: inOrder, Stats: catalog.Stats{Known: true, Rows: c.rows},
			Samples: map[uint32][]types.Value{1: coded(c.sample)},
			Anew:    anew(c.d, c.sample)}
		if got := codes(table, x, known); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	table := bigTable()
	table.Schema = "S"
	x := &catalog.Index{Name: "Z", Method: catalog.ZOrder,
		Layout: catalog.Layout{Sort: []catalog.Part{{Kind: part.ZAddress, Curve: []catalog.Dimension{auto}}}}}
	n := On(table, x, Known{Store: inOrder, Stats: catalog.Stats{Rows: 1e6},
		Samples: map[uint32][]types.Value{1: coded(series(0, 1000))},
		Anew:    anew(auto, series(0, 1000))})
	if len(n) != 1 || n[0].Hint != `REINDEX INDEX "S"."Z"` {
		t.Errorf("advice %v", n)
	}
}

// anew is the dimension that an index with ID 0 has when it is built for a sample.
func anew(d catalog.Dimension, sample []uint64) map[uint32][]catalog.Dimension {
	if d.Map != catalog.MapRaw || d.AutoMap {
		d.Knots = zorder.Quantiles(sample, 257).Grown(0, math.MaxUint64).Knots
	}
	return map[uint32][]catalog.Dimension{0: {d}}
}

// TestBuiltAnew wants nothing to be said of an index that was just built for the rows that are there,
// however these lie.
func TestBuiltAnew(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for range 2000 {
		var sample []uint64
		for range 1 + r.IntN(5) { // heaps, some of them of one value
			center, width, n := r.Uint64(), uint64(1)<<r.IntN(64), 1<<r.IntN(11)
			for range n {
				sample = append(sample, center+r.Uint64N(width))
			}
		}
		d := catalog.Dimension{Column: 1, Bits: 4 + r.IntN(61), Map: catalog.MapQuantile, AutoMap: true, Version: 2}
		known := Known{Store: inOrder, Stats: catalog.Stats{Known: true, Rows: 1e6},
			Samples: map[uint32][]types.Value{1: coded(sample)},
			Anew:    anew(d, sample)}
		x := &catalog.Index{Name: "z", Method: catalog.ZOrder, Layout: catalog.Layout{
			Sort: []catalog.Part{{Kind: part.ZAddress, Curve: known.Anew[0]}},
		}}
		if got := codes(bigTable(), x, known); got != "[]" {
			t.Fatalf("%s of %d values", got, len(sample))
		}
	}
}

// bigTable is table with an a that has a value for each code.
func bigTable() *catalog.Table {
	t := table()
	t.Columns[0].Type = types.Int8
	return t
}

// coded are the values of a bigint that have such codes.
func coded(codes []uint64) []types.Value {
	out := make([]types.Value, len(codes))
	for i, c := range codes {
		out[i] = types.NewInt(int64(c ^ 1<<63))
	}
	return out
}

// series are codes of n integers from one on.
func series(from int64, n int) (out []uint64) {
	for i := range n {
		out = append(out, keys.Code(types.NewInt(from+int64(i)), types.Int4))
	}
	return out
}
