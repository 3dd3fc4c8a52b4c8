package dynamostore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/encoding/span"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
	"zproxy/types/interval"
)

// filtered are types of columns, with values that are encoded in different ways.
var filtered = []struct {
	t     types.T
	texts []string
}{
	{types.Bool, []string{"true", "false"}},
	{types.Int2, []string{"0", "-7", "12", "32767"}},
	{types.Int8, []string{"0", "-9223372036854775808", "9223372036854775807", "9007199254740993"}},
	{types.Float4, []string{"0", "-0", "0.1", "0.3", "16777216", "NaN", "Infinity", "-1e-30", "3.4e38"}},
	{types.Float8, []string{"0", "-0", "0.1", "0.30000000000000004", "NaN", "-Infinity", "1e-300", "1e300", "-2.5"}},
	{types.Numeric, []string{"0", "0.00", "1.10", "1.1", "NaN", "Infinity", "-3", "1e130", "12345678901234567890123456789012345678901", "100"}},
	{numeric(20, 4), []string{"0", "1.1", "1.1001", "-5", "1234567890123456.7891"}},
	{types.Text, []string{"", "a", "ab", "abc", "b", "é", "\x7f", "a\u00ff", "z{"}},
	{types.Varchar, []string{"", "x", "xy", "y"}},
	{types.Bytea, []string{`\x`, `\x00`, `\x0001`, `\xff`, `\xff00`}},
	{types.Date, []string{"2024-02-29", "0001-01-01", "9999-12-31", "10000-01-01", "12345-06-07", "0044-03-15 BC", "infinity", "-infinity", "1000-01-01"}},
	{types.Timestamp, []string{"2024-02-29 12:30:00", "2024-02-29 12:30:00.5", "2024-02-29 12:30:00.55", "10000-01-01 00:00:00", "4713-01-01 00:00:00 BC", "infinity", "-infinity"}},
	{types.Timestamptz, []string{"2024-02-29 12:30:00+00", "2024-02-29 12:30:00.5+00", "2024-02-29 12:30:01+00", "20000-01-01 00:00:00+00", "0001-01-01 00:00:00+00 BC", "infinity"}},
	{types.UUID, []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12"}},
	{types.Time, []string{"00:00:00", "12:30:00", "12:30:00.25", "24:00:00"}},
	{types.Timetz, []string{"00:00:00+00", "12:30:00+02", "12:30:00-02"}},
	{types.Interval, []string{"1 day", "24 hours", "-1 mon"}},
	{types.Of(types.OIDBpchar), []string{"a", "a ", "ab"}},
	{types.Of(types.OIDChar), []string{"a", "b", ""}},
	{types.Of(types.OIDInet), []string{"10.0.0.1", "10.0.0.0/8", "9.0.0.1", "::1"}},
	{types.JSONB, []string{"1", `"a"`, `{"a": 1}`, "[]", "null"}},
	{arrayOf(types.Int4), []string{"{}", "{1}", "{1,NULL}"}},
}

// pool is values of a type, and NULL.
func pool(t *testing.T, r *rand.Rand, i int) []types.Value {
	t.Helper()
	list := []types.Value{types.Null}
	for _, text := range filtered[i].texts {
		v, err := types.ParseText(text, filtered[i].t, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	switch filtered[i].t.OID {
	case types.OIDBpchar, types.OIDTimetz, types.OIDInterval, types.OIDChar, types.OIDInet, types.OIDJSONB,
		arrayOf(types.Int4).OID, types.OIDTime:
		return list
	}
	for range 5 {
		list = append(list, randomValue(t, r, filtered[i].t))
	}
	return list
}

// randomSet is a set of which values of a pool, or of others near by, are the ends.
func randomSet(r *rand.Rand, values []types.Value) span.Set {
	value := func() types.Value { return values[1+r.IntN(len(values)-1)] }
	switch r.IntN(9) {
	case 0:
		return span.Points(value(), value(), value())
	case 1:
		return span.OnlyNull
	case 2:
		return span.NotNull
	case 3:
		return span.Points(value()).Complement()
	case 4:
		if v := value(); v.Kind() == types.KindText {
			return span.Of(span.Prefix(v.Text()))
		}
		return span.Points(value())
	case 5:
		return randomSet(r, values).Union(randomSet(r, values))
	}
	i := span.Interval{LowOpen: r.IntN(2) == 0, HighOpen: r.IntN(2) == 0}
	if r.IntN(3) > 0 {
		i.Low = value()
	}
	if r.IntN(3) > 0 {
		i.High = value()
	}
	return span.Of(i)
}

// TestFiltersLoseNothing compares what DynamoDB leaves out with what it may, for values of all types.
func TestFiltersLoseNothing(t *testing.T) {
	t.Run("fake", func(t *testing.T) {
		checkFilters(t, openOn(t, dynamofake.New(dynamofake.Options{PageItems: 50}), ""), 200)
	})
	t.Run("local", func(t *testing.T) { checkFilters(t, open(t), 60) })
}

func checkFilters(t *testing.T, s *Store, rounds int) {
	r := newRand(t)
	sp := &store.Space{ID: 1, Name: "filters", Sorted: true}
	var pools [][]types.Value
	for i, f := range filtered {
		pools = append(pools, pool(t, r, i))
		c := store.Column{ID: uint32(i), Name: fmt.Sprint("c", i), Type: f.t}
		if i%2 == 0 { // items without it have some other value than NULL
			c.Missing = pools[i][1]
		}
		sp.Columns = append(sp.Columns, c)
	}
	loadFiltered(t, s, sp, pools, r)
	before := *sp
	before.Columns = nil
	putFiltered(t, s, &before, 20, func(int) types.Value { return types.Null })
	all := scannedRows(t, s, sp, nil)
	left, could := 0, 0
	for range rounds {
		var tests []store.Test
		for range 1 + r.IntN(3) {
			c := r.IntN(len(filtered))
			if set := randomSet(r, pools[c]); !set.Empty() && !set.IsEverything() {
				tests = append(tests, store.Test{Column: c, Set: set})
			}
		}
		got := scannedRows(t, s, sp, tests)
		for key, row := range all {
			may := passesAll(row, tests)
			if _, ok := got[key]; !ok && may {
				t.Fatalf("%s is lost by %s: %+v", key, *newFilter(sp, tests).expression, tests)
			}
			if !may {
				could++
			}
		}
		left += len(all) - len(got)
	}
	t.Logf("%d of %d items that could be left out were", left, could)
	if float64(left) < 0.6*float64(could) {
		t.Errorf("only %d of %d items that could be left out were", left, could)
	}
}

func passesAll(row types.Row, tests []store.Test) bool {
	for _, test := range tests {
		if !test.Set.Contains(row[test.Column]) {
			return false
		}
	}
	return true
}

func loadFiltered(t *testing.T, s *Store, sp *store.Space, pools [][]types.Value, r *rand.Rand) {
	t.Helper()
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Drop(t.Context(), sp) })
	putFiltered(t, s, sp, 120, func(c int) types.Value { return pools[c][r.IntN(len(pools[c]))] })
}

func putFiltered(t *testing.T, s *Store, sp *store.Space, n int, value func(column int) types.Value) {
	t.Helper()
	tx, err := s.Begin(t.Context(), store.Mode{Bulk: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		it := store.Item{Key: store.Key{Partition: []byte("p"), Sort: fmt.Appendf(nil, "%d %d", len(sp.Columns), i)}}
		for c := range sp.Columns {
			it.Values = append(it.Values, value(c))
		}
		if err := tx.Put(sp, it, store.Always); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// scannedRows are the rows of a scan by their keys, which is of one partition or of all.
func scannedRows(t *testing.T, s *Store, sp *store.Space, tests []store.Test) map[string]types.Row {
	t.Helper()
	tx := begin(t, s)
	rows := map[string]types.Row{}
	ask := store.Scan{Filter: tests, Stats: &store.Stats{}}
	for c := range sp.Columns {
		ask.Columns = append(ask.Columns, c)
	}
	if len(tests)%2 == 1 {
		ask.Range.Partition = []byte("p")
	}
	var keys []string
	ask.Keys = func(k store.Key) { keys = append(keys, string(k.Sort)) }
	for batch, err := range tx.Scan(t.Context(), sp, &ask) {
		if err != nil {
			if f := newFilter(sp, tests); f.expression != nil {
				t.Logf("%s", *f.expression)
			}
			t.Fatal(err)
		}
		for i := range batch.Len() {
			rows[keys[i]] = append(types.Row{}, batch.Row(i)...)
		}
		keys = keys[batch.Len():]
	}
	if got := int64(len(rows)); ask.Stats.Items != got || ask.Stats.Examined != got+ask.Stats.Filtered {
		t.Fatalf("%+v for %d rows", *ask.Stats, got)
	}
	return rows
}

// TestFilterTexts shows what is said of tests.
func TestFilterTexts(t *testing.T) {
	value := func(t types.T, text string) types.Value {
		v, err := types.ParseText(text, t, nil)
		if err != nil {
			panic(err)
		}
		return v
	}
	between := func(t types.T, low, high string) span.Set {
		i := span.Interval{HighOpen: true}
		if low != "" {
			i.Low = value(t, low)
		}
		if high != "" {
			i.High = value(t, high)
		}
		return span.Of(i)
	}
	many := make([]types.Value, maxFilterValues+1)
	for i := range many {
		many[i] = types.NewInt(int64(i))
	}
	for _, c := range []struct {
		t       types.T
		missing types.Value
		set     span.Set
		want    string
	}{
		{types.Int4, types.Null, span.Points(types.NewInt(1)), "#f0 = :f0"},
		{types.Int4, types.Null, span.Points(types.NewInt(1), types.NewInt(2)), "#f0 IN (:f0,:f1)"},
		{types.Int4, types.NewInt(2), span.Points(types.NewInt(1), types.NewInt(2)), "#f0 IN (:f0,:f1) OR attribute_not_exists(#f0)"},
		{types.Int4, types.Null, span.Points(many...), ""},
		{types.Int4, types.Null, between(types.Int4, "1", "5").Union(span.OnlyNull),
			"#f0 >= :f0 AND #f0 < :f1 OR attribute_type(#f0,:f2) OR attribute_not_exists(#f0)"},
		{types.Int4, types.Null, span.NotNull, "attribute_exists(#f0)"},
		{types.Int4, types.NewInt(1), span.NotNull, "NOT attribute_type(#f0,:f0)"},
		{types.Int4, types.NewInt(1), span.OnlyNull, "attribute_type(#f0,:f0)"},
		{types.Bool, types.Null, span.Of(span.Interval{Low: types.NewBool(false), LowOpen: true}), "#f0 = :f0"},
		{types.Text, types.Null, span.Of(span.Prefix("ab")), "begins_with(#f0,:f0)"},
		{types.Text, types.Null, between(types.Text, "ab", "b"), "#f0 >= :f0 AND #f0 < :f1"},
		{types.Text, types.Null, span.Points(types.NewText(string(make([]byte, maxFilterBytes+1)))), ""},
		{types.Numeric, types.Null, between(types.Numeric, "1", ""), "#f0 >= :f0 OR attribute_type(#f0,:f1)"},
		{types.Numeric, types.Null, between(types.Numeric, "NaN", ""), ""},
		{types.Timestamptz, types.Null, between(types.Timestamptz, "2024-01-01", ""), "#f0 >= :f0 OR begins_with(#f0,:f1)"},
		{types.Timestamptz, types.Null, between(types.Timestamptz, "2024-01-01", "2025-01-01"), "#f0 >= :f0 AND #f0 < :f1"},
		{types.Timestamptz, types.Null, between(types.Timestamptz, "", "2025-01-01"), "#f0 < :f0 OR contains(#f0,:f1)"},
		{types.Timestamptz, types.Null, between(types.Timestamptz, "2024-01-01 BC", "infinity"), ""},
		{types.Interval, types.Null, span.Points(types.NewInterval(interval.Interval{Days: 1})), ""},
		{types.JSONB, types.Null, span.OnlyNull, "attribute_type(#f0,:f0) OR attribute_not_exists(#f0)"},
	} {
		sp := &store.Space{Columns: []store.Column{{Name: "c", Type: c.t, Missing: c.missing}}}
		f := newFilter(sp, []store.Test{{Set: c.set}})
		got := ""
		if f.expression != nil {
			var is bool
			if got, is = strings.CutSuffix(*f.expression, " OR attribute_exists(#intent)"); !is {
				t.Errorf("%s: items with intents do not pass", got)
			}
		}
		if got != c.want {
			t.Errorf("%s %+v: %s, want %s", c.t, c.set, got, c.want)
		}
	}
	if a, _ := floatEnd(0.1, types.Float4, true, 1); show(a) != "N 0.1" {
		t.Errorf("%s", show(a))
	}
	if a, _ := floatEnd(math.Nextafter(float64(float32(0.1)), 1), types.Float4, true, 1); show(a) != "N 0.10000001" {
		t.Errorf("%s", show(a))
	}
}

// TestFilteredPages wants to hear of each page, also where the filter leaves out all of it.
func TestFilteredPages(t *testing.T) {
	s, sp := openOn(t, dynamofake.New(dynamofake.Options{PageItems: 10}), ""), items(1)
	load(t, s, sp, 100, 10)
	for _, partition := range [][]byte{[]byte("p"), nil} {
		ask := store.Scan{Columns: []int{0}, Range: store.Range{Partition: partition}, Stats: &store.Stats{}}
		ask.Filter = []store.Test{{Column: 0, Set: span.Points(types.NewText("none of them"))}}
		batches, before := 0, int64(0)
		for batch, err := range begin(t, s).Scan(t.Context(), sp, &ask) {
			if err != nil || batch.Len() > 0 || ask.Stats.Examined > before+10 {
				t.Fatalf("%v, %d items, %d were examined, then %d", err, batch.Len(), before, ask.Stats.Examined)
			}
			batches, before = batches+1, ask.Stats.Examined
		}
		if batches < 9 {
			t.Errorf("%d batches", batches)
		}
	}
}
