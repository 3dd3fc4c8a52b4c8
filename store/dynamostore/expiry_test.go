package dynamostore

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// TestExpiresAt is never before the catalog calls a row expired, and less than a second after that.
func TestExpiresAt(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 500_000_000, time.UTC)
	for _, typ := range []types.T{types.Date, types.Timestamp, types.Timestamptz} {
		for _, text := range []string{"2026-11-22", "2026-11-21", "2026-12-31", "2030-02-03 04:05:06.000001",
			"1999-12-31 23:59:59.999999", "0044-03-15 BC", "-infinity"} {
			v, err := types.ParseText(text, typ, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, life := range []int64{1, 999_999, 3_600_000_000, 30 * microsPerDay, 365_000 * microsPerDay} {
				at, ever := expiresAt(v, life, now)
				ttl := catalog.TTL{Life: life}
				if removed := time.Unix(at, 0); !ever || removed.Before(now) || !ttl.Expired(v, removed) {
					t.Errorf("%s %s for %d µs: removed at %s, %v", typ, text, life, removed, ever)
				} else if before := removed.Add(-time.Second); !before.Before(now) && ttl.Expired(v, before) {
					t.Errorf("%s %s for %d µs: due a second before it is removed at %s", typ, text, life, removed)
				}
			}
		}
		v, _ := types.ParseText("infinity", typ, nil)
		late, err := types.ParseText(map[bool]string{true: "5874897-12-31",
			false: "294276-12-31 23:59:59"}[typ.Kind() == types.KindDate], typ, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []types.Value{v, late, types.Null} {
			if at, ever := expiresAt(v, 365_000*microsPerDay, now); ever {
				t.Errorf("%s %s is due at %d", typ, types.FormatText(v, typ, nil), at)
			}
		}
	}
}

// TestExpiryAttribute reads what other programs see of rows that expire, and changes the rule.
func TestExpiryAttribute(t *testing.T) {
	s := open(t)
	sp := &store.Space{ID: 1, Name: "items", Columns: []store.Column{{ID: 1, Name: "at", Type: types.Timestamptz}}}
	sp.Expiry = &store.Expiry{After: 30_000_000}
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	wantExpiry(t, s, sp, "_t")
	soon := time.Now().Add(time.Hour).Truncate(time.Second)
	put := func(k string, v types.Value) {
		t.Helper()
		tx := begin(t, s)
		if err := tx.Put(sp, store.Item{Key: store.Key{Partition: []byte(k)}, Values: []types.Value{v}},
			store.Absent); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	put("soon", types.TimestampAt(soon))
	put("never", types.Null)
	sp.Expiry = &store.Expiry{After: 60_000_000, Number: 1}
	if err := s.AlterSpace(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	wantExpiry(t, s, sp, "_t1")
	put("later", types.TimestampAt(soon))
	sp.Expiry.Column = store.NoColumn
	put("told nothing", types.TimestampAt(soon))
	for k, want := range map[string]map[string]int64{
		"soon": {"_t": soon.Unix() + 30}, "never": {}, "later": {"_t1": soon.Unix() + 60}, "told nothing": {},
	} {
		out, err := s.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.table(sp)),
			Key: item{partitionAttribute: &ddb.AttributeValueMemberB{Value: []byte(k)}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"_t", "_t1"} {
			got, there := out.Item[name]
			expiry, wanted := want[name]
			if there != wanted || there && show(got) != show(encodeVersion(expiry)) {
				t.Errorf("%s has %s %v, want %d, %v", k, name, got, expiry, wanted)
			}
		}
	}
	sp.Expiry = nil
	for range 2 {
		if err := s.AlterSpace(t.Context(), sp); err != nil {
			t.Fatal(err)
		}
		wantExpiry(t, s, sp, "")
	}
}

func wantExpiry(t *testing.T, s *Store, sp *store.Space, attribute string) {
	t.Helper()
	d, err := s.expiry(t.Context(), sp)
	if err != nil || removes(d) != attribute {
		t.Errorf("DynamoDB removes by %+v, %v; want %q", d, err, attribute)
	}
}
