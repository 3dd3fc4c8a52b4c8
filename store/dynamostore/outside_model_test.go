package dynamostore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/types"
)

// foreign is a table of another program, and what its items are to be.
type foreign struct {
	draw
	t      *testing.T
	s      *Store
	native *nativeTable // its name, and the types of its keys
	spaces []*store.Space
	items  map[string]item // by whole key of the table, as they are to be
}

// The columns that are in no key.
func foreignColumns() []store.Column {
	return []store.Column{
		{Name: "t", Type: types.Text}, {Name: "n", Type: types.Numeric}, {Name: "i", Type: types.Int4},
		{Name: "x", Type: types.Float8}, {Name: "b", Type: types.Bytea}, {Name: "f", Type: types.Bool},
		{Name: "d", Type: types.Date}, {Name: "z", Type: types.Timestamptz}, {Name: "j", Type: types.JSONB},
		{Name: "js", Type: types.JSON}, {Name: "ts", Type: arrayTypeOf(types.Text)},
		{Name: "ns", Type: arrayTypeOf(types.Numeric)}, {Name: "bs", Type: arrayTypeOf(types.Bytea)},
	}
}

// newForeign makes a table with a sparse global index, and with a sort key a local one, too.
func newForeign(t *testing.T, s *Store, d draw) *foreign {
	t.Helper()
	f := &foreign{draw: d, t: t, s: s, items: map[string]item{}, native: &nativeTable{
		name: fmt.Sprintf("others%d", opened.Add(1)), forms: map[string]ddb.ScalarAttributeType{}, client: s.client}}
	all := &ddb.Projection{ProjectionType: ddb.ProjectionTypeAll}
	in := &dynamodb.CreateTableInput{TableName: &f.native.name, BillingMode: ddb.BillingModePayPerRequest,
		KeySchema: schema("p", "s")[:1], GlobalSecondaryIndexes: []ddb.GlobalSecondaryIndex{
			{IndexName: aws.String("gsi"), KeySchema: schema("g", "h"), Projection: all}}}
	names := []string{"p", "g", "h"}
	if d.IntN(3) > 0 {
		names = append(names, "s", "l")
		in.KeySchema = schema("p", "s")
		in.LocalSecondaryIndexes = []ddb.LocalSecondaryIndex{
			{IndexName: aws.String("lsi"), KeySchema: schema("p", "l"), Projection: all}}
	}
	for _, name := range names {
		f.native.forms[name] = []ddb.ScalarAttributeType{"S", "N", "B"}[d.IntN(3)]
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			ddb.AttributeDefinition{AttributeName: aws.String(name), AttributeType: f.native.forms[name]})
	}
	if _, err := s.client.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	described, err := s.Describe(t.Context(), f.native.name)
	if err != nil {
		t.Fatal(err)
	}
	columns := foreignColumns()
	for _, name := range names {
		columns = append(columns, store.Column{Name: name, Type: keyType(f.native.forms[name])})
	}
	outside := []store.Outside{described.Outside}
	for _, x := range described.Indexes {
		outside = append(outside, x.Outside)
	}
	for i := range outside {
		outside[i].Rows, outside[i].Sets = 10, []string{"bs"}
		f.spaces = append(f.spaces, &store.Space{ID: store.SpaceID(10 + i), Name: fmt.Sprint(f.native.name, i),
			Sorted: true, Columns: columns, Outside: &outside[i]})
	}
	for range 25 {
		f.putRaw()
	}
	f.items = f.raw()
	return f
}

// table is the space of the items themselves.
func (f *foreign) table() *store.Space { return f.spaces[0] }

// putRaw puts an item as another program does.
func (f *foreign) putRaw() {
	f.t.Helper()
	i := f.key()
	for _, c := range f.table().Columns {
		if a := f.attribute(&c); a != nil && i[c.Name] == nil && f.IntN(3) > 0 {
			i[c.Name] = a
		}
	}
	for _, name := range []string{"secret", "other"} {
		if f.IntN(2) == 0 {
			i[name] = f.other(2)
		}
	}
	_, err := f.s.client.PutItem(f.t.Context(), &dynamodb.PutItemInput{TableName: &f.native.name, Item: i})
	if err != nil {
		f.t.Fatalf("%v: %s", err, itemInWords(i))
	}
}

// key is one of a few keys.
func (f *foreign) key() item {
	i := item{"p": f.native.value("p", f.Rand, 40)}
	if f.native.forms["s"] != "" {
		i["p"], i["s"] = f.native.value("p", f.Rand, 3), f.native.value("s", f.Rand, 14)
	}
	return i
}

// attribute is what another program may have for a column, also what the column does not hold.
func (f *foreign) attribute(c *store.Column) ddb.AttributeValue {
	if form := f.native.forms[c.Name]; form != "" {
		return f.native.value(c.Name, f.Rand, 4)
	}
	if f.IntN(8) == 0 {
		for range 10 {
			if a := f.other(1); !holds(a, c.Type) {
				return a
			}
		}
	}
	switch {
	case c.Type.OID == types.OIDJSON, c.Type.Kind() == types.KindJSONB:
		switch f.IntN(5) {
		case 0:
			return inS(f.one(`{"a": [1, 2]}`, `7`, `"x"`, ` {"b":1.50 , "a" : null}`))
		case 1:
			return inN(f.number())
		}
		for {
			if a := f.other(3); holds(a, c.Type) && reflectKind(a) != "S" {
				return a
			}
		}
	case c.Type.Kind() == types.KindArray:
		return f.list(c, f.IntN(2) == 0)
	}
	return f.first(c)
}

// list is a list or a set that the array of a column holds.
func (f *foreign) list(c *store.Column, set bool) ddb.AttributeValue {
	n := 1 + f.IntN(3)
	var l ddb.AttributeValueMemberL
	for i := range n {
		l.Value = append(l.Value, map[string]ddb.AttributeValue{"ts": inS(fmt.Sprint("t", i*f.IntN(9)+i)),
			"ns": inN(fmt.Sprint(100*i + f.IntN(99))), "bs": &ddb.AttributeValueMemberB{Value: []byte{byte(i), byte(f.IntN(9))}},
		}[c.Name])
	}
	if !set {
		return &l
	}
	a, err := setOf(l.Value)
	if err != nil {
		l.Value = l.Value[:1]
		a, _ = setOf(l.Value)
	}
	return a
}

// first is a new value, of the first type for a column.
func (f *foreign) first(c *store.Column) ddb.AttributeValue {
	switch c.Name {
	case "t":
		return inS(f.text())
	case "n":
		return inN(f.number())
	case "i":
		return inN(fmt.Sprint(f.IntN(100000) - 50000))
	case "x":
		return inN(f.one("0", "1.5", "-2e10", "1e-7"))
	case "b":
		return &ddb.AttributeValueMemberB{Value: f.bytes()}
	case "f":
		return &ddb.AttributeValueMemberBOOL{Value: f.IntN(2) == 0}
	case "d":
		return inS(f.one("2024-02-29", "0001-01-01", "infinity"))
	case "z":
		return inS(f.one("2024-02-29T12:00:00Z", "1999-12-31T23:59:59.5Z"))
	case "j", "js":
		return f.plain(2)
	case "ts", "ns":
		return f.list(c, false)
	case "bs":
		return f.list(c, true)
	}
	return f.native.value(c.Name, f.Rand, 4)
}

func reflectKind(a ddb.AttributeValue) string { return strings.Fields(inWords(a))[0] }

// valueOf is what a column shows.
func (f *foreign) valueOf(c *store.Column, a ddb.AttributeValue) types.Value {
	f.t.Helper()
	v, err := decodeOutside(a, c.Type)
	if err != nil {
		f.t.Fatalf("%s: %s: %v", c.Name, inWords(a), err)
	}
	return v
}

// row is what a table shows of an item.
func (f *foreign) row(i item) []types.Value {
	f.t.Helper()
	var out []types.Value
	for c := range f.table().Columns {
		column := &f.table().Columns[c]
		out = append(out, f.valueOf(column, i[column.Name]))
	}
	return out
}

// set is a value for a column, and the attribute that comes of it.
func (f *foreign) set(c *store.Column, before ddb.AttributeValue) (types.Value, ddb.AttributeValue) {
	f.t.Helper()
	held := before != nil && holds(before, c.Type)
	old := f.valueOf(c, before)
	switch f.IntN(4) {
	case 0:
		if held {
			return types.Null, nil
		}
		return types.Null, before
	case 1, 2:
		return old, before
	}
	after := f.first(c)
	if held {
		after = f.like(c, before, after)
	}
	v := f.valueOf(c, after)
	if held && types.Identical(v, old) {
		return v, before
	}
	return v, after
}

// like is a new attribute that is of the types of the one before.
func (f *foreign) like(c *store.Column, before, after ddb.AttributeValue) ddb.AttributeValue {
	document := c.Type.Kind() == types.KindJSONB || c.Type.OID == types.OIDJSON
	switch before.(type) {
	case *ddb.AttributeValueMemberS:
		if document {
			return inS(f.one(`{"a": 5}`, `[1, "x"]`, `7`, `"y"`))
		}
	case *ddb.AttributeValueMemberSS, *ddb.AttributeValueMemberNS, *ddb.AttributeValueMemberBS:
		return f.changed(before)
	case *ddb.AttributeValueMemberM, *ddb.AttributeValueMemberL:
		if document {
			return f.changed(before)
		}
	}
	return after
}

// raw are the items that DynamoDB has.
func (f *foreign) raw() map[string]item {
	f.t.Helper()
	out := map[string]item{}
	pages := dynamodb.NewScanPaginator(f.s.client, &dynamodb.ScanInput{TableName: &f.native.name,
		ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		for _, i := range page.Items {
			out[f.whole(i)] = i
		}
	}
	return out
}

func (f *foreign) keyOf(i item) store.Key {
	f.t.Helper()
	k, err := nativeKey(f.table().Outside, i)
	if err != nil {
		f.t.Fatal(err)
	}
	return k
}

func (f *foreign) whole(i item) string { return wholeKey(f.keyOf(i)) }

// compare wants the items of DynamoDB to be as they are to be.
func (f *foreign) compare(what string) {
	f.t.Helper()
	now := f.raw()
	for k := range f.items {
		if got, want := itemInWords(now[k]), itemInWords(f.items[k]); got != want {
			f.t.Fatalf("%s:\n%s\nwant\n%s", what, got, want)
		}
	}
	if len(now) != len(f.items) {
		f.t.Fatalf("%s: %d items, want %d", what, len(now), len(f.items))
	}
}

// shownRows are rows by their keys in a space, as they are to be read.
func (f *foreign) shownRows(s *store.Space, items map[string]item, r store.Range) (out []string, keys []store.Key) {
	f.t.Helper()
	for _, i := range items {
		if slices.ContainsFunc(slices.Concat(s.Outside.Partition, s.Outside.Sort),
			func(a store.Attribute) bool { return i[a.Name] == nil }) {
			continue
		}
		k, err := nativeKey(s.Outside, i)
		if err != nil {
			f.t.Fatal(err)
		}
		keys = append(keys, k)
		if r.Partition == nil || within(k, r) {
			out = append(out, f.shown(k, f.row(i)))
		}
	}
	slices.Sort(out)
	slices.SortFunc(keys, compareKeys)
	return out, keys
}

func (f *foreign) shown(k store.Key, row []types.Value) string {
	parts := []string{fmt.Sprintf("%q", slices.Concat(k.Partition, k.Sort))}
	for c, v := range row {
		text := "NULL"
		if !v.IsNull() {
			text = types.FormatText(v, f.table().Columns[c].Type, nil)
		}
		parts = append(parts, f.table().Columns[c].Name+"="+text)
	}
	return strings.Join(parts, " ")
}
