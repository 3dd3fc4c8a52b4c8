package dynamostore

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// kept is how a table is paid now.
func kept(t *testing.T, s *Store, sp *store.Space) (c store.Capacity) {
	t.Helper()
	table := s.table(sp)
	out, err := s.client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	d := out.Table
	if d.BillingModeSummary == nil || d.BillingModeSummary.BillingMode == ddb.BillingModeProvisioned {
		c.ReadUnits, c.WriteUnits = aws.ToInt64(d.ProvisionedThroughput.ReadCapacityUnits),
			aws.ToInt64(d.ProvisionedThroughput.WriteCapacityUnits)
	}
	if o := d.OnDemandThroughput; o != nil {
		c.MostReadUnits, c.MostWriteUnits = max(aws.ToInt64(o.MaxReadRequestUnits), 0),
			max(aws.ToInt64(o.MaxWriteRequestUnits), 0)
	}
	return c
}

// TestAlterSpace goes from each capacity to each other one. DynamoDB Local fails at a bound of one side alone.
func TestAlterSpace(t *testing.T) {
	s := open(t)
	all := []store.Capacity{
		{}, {ReadUnits: 5, WriteUnits: 6}, {ReadUnits: 5, WriteUnits: 7}, {MostReadUnits: 100, MostWriteUnits: 50},
	}
	sp := items(1)
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 3, 3, 1, 2, 0} { // on demand at first
		sp.Capacity = all[i]
		if err := s.AlterSpace(t.Context(), sp); err != nil {
			t.Fatalf("%+v: %v", sp.Capacity, err)
		}
		if got := kept(t, s, sp); got != sp.Capacity {
			t.Errorf("%+v, want %+v", got, sp.Capacity)
		}
	}
	for _, c := range all {
		sp.ID, sp.Capacity = sp.ID+1, c
		if err := s.Create(t.Context(), sp); err != nil {
			t.Fatal(err)
		}
		if got := kept(t, s, sp); got != c {
			t.Errorf("made as %+v, want %+v", got, c)
		}
	}
}

// TestAlterSpaceRefused wants DynamoDB's own words of what it does not do.
func TestAlterSpaceRefused(t *testing.T) {
	s, sp := open(t), items(1)
	sp.Capacity = store.Capacity{ReadUnits: 1, WriteUnits: 1 << 40}
	var refused *store.Refused
	if err := s.Create(t.Context(), sp); !errors.As(err, &refused) || refused.Reason == "" {
		t.Errorf("got %v", err)
	}
}

// TestRetuneWarm asks for no more than a table is not ready for yet. DynamoDB Local knows nothing of it.
func TestRetuneWarm(t *testing.T) {
	now := &ddb.TableDescription{
		BillingModeSummary: &ddb.BillingModeSummary{BillingMode: ddb.BillingModePayPerRequest},
		WarmThroughput: &ddb.TableWarmThroughputDescription{ReadUnitsPerSecond: aws.Int64(12000),
			WriteUnitsPerSecond: aws.Int64(4000)},
	}
	for _, c := range []struct {
		want store.Capacity
		asks int
	}{
		{store.Capacity{}, 0}, {store.Capacity{WarmReadUnits: 12000}, 0}, {store.Capacity{WarmReadUnits: 12000, WarmWriteUnits: 4001}, 1},
		{store.Capacity{WarmReadUnits: 20000, MostReadUnits: 5}, 2},
	} {
		asks := retune(now, c.want)
		if len(asks) != c.asks {
			t.Errorf("%+v: %d changes, want %d", c.want, len(asks), c.asks)
		}
		if n := len(asks); n > 0 && (asks[n-1].WarmThroughput == nil || asks[n-1].BillingMode != "") {
			t.Errorf("%+v: the last change is %+v", c.want, asks[n-1])
		}
	}
}
