package dynamostore

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
)

// TestStorageClass goes from one class of storage to the other and back, also together with other capacity, and makes
// tables of each. DynamoDB Local has no classes.
func TestStorageClass(t *testing.T) {
	s, err := Open(t.Context(), Options{Region: "us-east-1", Endpoint: "http://127.0.0.1:1",
		HTTPClient: dynamofake.New(dynamofake.Options{}).Client("")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	class := func(sp *store.Space) ddb.TableClass {
		table := s.table(sp)
		out, err := s.client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			t.Fatal(err)
		}
		return classNow(out.Table)
	}
	all := []store.Capacity{
		{}, {Infrequent: true}, {ReadUnits: 5, WriteUnits: 6, Infrequent: true}, {ReadUnits: 5, WriteUnits: 6},
	}
	sp := items(1)
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 1, 2, 3, 2, 0} {
		want := all[i]
		sp.Capacity = want
		if err := s.AlterSpace(t.Context(), sp); err != nil {
			t.Fatalf("%+v: %v", want, err)
		}
		got := kept(t, s, sp)
		if got.Infrequent = class(sp) == ddb.TableClassStandardInfrequentAccess; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for i, c := range all {
		made := items(store.SpaceID(2 + i))
		made.Capacity = c
		if err := s.Create(t.Context(), made); err != nil {
			t.Fatal(err)
		}
		if got := class(made) == ddb.TableClassStandardInfrequentAccess; got != c.Infrequent {
			t.Errorf("made as %+v, of class %s", c, class(made))
		}
	}
}
