package dynamofake

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// indexOf is a global index to be made: its partition key and, if that is not empty, its sort key.
func indexOf(name, hash, sort string) *ddb.CreateGlobalSecondaryIndexAction {
	out := &ddb.CreateGlobalSecondaryIndexAction{
		IndexName: &name, Projection: &ddb.Projection{ProjectionType: ddb.ProjectionTypeAll},
		KeySchema: []ddb.KeySchemaElement{{AttributeName: &hash, KeyType: ddb.KeyTypeHash}},
	}
	if sort != "" {
		out.KeySchema = append(out.KeySchema, ddb.KeySchemaElement{AttributeName: &sort, KeyType: ddb.KeyTypeRange})
	}
	return out
}

// createIndex asks for an index. The attributes sk, h and v are numbers, others are texts.
func createIndex(t *testing.T, c *dynamodb.Client, x *ddb.CreateGlobalSecondaryIndexAction) error {
	in := &dynamodb.UpdateTableInput{TableName: table1,
		GlobalSecondaryIndexUpdates: []ddb.GlobalSecondaryIndexUpdate{{Create: x}}}
	for _, e := range x.KeySchema {
		kind := ddb.ScalarAttributeTypeS
		if slices.Contains([]string{"sk", "h", "v"}, *e.AttributeName) {
			kind = ddb.ScalarAttributeTypeN
		}
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			ddb.AttributeDefinition{AttributeName: e.AttributeName, AttributeType: kind})
	}
	_, err := c.UpdateTable(t.Context(), in)
	return err
}

// deleteIndex asks for an index to be removed.
func deleteIndex(t *testing.T, c *dynamodb.Client, name string) error {
	_, err := c.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: table1,
		GlobalSecondaryIndexUpdates: []ddb.GlobalSecondaryIndexUpdate{
			{Delete: &ddb.DeleteGlobalSecondaryIndexAction{IndexName: &name}}}})
	return err
}

// states tells the table's status, and that of each global index with what is said of its backfill.
func states(t *testing.T, c *dynamodb.Client) string {
	t.Helper()
	described, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: table1})
	if err != nil {
		t.Fatal(err)
	}
	out := []string{string(described.Table.TableStatus)}
	for _, x := range described.Table.GlobalSecondaryIndexes {
		s := *x.IndexName + " " + string(x.IndexStatus)
		if x.Backfilling != nil {
			s += " " + strconv.FormatBool(*x.Backfilling)
		}
		out = append(out, s+" "+strconv.FormatInt(*x.ItemCount, 10))
	}
	return strings.Join(out, ", ")
}

// scanned is how many items a page of an index has.
func scanned(t *testing.T, c *dynamodb.Client, index string) (int, error) {
	out, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: table1, IndexName: &index})
	if err != nil {
		return 0, err
	}
	return int(out.Count), nil
}

// says checks that an error is of a kind, and that its text has a part.
func says[E error](t *testing.T, err error, part string) {
	t.Helper()
	var kind E
	if !errors.As(err, &kind) || !strings.Contains(err.Error(), part) {
		t.Errorf("%v: is no %T with %q", err, kind, part)
	}
}

// invalidSays is says for a ValidationException, of which the SDK has no type.
func invalidSays(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "ValidationException") || !strings.Contains(err.Error(), part) {
		t.Errorf("%v: is no ValidationException with %q", err, part)
	}
}

// ofKey is an item with a text for an index.
func ofKey(n int, key ddb.AttributeValue) *dynamodb.PutItemInput {
	i := numbered(n)
	i["g"] = key
	return &dynamodb.PutItemInput{TableName: table1, Item: i}
}

// TestIndexDelay makes and removes an index, which takes its time, and changes other things meanwhile.
func TestIndexDelay(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	f := New(Options{Now: func() time.Time { return now }, TableDelay: time.Minute})
	c := sdk(f, "")
	newTable(t, c)
	at := func(want string) {
		t.Helper()
		if got := states(t, c); got != want {
			t.Errorf("is %s, should be %s", got, want)
		}
	}
	put := func(n int, key ddb.AttributeValue) error {
		_, err := c.PutItem(t.Context(), ofKey(n, key))
		return err
	}
	drop := func() error {
		_, err := c.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: table1})
		return err
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	now = now.Add(time.Minute)
	must(put(1, text("a")))
	must(put(2, number(2)))

	must(createIndex(t, c, indexOf("one", "g", "")))
	at("UPDATING, one CREATING false 0")
	must(put(3, text("b")))
	invalidSays(t, put(4, number(4)), "Type mismatch for Index Key g Expected: S Actual: N IndexName: one")
	_, err := scanned(t, c, "one")
	invalidSays(t, err, "Cannot read from backfilling global secondary index: one")
	says[*ddb.ResourceInUseException](t, createIndex(t, c, indexOf("one", "g", "")), "Index is being created.")
	says[*ddb.ResourceInUseException](t, deleteIndex(t, c, "one"), "resource allocation phase")
	says[*ddb.LimitExceededException](t, createIndex(t, c, indexOf("two", "g", "")), "Only 1 online index")
	says[*ddb.ResourceInUseException](t, provision(t, c), "Can't change table IOPS when an index is being created")
	says[*ddb.ResourceInUseException](t, drop(), "while indexes are being created")

	now = now.Add(30 * time.Second)
	at("ACTIVE, one CREATING true 2")
	_, err = scanned(t, c, "one")
	invalidSays(t, err, "Cannot read from backfilling global secondary index: one")
	says[*ddb.LimitExceededException](t, createIndex(t, c, indexOf("two", "g", "")), "Only 1 online index")
	says[*ddb.ResourceInUseException](t, drop(), "while indexes are being created")

	now = now.Add(30 * time.Second)
	at("ACTIVE, one ACTIVE 2")
	if n, err := scanned(t, c, "one"); n != 2 || err != nil {
		t.Errorf("%d items: %v", n, err)
	}
	must(createIndex(t, c, indexOf("two", "h", "")))
	now = now.Add(30 * time.Second)
	must(deleteIndex(t, c, "two"))
	at("UPDATING, one ACTIVE 2, two DELETING 0")
	_, err = scanned(t, c, "two")
	invalidSays(t, err, "The table does not have the specified index: two")
	says[*ddb.ResourceInUseException](t, deleteIndex(t, c, "two"), "Index is being deleted.")
	says[*ddb.LimitExceededException](t, deleteIndex(t, c, "one"), "Only 1 online index")
	says[*ddb.ResourceInUseException](t, provision(t, c), "Can't change table IOPS when an index is being deleted")
	says[*ddb.ResourceInUseException](t, drop(), "while indexes are being created")

	now = now.Add(time.Minute)
	at("ACTIVE, one ACTIVE 2")
	says[*ddb.ResourceNotFoundException](t, deleteIndex(t, c, "two"), "Index two for table table")
	must(drop())
}

// provision asks for throughput.
func provision(t *testing.T, c *dynamodb.Client) error {
	_, err := c.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: table1, BillingMode: ddb.BillingModeProvisioned,
		ProvisionedThroughput: &ddb.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(1),
			WriteCapacityUnits: aws.Int64(1)},
	})
	return err
}

// TestIndexLag reads an index of a table that existed before it, while an item changes its key in the index.
// The reads see a state in which the item was since the index was made, and only one.
func TestIndexLag(t *testing.T) {
	f := New(Options{Seed: 8})
	c := sdk(f, "")
	newTable(t, c)
	const before = 20
	for v := range before {
		if err := put(t.Context(), c, 1, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := createIndex(t, c, indexOf("values", "pk", "v")); err != nil {
		t.Fatal(err)
	}
	f.SetFaults(Faults{Lag: 0.5})
	old := 0
	for v := before; v < 10*before; v++ {
		if err := put(t.Context(), c, 1, v); err != nil {
			t.Fatal(err)
		}
		out, err := c.Query(t.Context(), &dynamodb.QueryInput{
			TableName: table1, IndexName: aws.String("values"), KeyConditionExpression: aws.String("pk = :p"),
			ExpressionAttributeValues: attributes{":p": text("p")},
		})
		if err != nil || len(out.Items) != 1 {
			t.Fatalf("%v: %v", out, err)
		}
		n, _ := strconv.Atoi(out.Items[0]["v"].(*ddb.AttributeValueMemberN).Value)
		if n > v || n < before-1 {
			t.Fatalf("%d after %d", n, v)
		}
		if n < v {
			old++
		}
	}
	if old < 4*before || old > 6*before { // of nine times as many reads
		t.Errorf("%d reads lagged", old)
	}
}
