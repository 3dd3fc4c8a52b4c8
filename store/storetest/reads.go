package storetest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/store"
	"zproxy/types"
	"zproxy/types/interval"
	"zproxy/types/json"
)

var readTests = []test{
	{name: "spaces", run: testSpaces},
	{name: "disjoint spaces", run: testDisjointSpaces},
	{name: "ranges in a partition", run: testRanges},
	{name: "ranges over partitions", run: testWideRanges},
	{name: "items without sort key", run: testUnsorted},
	{name: "columns chosen", run: testColumns},
	{name: "columns come and go", run: testEvolution},
	{name: "missing values", run: testMissing},
	{name: "values", run: testValues},
	{name: "get", run: testGet},
	{name: "keys told", run: testKeysReported},
	{name: "scan in parts", run: testParts},
	{name: "segments", run: testSegments},
	{name: "segments with writes of its own", run: testOwnSegments},
	{name: "filter", run: testFilter},
	{name: "eventual", run: testEventual},
	{name: "eventual, own writes", run: testEventualOwn},
	{name: "eventual spaces", run: testEventualSpaces},
}

func testSpaces(e *env) {
	s, other := e.named(), e.named()
	e.must(e.Create(ctx, s)) // again
	e.do(func(tx store.Txn) { e.must(tx.Put(s, entry("p", "s"), store.Always)) })
	e.must(e.Create(ctx, s))
	e.holds("after a repeated create", s, name("p", "s"))
	e.listed(s, true)
	e.listed(other, true)
	e.must(e.Drop(ctx, s))
	e.must(e.Drop(ctx, s))
	e.listed(s, false)
	e.listed(other, true)
}

func (e *env) listed(s *store.Space, want bool) {
	e.Helper()
	list, err := e.Spaces(ctx)
	e.must(err)
	got := slices.ContainsFunc(list, func(l store.Space) bool { return l.ID == s.ID && l.Name == s.Name })
	if got != want {
		e.Errorf("space %d listed: %v, want %v", s.ID, got, want)
	}
}

// testDisjointSpaces has neighbours in number whose keys must not mix.
func testDisjointSpaces(e *env) {
	spaces := []*store.Space{e.named(), e.named(), e.named()}
	for i, s := range spaces {
		e.do(func(tx store.Txn) {
			e.must(tx.Put(s, item("\x00", "\x00", types.NewText(fmt.Sprint(i, " low"))), store.Always))
			e.must(tx.Put(s, item("\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff",
				types.NewText(fmt.Sprint(i, " high"))), store.Always))
		})
	}
	e.must(e.Drop(ctx, spaces[1]))
	for _, i := range []int{0, 2} {
		e.holds("space beside a dropped one", spaces[i], fmt.Sprint(i, " low"), fmt.Sprint(i, " high"))
	}
}

// Keys with the bytes at which orders go wrong. No partition is a prefix of another.
var (
	partitions = []string{"\x00", "\x01\x00", "a", "b\xff", "\xff"}
	sorts      = []string{"\x00", "\x00\x00", "\x00\xff", "\x01", "a", "a\x00", "a\xff", "b", "\x7f", "\x80", "\xff",
		"\xff\x00", "\xff\xff"}
	bounds = []string{"", "\x00", "\x00\x01", "a", "a\x00", "b\x00", "\xff", "\xff\xff", "\xff\xff\x00"}
)

func (e *env) grid() *store.Space {
	e.Helper()
	s := e.named()
	var items []store.Item
	for _, p := range partitions {
		for _, sort := range sorts {
			items = append(items, entry(p, sort))
		}
	}
	e.rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	e.load(s, items)
	return s
}

// bound is a bound of a range: none for "-".
func bound(s string) []byte {
	if s == "-" {
		return nil
	}
	return []byte(s)
}

// inside is the names of the keys in a range, in its order, as a filter finds them.
func inside(r store.Scan) []string {
	type storedKey struct{ bytes, name string }
	var found []storedKey
	for _, p := range partitions {
		for _, sort := range sorts {
			k := p + sort
			if r.Range.Partition != nil {
				if p != string(r.Range.Partition) {
					continue
				}
				k = sort
			}
			if k >= string(r.Range.From) && (r.Range.To == nil || k < string(r.Range.To)) {
				found = append(found, storedKey{k, name(p, sort)})
			}
		}
	}
	slices.SortFunc(found, func(a, b storedKey) int { return strings.Compare(a.bytes, b.bytes) })
	if r.Reverse {
		slices.Reverse(found)
	}
	if r.Enough > 0 && len(found) > r.Enough {
		found = found[:r.Enough]
	}
	names := []string{}
	for _, f := range found {
		names = append(names, f.name)
	}
	return names
}

func testRanges(e *env) {
	s := e.grid()
	tx := e.begin(store.Mode{ReadOnly: true})
	for i, from := range append(bounds, "-") {
		for j, to := range append(bounds, "-") {
			r := store.Scan{Reverse: (i+j)%2 == 1, Enough: (i * j) % 4}
			r.Range = store.Range{Partition: []byte(partitions[(i+2*j)%len(partitions)]), From: bound(from),
				To: bound(to)}
			e.equal(describe(r.Range), e.scan(tx, s, r), inside(r))
		}
	}
	for _, p := range append(partitions, "c") {
		for _, reverse := range []bool{false, true} {
			r := store.Scan{Range: store.Range{Partition: []byte(p)}, Reverse: reverse}
			e.equal(fmt.Sprintf("%q", p), e.scan(tx, s, r), inside(r))
		}
	}
}

func testWideRanges(e *env) {
	s := e.grid()
	tx := e.begin(store.Mode{ReadOnly: true})
	e.equal("whole space", e.sorted(e.scan(tx, s, store.Scan{})), e.sorted(inside(store.Scan{})))
	if !e.Capabilities().OrderedPartitions {
		return
	}
	wide := append([]string{"-", "a\xff", "b\xff\xff", "\x01\x00\x00\x00"}, bounds...)
	for i, from := range wide {
		for j, to := range wide {
			r := store.Scan{Reverse: (i+j)%2 == 1, Enough: (i * j) % 4 * 10}
			r.Range = store.Range{From: bound(from), To: bound(to)}
			e.equal(describe(r.Range), e.scan(tx, s, r), inside(r))
		}
	}
}

func testUnsorted(e *env) {
	s := e.space(false, types.Text)
	e.do(func(tx store.Txn) {
		for _, p := range partitions {
			e.must(tx.Put(s, entry(p, ""), store.Absent))
		}
	})
	e.do(func(tx store.Txn) { e.must(tx.Delete(s, key("a", ""), store.Always)) })
	want := []string{}
	for _, p := range partitions {
		if p != "a" {
			want = append(want, name(p, ""))
		}
	}
	e.holds("whole space", s, want...)
	tx := e.begin(store.Mode{ReadOnly: true})
	e.equal("get", e.get(tx, s, key("\xff", ""), key("a", "")), []string{name("\xff", ""), "none"})
	r := store.Scan{Range: store.Range{Partition: []byte("\xff")}}
	e.equal("one partition", e.scan(tx, s, r), []string{name("\xff", "")})
}

func testColumns(e *env) {
	s := e.space(true, types.Int8, types.Text, types.Bool)
	e.do(func(tx store.Txn) {
		e.must(tx.Put(s, item("p", "s", types.NewInt(7), types.NewText("x"), types.NewBool(true)), store.Always))
		e.must(tx.Put(s, item("p", "t", types.Null, types.Null, types.Null), store.Always))
	})
	tx := e.begin(store.Mode{ReadOnly: true})
	for _, c := range []struct {
		columns []int
		rows    []string
	}{
		{[]int{0, 1, 2}, []string{`2 7, 5 "x", 1 1`, "NULL, NULL, NULL"}},
		{[]int{2, 0}, []string{"1 1, 2 7", "NULL, NULL"}},
		{[]int{1}, []string{"x", "NULL"}},
		{[]int{2, 2}, []string{"1 1, 1 1", "NULL, NULL"}},
		{[]int{store.NoColumn, 2, store.NoColumn}, []string{"NULL, 1 1, NULL", "NULL, NULL, NULL"}},
		{[]int{store.NoColumn, store.NoColumn}, []string{"NULL, NULL", "NULL, NULL"}},
		{[]int{}, []string{"", ""}},
	} {
		e.equal(fmt.Sprint("scan of ", c.columns), e.scan(tx, s, store.Scan{Columns: c.columns}), c.rows)
		g := store.Get{Keys: []store.Key{key("p", "s"), key("p", "t")}, Columns: c.columns}
		e.equal(fmt.Sprint("get of ", c.columns), e.getting(tx, s, g), c.rows)
	}
}

// testEvolution reads items under columns that came after them or went away.
func testEvolution(e *env) {
	s := e.space(true, types.Int8, types.Text)
	e.do(func(tx store.Txn) {
		e.must(tx.Put(s, item("p", "1", types.NewInt(1), types.NewText("one")), store.Always))
	})
	later := *s
	later.Columns = []store.Column{{ID: 3, Name: "c3", Type: types.Bool}, s.Columns[1]}
	e.do(func(tx store.Txn) {
		e.must(tx.Put(&later, item("p", "2", types.NewBool(true), types.NewText("two")), store.Always))
		want := []string{`NULL, 5 "one"`, `1 1, 5 "two"`}
		e.equal("own write under new columns", e.scan(tx, &later, store.Scan{}), want)
	})
	e.holds("new columns", &later, `NULL, 5 "one"`, `1 1, 5 "two"`)
	e.holds("old columns", s, `2 1, 5 "one"`, `NULL, 5 "two"`)
}

// testMissing adds a column with a value for the items that were there.
func testMissing(e *env) {
	s := e.space(true, types.Int8)
	e.do(func(tx store.Txn) { e.must(tx.Put(s, item("p", "1", types.NewInt(1)), store.Always)) })
	later := *s
	later.Columns = append(slices.Clone(s.Columns),
		store.Column{ID: 2, Name: "c2", Type: types.Text, Missing: types.NewText("x")})
	want := []string{`2 1, 5 "x"`, `2 2, NULL`, `2 3, 5 "y"`}
	e.do(func(tx store.Txn) {
		e.must(tx.Put(&later, item("p", "2", types.NewInt(2), types.Null), store.Always))
		e.must(tx.Put(&later, item("p", "3", types.NewInt(3), types.NewText("y")), store.Always))
		e.equal("own writes beside a missing value", e.scan(tx, &later, store.Scan{}), want)
	})
	e.holds("a column with a missing value", &later, want...)
}

func (e *env) numerics(list ...string) (values []types.Value) {
	for _, s := range list {
		d, _, err := apd.NewFromString(s)
		e.must(err)
		values = append(values, types.NewNumeric(d))
	}
	return values
}

// samples are values of each type that are easily changed on their way.
func samples(e *env) map[types.OID][]types.Value {
	date, stamp := types.NewDate, types.NewTimestamp
	stamps := []types.Value{stamp(0), stamp(-1), stamp(800_000_000_000_001), stamp(math.MinInt64), stamp(math.MaxInt64)}
	return map[types.OID][]types.Value{
		types.OIDBool:   {types.NewBool(true), types.NewBool(false)},
		types.OIDInt2:   {types.NewInt(math.MinInt16)},
		types.OIDInt4:   {types.NewInt(math.MaxInt32)},
		types.OIDInt8:   {types.NewInt(0), types.NewInt(-1), types.NewInt(math.MinInt64), types.NewInt(math.MaxInt64)},
		types.OIDFloat4: {types.NewFloat(float64(float32(0.1)))},
		types.OIDFloat8: floats(0, math.Copysign(0, -1), 0.1, math.MaxFloat64, 5e-324, math.Inf(1), math.Inf(-1),
			math.NaN()),
		types.OIDText:        {types.NewText(""), types.NewText("a b"), types.NewText("é\x01\n"), types.NewText(strings.Repeat("long", 500))},
		types.OIDVarchar:     {types.NewText(""), types.NewText(" x ")},
		types.OIDBytea:       {types.NewBytes([]byte{}), types.NewBytes([]byte{0, 255, 0})},
		types.OIDDate:        {date(0), date(-1), date(math.MinInt32), date(math.MaxInt32)},
		types.OIDTimestamp:   stamps,
		types.OIDTimestamptz: stamps,
		types.OIDTime:        {types.NewTime(0), types.NewTime(86_400_000_000)},
		types.OIDTimetz:      {types.NewTimetz(1, -57599), types.NewTimetz(86_399_999_999, 18000)},
		types.OIDInterval: {types.NewInterval(interval.Interval{}), types.NewInterval(interval.Interval{Months: 1}), types.NewInterval(interval.Interval{Days: 30}),
			types.NewInterval(interval.Interval{Months: math.MinInt32, Days: math.MaxInt32, Micros: math.MinInt64})},
		types.OIDUUID:  {types.NewUUID([16]byte{}), types.NewUUID([16]byte{0: 255, 15: 1})},
		types.OIDJSON:  {types.NewJSON(` { "b":1, "a" : 2 }`), types.NewJSON("1.50")},
		types.OIDJSONB: {jsonb("null"), jsonb(`"x"`), jsonb(`{"a": [1.50, 1e40, {}], "": true}`), jsonb("[[1], []]")},
		types.OIDPoint: {types.NewPoint(1.5, -2), types.NewPoint(math.Inf(1), math.Copysign(0, -1))},
		types.OIDNumeric: e.numerics("0", "0.00", "-1.10", "1.1", "100", "1e20", "1e-200", "1e200", "NaN", "Infinity",
			"-Infinity",
			"123456789012345678901234567890123456789012.3450"),

		types.OIDBpchar:   {types.NewBpchar("   "), types.NewBpchar("a  "), types.NewBpchar("é b")},
		types.OIDChar:     {types.NewText(""), types.NewText("r"), types.NewText("\xff")},
		types.OIDOID:      {types.NewInt(0), types.NewInt(1<<32 - 1)},
		types.OIDRegclass: {types.NewInt(0), types.NewInt(1 << 31)},

		arrayOf(types.Int4).OID:    e.arrays(types.Int4, "{}", "{1,NULL,-3}", "[0:1]={1,2}", "{{1,2},{3,4}}"),
		arrayOf(types.Text).OID:    e.arrays(types.Text, `{"",NULL,"NULL","a b"}`),
		arrayOf(types.Numeric).OID: e.arrays(types.Numeric, "{1.10,NaN,100}", "{{1.10},{2.0}}"),
		arrayOf(types.Bytea).OID:   e.arrays(types.Bytea, `{"\\x00ff"}`),
	}
}

// sampleType is the type of the samples of an OID.
func sampleType(oid types.OID) types.T {
	t := types.Of(oid)
	if oid == types.OIDBpchar {
		t.Mod = 7
	}
	return t
}

func arrayOf(element types.T) types.T {
	array, _ := types.ArrayOf(element)
	return array
}

func (e *env) arrays(element types.T, list ...string) (values []types.Value) {
	for _, s := range list {
		v, err := types.ParseText(s, arrayOf(element), nil)
		e.must(err)
		values = append(values, v)
	}
	return values
}

func floats(list ...float64) (values []types.Value) {
	for _, f := range list {
		values = append(values, types.NewFloat(f))
	}
	return values
}

// testValues writes each sample and NULL and reads them back from the transaction, by
// scan, and by get.
func testValues(e *env) {
	for oid, values := range samples(e) {
		t := sampleType(oid)
		s := e.space(true, types.Int4, t, types.Text)
		values = append(values, types.Null)
		var keys []store.Key
		var want []string
		tx := e.begin(store.Mode{})
		for i, v := range values {
			it := item("p", fmt.Sprintf("%02d", i), types.NewInt(int64(i)), v, types.NewText("end"))
			e.must(tx.Put(s, it, store.Absent))
			keys, want = append(keys, it.Key), append(want, show(it.Values))
		}
		e.equal(fmt.Sprintf("own writes of type %d", t.OID), e.scan(tx, s, store.Scan{}), want)
		e.must(tx.Commit(ctx))
		e.holds(fmt.Sprintf("scan of type %d", t.OID), s, want...)
		tx = e.begin(store.Mode{ReadOnly: true})
		e.equal(fmt.Sprintf("get of type %d", t.OID), e.get(tx, s, keys...), want)
		tx.Rollback()
	}
}

func testGet(e *env) {
	s := e.grid()
	tx := e.begin(store.Mode{ReadOnly: true})
	e.equal("no keys", e.get(tx, s), []string{})
	var keys []store.Key
	var want []string
	ask := func(p, sort string, there bool) {
		keys = append(keys, key(p, sort))
		if there {
			want = append(want, name(p, sort))
		} else {
			want = append(want, "none")
		}
	}
	for range 150 {
		switch p, sort := pick(e, partitions), pick(e, sorts); e.rng.IntN(4) {
		case 0:
			ask(p, sort+"\x00\x00\x00", false)
		case 1:
			ask("c"+p, sort, false)
		default:
			ask(p, sort, true)
		}
	}
	e.equal("many keys", e.get(tx, s, keys...), want)
	for i := range 20 {
		e.equal("one key", e.get(tx, s, keys[i]), want[i:i+1])
		e.equal("one key twice", e.get(tx, s, keys[i], keys[i]), []string{want[i], want[i]})
	}
}

func pick(e *env, list []string) string { return list[e.rng.IntN(len(list))] }

// jsonb is one of text that is right.
func jsonb(s string) types.Value {
	j, err := json.Parse(s, nil)
	if err != nil {
		panic(err)
	}
	return types.NewJSONB(j)
}

// testParts reads a whole space in parts, each in a transaction of its own, while items on which
// a part ended go away: every other item comes once, in the order of one scan.
func testParts(e *env) {
	s := e.named()
	var all []string
	e.do(func(tx store.Txn) {
		for p := range 7 {
			for i := range 5 {
				e.must(tx.Put(s, entry(fmt.Sprint("p", p), fmt.Sprint("s", i)), store.Always))
			}
		}
	})
	part := func(after *store.Key, most int) (out []store.Key) {
		tx := e.begin(store.Mode{ReadOnly: true})
		defer tx.Rollback()
		r := &store.Scan{After: after, Enough: most, Stats: &store.Stats{}, Keys: func(k store.Key) {
			out = append(out, store.Key{Partition: slices.Clone(k.Partition), Sort: slices.Clone(k.Sort)})
		}}
		for _, err := range tx.Scan(ctx, s, r) {
			e.must(err)
			if len(out) >= most {
				break
			}
		}
		return out
	}
	for _, k := range part(nil, math.MaxInt32) {
		all = append(all, string(k.Partition)+"/"+string(k.Sort))
	}
	var got []string
	var after *store.Key
	for {
		keys := part(after, 4)
		if len(keys) == 0 {
			break
		}
		for _, k := range keys {
			got = append(got, string(k.Partition)+"/"+string(k.Sort))
		}
		after = &keys[len(keys)-1]
		e.do(func(tx store.Txn) { e.must(tx.Delete(s, *after, store.Always)) })
	}
	if len(all) != 35 || !slices.Equal(got, all) {
		e.Errorf("in parts %v, at once %v", got, all)
	}
}

func describe(r store.Range) string {
	return fmt.Sprintf("%q from %q to %q", r.Partition, r.From, r.To)
}
