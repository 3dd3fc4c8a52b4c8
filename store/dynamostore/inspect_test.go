package dynamostore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/sample"
)

// newSampled makes a table of some items, each with so many bytes of text at the most.
func newSampled(t *testing.T, s *Store, r *rand.Rand, items, bytes int) string {
	t.Helper()
	name := fmt.Sprintf("sampled%d", opened.Add(1))
	in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: ddb.BillingModePayPerRequest,
		KeySchema: schema("PK", "SK"), StreamSpecification: &ddb.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: ddb.StreamViewTypeNewImage}}
	for _, a := range []string{"PK", "SK"} {
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			ddb.AttributeDefinition{AttributeName: aws.String(a), AttributeType: "S"})
	}
	if _, err := s.client.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	for i := range items {
		_, err := s.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item{
			"PK":   &ddb.AttributeValueMemberS{Value: fmt.Sprintf("P#%d", i/3)},
			"SK":   &ddb.AttributeValueMemberS{Value: fmt.Sprintf("S#%d", i)},
			"text": &ddb.AttributeValueMemberS{Value: strings.Repeat("x", 1+r.IntN(bytes))},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// TestSampleKeepsItsLimits samples tables of small and of large items. The fake counts what was read: never more than
// was announced, and never more items than were asked for.
func TestSampleKeepsItsLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for _, c := range []struct{ items, bytes, most, units int }{
		{0, 1, 100, 90}, {500, 200, 1000, 500}, {500, 200, 100, 500}, {300, 30_000, 1000, 200}, {60, 390_000, 1000,
			400},
		{60, 390_000, 1000, LeastSampleUnits}, {200, 100_000, 5000, 700}, {900, 500, 5000, 90},
	} {
		f := dynamofake.New(dynamofake.Options{Seed: r.Uint64()})
		s := openOn(t, f, "")
		table := newSampled(t, s, r, c.items, c.bytes)
		f.ForgetRequests()
		announced := 0.0
		got, err := SampleTable(t.Context(), s, table, SampleLimits{Items: c.most, Units: float64(c.units),
			Announce: func(most float64) {
				announced = most
				if f.Requests()[dynamofake.Kind{Op: "Scan", Table: table}].Requests > 0 {
					t.Error("it was read before that was announced")
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		read := f.Requests()[dynamofake.Kind{Op: "Scan", Table: table}]
		if read.ReadUnits > announced || read.ReadUnits != got.Units || announced != float64(c.units) {
			t.Errorf("%+v: %g units read, %g counted, %g announced", c, read.ReadUnits, got.Units, announced)
		}
		if len(got.Items) > c.most || c.items > 0 && len(got.Items) == 0 {
			t.Errorf("%+v: %d items", c, len(got.Items))
		}
		if c.bytes < 1000 && c.most > c.items && c.units > 100 && len(got.Items) != c.items {
			t.Errorf("%+v: %d items", c, len(got.Items))
		}
		for kind := range f.Requests() {
			if kind.Op != "Scan" && !strings.HasPrefix(kind.Op, "Describe") {
				t.Errorf("%s was sent", kind.Op)
			}
		}
	}
}

// TestSampleDescribes looks at what a table says of itself.
func TestSampleDescribes(t *testing.T) {
	s := openOn(t, dynamofake.New(dynamofake.Options{}), "")
	table := newSampled(t, s, rand.New(rand.NewPCG(1, 1)), 3, 10)
	limits := SampleLimits{Items: 10, Units: 100}
	got, err := SampleTable(t.Context(), s, table, limits)
	if err != nil {
		t.Fatal(err)
	}
	want := sample.Table{Name: table, Partition: sample.Attribute{Name: "PK", Type: sample.String},
		Sort: sample.Attribute{Name: "SK", Type: sample.String}, Items: 3, Stream: "NEW_IMAGE", Recovery: "off"}
	if got.Table.Bytes = 0; fmt.Sprint(got.Table) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got.Table, want)
	}
	_, err = s.client.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: &table,
		TimeToLiveSpecification: &ddb.TimeToLiveSpecification{AttributeName: aws.String("ends"),
			Enabled: aws.Bool(true)}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.client.UpdateContinuousBackups(t.Context(), &dynamodb.UpdateContinuousBackupsInput{TableName: &table,
		PointInTimeRecoverySpecification: &ddb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: aws.Bool(true)}})
	if err != nil {
		t.Fatal(err)
	}
	got, err = SampleTable(t.Context(), s, table, limits)
	if err != nil || got.Table.TTL != "ends" || got.Table.Recovery != "on" {
		t.Errorf("%v, %+v", err, got)
	}
	_, err = SampleTable(t.Context(), s, "missing", limits)
	if e := sqlerr.From(err); e.Code != sqlerr.ForeignTableNotFound {
		t.Errorf("of a table that is not there: %v", err)
	}
	_, err = SampleTable(t.Context(), s, "zproxy.orders.7", limits)
	if e := sqlerr.From(err); e.Code != sqlerr.FeatureNotSupported {
		t.Errorf("of a table of our own: %v", err)
	}
}
