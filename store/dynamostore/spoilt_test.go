package dynamostore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/store"
	"zproxy/types"
)

// attributesOfKinds are an attribute of each kind, and of some within others. An S, an N or an L
// may be what a column has; then it is none of its values. Kinds that DynamoDB does not have are left
// out: the SDK gives such an attribute the value of the one before it in the answer.
var attributesOfKinds = map[string]string{
	"S": `{"S":"garbage"}`, "N": `{"N":"x"}`, "B": `{"B":"AA=="}`, "BOOL": `{"BOOL":true}`, "SS": `{"SS":["1"]}`, "NS": `{"NS":["1"]}`, "BS": `{"BS":["AA=="]}`,
	"M": `{"M":{}}`, "M of S": `{"M":{"S":{"S":"1"}}}`, "M of M": `{"M":{"M":{"M":{"N":{"N":"1"}}}}}`, "L of L": `{"L":[{"L":[{"L":[{"N":"1"}]}]}]}`,
	"L of M": `{"L":[{"M":{"N":{"N":"1"}}}]}`, "L of SS": `{"L":[{"SS":["1"]}]}`, "M of NS": `{"M":{"a":{"NS":["1"]}}}`,
}

// TestSpoiltItems puts an attribute of every kind in place of each column, of both parts of the
// key and of the version, which ends every read in data_corrupted.
func TestSpoiltItems(t *testing.T) {
	list := func(ts ...types.T) []types.T { return ts }
	for _, c := range []struct {
		types []types.T
		right []string // what the column may have, and cannot be told from its values
	}{
		{list(types.Bool), []string{"BOOL"}},
		{list(types.Int2, types.Int4, types.Int8, types.Float4, types.Float8, types.Numeric, numeric(10, 2)), nil},
		{list(types.Text, types.Varchar, types.Of(types.OIDBpchar)), []string{"S"}},
		{list(types.Bytea), []string{"B"}},
		{list(types.Date, types.Time, types.Timestamp, types.Timestamptz, types.Interval, types.UUID, types.Point, types.Of(types.OIDInet), types.JSON), nil},
		{list(types.JSONB), []string{"BOOL", "M", "M of S", "M of M", "L of L", "L of M", "B", "SS", "NS", "BS", "L of SS", "M of NS"}},
		{list(arrayOf(types.Int4), arrayOf(types.Text), arrayOf(types.Bytea), arrayOf(types.Timestamptz), arrayOf(types.Numeric)), nil},
	} {
		for _, typ := range c.types {
			for kind, attribute := range attributesOfKinds {
				if !slices.Contains(c.right, kind) {
					spoilt(t, typ, "body", kind, attribute)
				}
			}
			spoilt(t, typ, "body", "missing", "")
			spoilt(t, typ, "body", "NULL", `{"NULL":true}`)
		}
	}
	for _, own := range []string{"pk", "sk", "_v"} {
		for kind, attribute := range attributesOfKinds {
			if kind != "B" || own == "_v" { // another key, which a scan may find
				spoilt(t, types.Text, own, kind, attribute)
			}
		}
		spoilt(t, types.Text, own, "missing", "")
		spoilt(t, types.Text, own, "NULL", `{"NULL":true}`)
	}
}

// spoilt reads an item with a wrong attribute in all ways.
func spoilt(t *testing.T, typ types.T, name, kind, attribute string) {
	t.Helper()
	attributes := map[string]string{"pk": `{"B":"cA=="}`, "sk": `{"B":"MDAwMQ=="}`, "_v": `{"N":"1"}`,
		"body": `{"S":"x"}`}
	attributes[name] = attribute
	var fields []string
	for n, a := range attributes {
		if a != "" {
			fields = append(fields, fmt.Sprintf("%q:%s", n, a))
		}
	}
	one := "{" + strings.Join(fields, ",") + "}"
	s := openFake(t, func(action string, _ []byte) (int, string, error) {
		switch action {
		case "GetItem":
			return 200, `{"Item":` + one + `}`, nil
		case "BatchGetItem":
			return 200, `{"Responses":{"zproxy.items.1":[` + one + `]}}`, nil
		}
		return 200, `{"Items":[` + one + `]}`, nil
	})
	defer func() { _ = s.Close() }()
	sp := items(1)
	sp.Columns[0].Type, sp.Columns[0].NotNull = typ, true
	for _, keys := range [][]store.Key{{key(1)}, {key(1), key(3)}} {
		ask := store.Get{Keys: keys, Columns: []int{0}, Remember: true, Stats: &store.Stats{}}
		if _, err := begin(t, s).Get(t.Context(), sp, &ask, types.NewBatch(1)); !isGarbage(err) {
			t.Errorf("get %d: %s of %s is %s: %v", len(keys), name, typ, kind, err)
		}
	}
	for _, r := range []store.Range{{}, {Partition: []byte("p")}} {
		ask := store.Scan{Range: r, Columns: []int{0}, Remember: true, Stats: &store.Stats{}}
		var err error
		for _, err = range begin(t, s).Scan(t.Context(), sp, &ask) {
		}
		if !isGarbage(err) {
			t.Errorf("scan of %q: %s of %s is %s: %v", r.Partition, name, typ, kind, err)
		}
	}
}
