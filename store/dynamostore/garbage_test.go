package dynamostore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// isGarbage says whether an error is that of an answer which makes no sense.
func isGarbage(err error) bool { return sqlerr.Has(err, sqlerr.DataCorrupted) }

// TestBadAnswers checks that answers which DynamoDB cannot give end in an error.
func TestBadAnswers(t *testing.T) {
	const p, body = `"pk":{"B":"cA=="}`, `"body":{"S":"x"}`
	for _, answer := range []string{
		`{"Items":[{}]}`,
		`{"Items":[{` + p + `,` + body + `}]}`,
		`{"Items":[{` + p + `,"sk":{"S":"x"}}]}`,
		`{"Items":[{` + p + `,"sk":{"B":""}}]}`,
		`{"Items":[{"pk":{"B":"cQ=="},"sk":{"B":"MQ=="}}]}`,
		`{"Items":[{` + p + `,"sk":{"B":"MQ=="},"_v":{"N":"1"},"body":{"N":"1"}}]}`,
		`{"Items":[{` + p + `,"sk":{"B":"MQ=="},"_v":{"S":"1"},` + body + `}]}`,
		`{"Items":[{` + p + `,"sk":{"B":"MQ=="},` + body + `}]}`,
		`{"Items":[{` + p + `,"sk":{"B":"eg=="},"_v":{"N":"1"}}]}`,
		`{"Items":[{` + p + `,"sk":{"B":"MQ=="},"_v":{"N":"1"}},{` + p + `,"sk":{"B":"MQ=="},"_v":{"N":"1"}}]}`,
		`{"Items":[],"LastEvaluatedKey":{` + p + `,"sk":{"B":"MQ=="}}}`,
		`{"Items":[{` + p + `,"sk":{"B":"MQ=="},"_v":{"N":"1"}}],"LastEvaluatedKey":{` + p + `,"sk":{"B":"MQ=="}}}`,
		`{"Items":[],"LastEvaluatedKey":{"pk":{"S":"x"}}}`,
		`no json`,
	} {
		s := openFake(t, func(string, []byte) (int, string, error) { return 200, answer, nil })
		ask := store.Scan{Columns: []int{0}, Remember: true, Stats: &store.Stats{}}
		ask.Range = store.Range{Partition: []byte("p"), To: []byte("z")}
		var err error
		for _, err = range begin(t, s).Scan(t.Context(), items(1), &ask) {
		}
		if !isGarbage(err) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// TestBadItems checks the same of reads by key and of whole tables.
func TestBadItems(t *testing.T) {
	const k = `"pk":{"B":"cA=="},"sk":{"B":"MDAwMQ=="}`
	table := "zproxy.items.1"
	for _, fields := range []string{
		``, `"pk":{"B":"cA=="}`, `"pk":{"S":"p"},"sk":{"B":"MQ=="}`, `"pk":{"B":"cA=="},"sk":{"B":"MDAwMg=="},"_v":{"N":"1"}`,
		k, k + `,"_v":{"N":"x"}`, k + `,"_v":{"N":"1"},"body":{"N":"1"}`, k + `,"_v":{"N":"1"},"body":{"X":"1"}`,
		k + `,"_v":{"N":"1"},"body":null`, k + `,"_v":{"N":"1"},"body":{}`,
		k + `,"_v":{"N":"1"},"body":{"S":"a\u0000"}`,
		k + `,"_v":{"N":"1"},"body":7`, k + `,"_v":{"N":"1"},"body":{"B":"not base64"}`,
	} {
		s := openFake(t, func(action string, body []byte) (int, string, error) {
			switch action {
			case "GetItem":
				return 200, fmt.Sprintf(`{"Item":{%s}}`, fields), nil
			case "BatchGetItem":
				return 200, fmt.Sprintf(`{"Responses":{%q:[{%s}]}}`, table, fields), nil
			}
			return 200, fmt.Sprintf(`{"Items":[{%s}],"LastEvaluatedKey":{%s}}`, fields, k), nil
		})
		for n := 1; n <= 2; n++ {
			ask := store.Get{Columns: []int{0}, Remember: true, Stats: &store.Stats{}}
			for i := range n {
				ask.Keys = append(ask.Keys, key(1+2*i))
			}
			out := types.NewBatch(1)
			if _, err := begin(t, s).Get(t.Context(), items(1), &ask, out); !isGarbage(err) && !isMissing(fields, out) {
				t.Errorf("get %d: {%s}: %v", n, fields, err)
			}
		}
		ask := store.Scan{Columns: []int{0}, Remember: true, Stats: &store.Stats{}}
		var err error
		for _, err = range begin(t, s).Scan(t.Context(), items(1), &ask) {
		}
		if !isGarbage(err) { // at the latest since the page ends where the one before it did
			t.Errorf("scan: {%s}: %v", fields, err)
		}
	}
}

// isMissing says whether the client of the SDK has left out an attribute, so that it is taken for
// one that is not there, which a column may be.
func isMissing(fields string, got *types.Batch) bool {
	return strings.HasSuffix(fields, `"body":null`) && got.Len() > 0 && got.Row(0)[0].IsNull()
}

// TestGarbage reads from a fake that spoils items. What comes is an error, or rows.
func TestGarbage(t *testing.T) {
	r := newRand(t)
	f := dynamofake.New(dynamofake.Options{Seed: r.Uint64()})
	s := openOn(t, f, "")
	sp := &store.Space{ID: 1, Name: "spoilt", Sorted: true}
	var pools [][]types.Value
	for i, of := range filtered {
		pools = append(pools, pool(t, r, i))
		sp.Columns = append(sp.Columns, store.Column{ID: uint32(i), Name: fmt.Sprint("c", i), Type: of.t})
	}
	loadFiltered(t, s, sp, pools, r)
	f.SetFaults(dynamofake.Faults{Garbage: 1})
	defer f.EndFaults()
	failed := 0
	for i := range 300 {
		tx := begin(t, s)
		ask := store.Scan{Range: store.Range{Partition: []byte("p")}, Columns: []int{i % len(filtered), 7},
			Remember: i%2 == 0, Stats: &store.Stats{}}
		if i%3 == 0 {
			ask.Range.Partition = nil
		}
		for _, err := range tx.Scan(t.Context(), sp, &ask) {
			if err != nil && !isGarbage(err) {
				t.Errorf("scan: %v", err)
			}
			failed += map[bool]int{true: 1}[err != nil]
		}
		get := store.Get{Keys: []store.Key{{Partition: []byte("p"),
			Sort: fmt.Appendf(nil, "%d %d", len(sp.Columns), i%120)}}, Columns: ask.Columns,
			Remember: i%2 == 0, Stats: &store.Stats{}}
		if i%5 == 0 {
			get.Keys = append(get.Keys, key(1))
		}
		if _, err := tx.Get(t.Context(), sp, &get, types.NewBatch(2)); err != nil && !isGarbage(err) {
			t.Errorf("get: %v", err)
		}
	}
	if failed == 0 {
		t.Error("nothing was spoilt")
	}
}

// FuzzDecode reads attributes of any kind as columns of every type: they are values then, which can
// be shown and written again, or an error.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "2024-02-29", "1e5", "NaN", "{1,2}", "\xff\x00", "(1,2)", `{"a": [1]}`,
		"12:30:00+02"} {
		for kind := range byte(10) {
			f.Add(kind, []byte(seed), uint64(kind))
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, data []byte, n uint64) {
		a := anyAttribute(rand.New(rand.NewPCG(n, n)), kind, data, 3)
		for _, c := range filtered {
			checkDecoded(t, a, c.t)
		}
		for _, oid := range []types.OID{types.OIDPoint, types.OIDJSON, types.OIDName, types.OIDInet, types.OIDOID} {
			checkDecoded(t, a, types.Of(oid))
		}
		for _, fields := range []item{{partitionAttribute: a},
			{partitionAttribute: a, sortAttribute: a, versionAttribute: a}, nil} {
			if _, err := decodeKey(items(1), fields); err == nil && fields == nil {
				t.Error("no key is taken")
			}
			_, _ = decodeVersion(fields)
		}
	})
}

func checkDecoded(t *testing.T, a ddb.AttributeValue, typ types.T) {
	t.Helper()
	for _, decode := range []func(ddb.AttributeValue, types.T) (types.Value, error){decodeValue, decodeOutside} {
		v, err := decode(a, typ)
		if err != nil || v.IsNull() {
			continue
		}
		types.FormatText(v, typ, nil)
		if _, err := encodeValue(v, typ); err != nil && !errors.Is(err, errNotUTF8) {
			t.Errorf("%s %s: %v", typ, show(a), err)
		}
		checkStays(t, a, v, typ)
	}
}

// checkStays writes the value of an attribute over it.
func checkStays(t *testing.T, a ddb.AttributeValue, v types.Value, typ types.T) {
	t.Helper()
	if read, err := decodeOutside(a, typ); err != nil || !types.Identical(read, v) {
		return
	}
	c := &store.Column{Name: "c", Type: typ}
	if after, err := encodeOutside(&store.Outside{}, c, v, a); err != nil || !reflect.DeepEqual(a, after) {
		t.Errorf("%s %s becomes %s, %v", typ, inWords(a), inWords(after), err)
	}
	if _, err := encodeOutside(&store.Outside{}, c, v, nil); err != nil &&
		sqlerr.From(err).Code == sqlerr.InternalError {
		t.Errorf("%s %s: %v", typ, inWords(a), err)
	}
}

// anyAttribute makes an attribute of data.
func anyAttribute(r *rand.Rand, kind byte, data []byte, levels int) ddb.AttributeValue {
	text := string(data)
	inner := func() ddb.AttributeValue { return anyAttribute(r, byte(r.IntN(10)), data, levels-1) }
	switch kind % 10 {
	case 0:
		return nil
	case 1:
		return &ddb.AttributeValueMemberNULL{Value: true}
	case 2:
		return &ddb.AttributeValueMemberBOOL{Value: len(data)%2 == 0}
	case 3:
		return &ddb.AttributeValueMemberN{Value: text}
	case 4:
		return &ddb.AttributeValueMemberB{Value: data}
	case 5:
		return &ddb.AttributeValueMemberSS{Value: []string{text}}
	case 6:
		return &ddb.UnknownUnionMember{Tag: text}
	case 7:
		if levels > 0 {
			return &ddb.AttributeValueMemberL{Value: []ddb.AttributeValue{inner(), inner()}}
		}
	case 8:
		if levels > 0 {
			return &ddb.AttributeValueMemberM{Value: item{text: inner(), "b": inner()}}
		}
	}
	return &ddb.AttributeValueMemberS{Value: text}
}

// TestBadBatches sends nothing again that an answer makes up.
func TestBadBatches(t *testing.T) {
	const stranger = `{"PutRequest":{"Item":{"pk":{"B":"cQ=="},"sk":{"B":"MQ=="}}}}`
	for _, back := range []string{
		`"zproxy.items.1":[{}]`, `"zproxy.items.1":[` + stranger + `]`, `"other":[{"DeleteRequest":{"Key":{"pk":{"B":"cA=="},"sk":{"B":"MDAwMQ=="}}}}]`,
		`"zproxy.items.1":[{"PutRequest":{"Item":{"pk":{"S":"p"}}}}]`, `"zproxy.items.1":[{"DeleteRequest":{"Key":null}}]`,
	} {
		sent := 0
		s := openFake(t, func(string, []byte) (int, string, error) {
			sent++
			return 200, `{"UnprocessedItems":{` + back + `}}`, nil
		})
		tx := begin(t, s)
		err := errors.Join(tx.Put(items(1), bodied(1), store.Loose), tx.Put(items(1), bodied(2), store.Loose),
			tx.Commit(t.Context()))
		if !isGarbage(err) || sent != 1 {
			t.Errorf("%s: %v after %d requests", back, err, sent)
		}
	}
}

// TestGarbageKeys looks at items whose keys are none of their table, as for an intent that they have.
func TestGarbageKeys(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{})
	s := openOn(t, f, "")
	load(t, s, items(1), 1, 1)
	for _, of := range []item{
		{}, {partitionAttribute: &ddb.AttributeValueMemberS{Value: "p"}},
		{partitionAttribute: &ddb.AttributeValueMemberB{Value: []byte("p")}, sortAttribute: encodeVersion(1)},
	} {
		table := s.table(items(1))
		r := resolver{store: s, table: table}
		if _, err := r.reread(t.Context(), keyOf(of)); !isGarbage(err) {
			t.Errorf("read again: %v", err)
		}
		for _, state := range []txnState{stateCommitted, stateAborted} {
			in := &intent{id: intentID{txn: txnID{1}}, put: item{}}
			if err := s.records.resolveIntent(t.Context(), table, of, in, &record{state: state}); !isGarbage(err) {
				t.Errorf("made real, %v: %v", state, err)
			}
		}
	}
}
