package dynamostore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/encoding/ordered"
	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// nativeTable is a table of another program, with a local and a global index.
type nativeTable struct {
	name   string
	forms  map[string]ddb.ScalarAttributeType
	items  []item
	table  store.OutsideTable
	client *dynamodb.Client
}

// newNative makes a table with keys (p, s), a global index (g, h) of which both are sparse, and a
// local one (p, l).
func newNative(t *testing.T, s *Store, r *rand.Rand) *nativeTable {
	t.Helper()
	n := &nativeTable{name: fmt.Sprintf("others%d", opened.Add(1)), forms: map[string]ddb.ScalarAttributeType{},
		client: s.client}
	in := &dynamodb.CreateTableInput{TableName: &n.name, BillingMode: ddb.BillingModePayPerRequest,
		KeySchema: schema("p", "s")}
	for _, name := range []string{"p", "s", "g", "h", "l"} {
		n.forms[name] = []ddb.ScalarAttributeType{"S", "N", "B"}[r.IntN(3)]
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			ddb.AttributeDefinition{AttributeName: aws.String(name), AttributeType: n.forms[name]})
	}
	all := &ddb.Projection{ProjectionType: ddb.ProjectionTypeAll}
	in.GlobalSecondaryIndexes = []ddb.GlobalSecondaryIndex{{IndexName: aws.String("gsi"), KeySchema: schema("g", "h"),
		Projection: all}}
	in.LocalSecondaryIndexes = []ddb.LocalSecondaryIndex{{IndexName: aws.String("lsi"), KeySchema: schema("p", "l"),
		Projection: all}}
	if _, err := s.client.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	n.fill(t, r)
	table, err := s.Describe(t.Context(), n.name)
	if err != nil || table == nil {
		t.Fatalf("%v, %v", table, err)
	}
	n.table = *table
	return n
}

func schema(hash, sort string) []ddb.KeySchemaElement {
	return []ddb.KeySchemaElement{{AttributeName: &hash, KeyType: ddb.KeyTypeHash},
		{AttributeName: &sort, KeyType: ddb.KeyTypeRange}}
}

func (n *nativeTable) fill(t *testing.T, r *rand.Rand) {
	t.Helper()
	at := map[string]item{}
	for range 80 {
		i := item{"p": n.value("p", r, 3), "s": n.value("s", r, 60)}
		for _, name := range []string{"g", "h", "l"} {
			if r.IntN(5) > 0 {
				i[name] = n.value(name, r, 4)
			}
		}
		at[shown(i["p"])+"/"+shown(i["s"])] = i
	}
	for _, i := range at {
		n.items = append(n.items, i)
		if _, err := n.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &n.name, Item: i}); err != nil {
			t.Fatal(err)
		}
	}
}

// value is one of a few, of which some are hard to encode.
func (n *nativeTable) value(name string, r *rand.Rand, most int) ddb.AttributeValue {
	i := r.IntN(most)
	switch n.forms[name] {
	case "S":
		return &ddb.AttributeValueMemberS{Value: strings.Repeat("a", 1+i/7) +
			[]string{"", "b", "\x01", "é", "\U0010ffff", "ab", "\x7f"}[i%7]}
	case "N":
		return &ddb.AttributeValueMemberN{Value: []string{"0", "255", "-1", "-256", "1e10", "0.5", "-2.25"}[i%7] +
			strings.Repeat("1", i/7*map[bool]int{true: 1}[i%7 == 1 || i%7 == 2])}
	}
	return &ddb.AttributeValueMemberB{Value: append(bytes.Repeat([]byte{0}, i/7),
		[]byte{0, 1, 0xff, 'a', 0xfe, 2, 'b'}[i%7])}
}

// space reads a column of each key attribute.
func (n *nativeTable) space(o store.Outside) *store.Space {
	s := &store.Space{ID: 1, Name: n.name, Sorted: true, Outside: &o}
	for _, name := range []string{"p", "s", "g", "h", "l"} {
		s.Columns = append(s.Columns, store.Column{Name: name, Type: keyType(n.forms[name])})
	}
	return s
}

// keysOf are the keys of the items that a space holds, in their order.
func (n *nativeTable) keysOf(t *testing.T, o *store.Outside) []store.Key {
	t.Helper()
	var keys []store.Key
	for _, i := range n.items {
		if slices.ContainsFunc(slices.Concat(o.Partition, o.Sort),
			func(a store.Attribute) bool { return i[a.Name] == nil }) {
			continue
		}
		k, err := nativeKey(o, i)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

func compareKeys(a, b store.Key) int {
	if order := bytes.Compare(a.Partition, b.Partition); order != 0 {
		return order
	}
	return bytes.Compare(a.Sort, b.Sort)
}

// bound is a place among sort keys: one of them, a part of one, what follows all that begin so, or
// anything.
func bound(r *rand.Rand, keys []store.Key, o *store.Outside) []byte {
	sort := keys[r.IntN(len(keys))].Sort
	n := 0
	for range o.Sort {
		size, err := ordered.Len(sort[n:], false)
		if err != nil {
			panic(err)
		}
		n += size
	}
	if len(o.Row) > 0 {
		sort = sort[:n] // bounds do not tell items with equal keys of an index apart
	}
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		return bytes.Clone(sort[:n])
	case 2:
		return ordered.Successor(sort[:n])
	case 3:
		return append(bytes.Clone(sort), 0)
	case 4:
		return bytes.Clone(sort[:r.IntN(len(sort)+1)])
	}
	return []byte{ordered.Null}
}

func (n *nativeTable) scan(t *testing.T, s *Store, o store.Outside, ask store.Scan) []store.Key {
	t.Helper()
	var got []store.Key
	ask.Keys, ask.Stats, ask.Columns = func(k store.Key) { got = append(got, k) }, &store.Stats{}, []int{0, 1, 2, 3, 4}
	for batch, err := range begin(t, s).Scan(t.Context(), n.space(o), &ask) {
		if err != nil {
			t.Fatalf("%+v: %v", ask.Range, err)
		}
		_ = batch
	}
	return got
}

// TestOutsideRangesAreThoseOfTheirKeys reads random ranges of random tables, and compares with all
// items. Of an index those with equal keys of its own may come in any order.
func TestOutsideRangesAreThoseOfTheirKeys(t *testing.T) {
	s := open(t)
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	checkOutside(t, s, r, 20)
}

// checkOutside reads so many ranges of a table and of each of its indexes.
func checkOutside(t *testing.T, s *Store, r *rand.Rand, ranges int) {
	t.Helper()
	n := newNative(t, s, r)
	for _, o := range []store.Outside{n.table.Outside, n.table.Indexes[0].Outside, n.table.Indexes[1].Outside} {
		all := n.keysOf(t, &o)
		if got := n.scan(t, s, o, store.Scan{}); !slices.EqualFunc(sorted(got), all, equalKeys) {
			t.Fatalf("%+v: %d keys, want %d", o, len(got), len(all))
		}
		for range ranges {
			ask := store.Scan{Reverse: r.IntN(2) == 0, Enough: r.IntN(3)}
			ask.Range = store.Range{Partition: all[r.IntN(len(all))].Partition, From: bound(r, all, &o),
				To: bound(r, all, &o)}
			want := slices.DeleteFunc(slices.Clone(all), func(k store.Key) bool { return !within(k, ask.Range) })
			got := n.scan(t, s, o, ask)
			if ordered := inOrder(got, &o, ask.Reverse); !ordered || !slices.EqualFunc(sorted(got), want, equalKeys) {
				t.Fatalf("%s %v %+v\n%+v, in order %t:\n%q\nwant\n%q", n.name, n.forms, o, ask, ordered, got, want)
			}
			n.batches(t, s, o, ask, want)
		}
		n.get(t, s, all)
	}
}

func within(k store.Key, r store.Range) bool {
	return bytes.Equal(k.Partition, r.Partition) && bytes.Compare(k.Sort, r.From) >= 0 &&
		(r.To == nil || bytes.Compare(k.Sort, r.To) < 0)
}

func equalKeys(a, b store.Key) bool { return compareKeys(a, b) == 0 }

func sorted(keys []store.Key) []store.Key { return slices.SortedFunc(slices.Values(keys), compareKeys) }

// inOrder says whether keys are in the order of what their index declares.
func inOrder(keys []store.Key, o *store.Outside, reverse bool) bool {
	declared := func(k store.Key) []byte {
		n := 0
		for range o.Sort {
			size, _ := ordered.Len(k.Sort[n:], false)
			n += size
		}
		return k.Sort[:n]
	}
	return slices.IsSortedFunc(keys, func(a, b store.Key) int {
		if reverse {
			a, b = b, a
		}
		return bytes.Compare(declared(a), declared(b))
	})
}

// batches reads a range by batches of a few items, which miss none and give none twice.
func (n *nativeTable) batches(t *testing.T, s *Store, o store.Outside, ask store.Scan, want []store.Key) {
	t.Helper()
	batches := 0
	ask.Enough = 2
	ask.Next = func(rest store.Range) (store.Range, int) {
		if batches++; rest.Partition == nil || batches > 1000 {
			return store.Range{Partition: ask.Range.Partition, From: []byte{0xff}}, 2
		}
		return rest, 2
	}
	var got []store.Key
	ask.Keys, ask.Stats, ask.Columns = func(k store.Key) { got = append(got, k) }, &store.Stats{}, []int{0}
	for batch, err := range begin(t, s).Scan(t.Context(), n.space(o), &ask) {
		if err != nil {
			t.Fatal(err)
		}
		if batch.Len() == 0 {
			break
		}
	}
	if !slices.EqualFunc(sorted(got), want, equalKeys) {
		t.Fatalf("%s %v %+v\nby turns %+v:\n%q\nwant\n%q", n.name, n.forms, o, ask.Range, got, want)
	}
}

// get reads items by their keys, and one that is not there.
func (n *nativeTable) get(t *testing.T, s *Store, _ []store.Key) {
	t.Helper()
	keys := n.keysOf(t, &n.table.Outside)
	keys = append(keys, store.Key{Partition: keys[0].Partition, Sort: missingOf(n.forms["s"])})
	out := types.NewBatch(1)
	found, err := begin(t, s).Get(t.Context(), n.space(n.table.Outside),
		&store.Get{Keys: keys, Columns: []int{1}, Stats: &store.Stats{}}, out)
	if err != nil {
		t.Fatal(err)
	}
	for i, is := range found {
		v := out.Row(i)[0]
		if is != (i < len(keys)-1) || is && !bytes.Equal(ordered.Append(nil, v, false), keys[i].Sort) {
			t.Errorf("%q: %t, %v", keys[i], is, v)
		}
	}
}

func missingOf(form ddb.ScalarAttributeType) []byte {
	v := types.NewText("none")
	switch form {
	case "N":
		v, _ = types.ParseText("1e-131", types.Numeric, nil) // no number of DynamoDB's
	case "B":
		v = types.NewBytes(nil)
	}
	return ordered.Append(nil, v, false)
}

// TestOutsideValues reads attributes of all types as columns of several.
func TestOutsideValues(t *testing.T) {
	m := func(a ddb.AttributeValue) ddb.AttributeValue {
		return &ddb.AttributeValueMemberM{Value: map[string]ddb.AttributeValue{"k": a}}
	}
	text, number := &ddb.AttributeValueMemberS{Value: "2024-02-29"}, &ddb.AttributeValueMemberN{Value: "1.50"}
	set := &ddb.AttributeValueMemberNS{Value: []string{"3", "1"}}
	list := &ddb.AttributeValueMemberL{Value: []ddb.AttributeValue{text, number}}
	for i, c := range []struct {
		of   ddb.AttributeValue
		as   string
		want string
	}{
		{nil, "text", "NULL"}, {text, "text", "2024-02-29"}, {text, "date", "2024-02-29"}, {text, "numeric", "NULL"}, {text, "integer", "NULL"},
		{text, "uuid", "22P02"}, {text, "character varying(3)", "22001"}, {text, "jsonb", "22P02"}, {text, "text[]", "NULL"}, {text, "bytea", "NULL"},
		{number, "numeric", "1.50"}, {number, "numeric(5,1)", "1.5"}, {number, "integer", "22P02"}, {number, "double precision", "1.5"},
		{number, "text", "NULL"}, {number, "jsonb", "1.50"}, {&ddb.AttributeValueMemberN{Value: "70000"}, "smallint", "22003"},
		{&ddb.AttributeValueMemberN{Value: "garbage"}, "numeric", "22P02"}, {&ddb.AttributeValueMemberBOOL{Value: true}, "boolean", "t"},
		{&ddb.AttributeValueMemberBOOL{Value: true}, "text", "NULL"}, {&ddb.AttributeValueMemberNULL{Value: true}, "text", "NULL"},
		{&ddb.AttributeValueMemberB{Value: []byte{1}}, "bytea", `\x01`}, {m(&ddb.AttributeValueMemberB{Value: []byte{1}}), "jsonb", `{"k": "AQ=="}`},
		{m(set), "jsonb", `{"k": [3, 1]}`}, {m(text), "json", `{"k": "2024-02-29"}`}, {m(text), "text", "NULL"}, {set, "numeric[]", "{3,1}"},
		{set, "integer[]", "{3,1}"}, {set, "text[]", "{NULL,NULL}"}, {set, "numeric", "NULL"}, {list, "text[]", "{2024-02-29,NULL}"},
		{list, "jsonb", `["2024-02-29", 1.50]`}, {&ddb.AttributeValueMemberS{Value: "a\x00b"}, "text", "22021"}, {&ddb.AttributeValueMemberS{Value: "\xff"}, "text", "22021"},
	} {
		typ := typeNamed(t, c.as)
		s := &store.Space{Columns: []store.Column{{Name: "c", Type: typ}},
			Outside: &store.Outside{Table: "t", Partition: []store.Attribute{{Name: "p", Type: types.Text}}}}
		row, got := types.Row{types.Null}, ""
		err := decodeOutsideColumns(s, []int{0}, item{"c": c.of, "p": &ddb.AttributeValueMemberS{Value: "x"}}, row)
		switch {
		case err != nil:
			e := sqlerr.From(err)
			got = string(e.Code)
			if e.Detail != `Attribute "c" of the item with the key (p)=(x) in DynamoDB table "t".` {
				t.Errorf("detail: %s", e.Detail)
			}
		case row[0].IsNull():
			got = "NULL"
		default:
			got = types.FormatText(row[0], typ, nil)
		}
		if got != c.want {
			t.Errorf("%d: %#v as %s is %s, want %s", i, c.of, c.as, got, c.want)
		}
	}
}

// typeNamed knows the types of the test.
func typeNamed(t *testing.T, name string) types.T {
	t.Helper()
	base, array := strings.CutSuffix(name, "[]")
	mod := int32(-1)
	if at := strings.IndexByte(base, '('); at >= 0 {
		first, _ := strconv.Atoi(base[at+1 : at+2])
		mod = int32(first + 4)
		if base[:at] == "numeric" {
			mod = int32(first<<16|1) + 4
		}
		base = base[:at]
	}
	for _, known := range []types.T{types.Text, types.Date, types.Numeric, types.Int4, types.Int2, types.UUID,
		types.Varchar, types.JSONB, types.JSON, types.Bytea, types.Float8, types.Bool} {
		if known.String() != base {
			continue
		}
		if known.Mod = mod; array {
			known, _ = types.ArrayOf(known)
		}
		return known
	}
	t.Fatalf("no type %s", name)
	return types.T{}
}
