package dynamofake

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/internal/testseed"
)

// sdk is the real client, which tries everything once.
func sdk(f *Fake, name string) *dynamodb.Client { return sdkAt("http://fake", f.Client(name)) }

func sdkAt(endpoint string, h aws.HTTPClient) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, HTTPClient: h, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	})
}

var table1 = aws.String("table")

type attributes = map[string]ddb.AttributeValue

func text(s string) ddb.AttributeValue { return &ddb.AttributeValueMemberS{Value: s} }

func number(n int) ddb.AttributeValue { return &ddb.AttributeValueMemberN{Value: strconv.Itoa(n)} }

func numbered(n int) attributes { return attributes{"pk": text("p"), "sk": number(n)} }

// newTable makes a table with pk and sk.
func newTable(t *testing.T, c *dynamodb.Client) {
	t.Helper()
	_, err := c.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: table1, BillingMode: ddb.BillingModePayPerRequest,
		KeySchema: []ddb.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: ddb.KeyTypeHash}, {AttributeName: aws.String("sk"), KeyType: ddb.KeyTypeRange},
		},
		AttributeDefinitions: []ddb.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: ddb.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: ddb.ScalarAttributeTypeN},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func put(ctx context.Context, c *dynamodb.Client, n, v int) error {
	i := numbered(n)
	i["v"] = number(v)
	_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: table1, Item: i})
	return err
}

// transact puts two items, if both are not there.
func transact(ctx context.Context, c *dynamodb.Client, token string, n int) error {
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: &token}
	for i := range 2 {
		in.TransactItems = append(in.TransactItems, ddb.TransactWriteItem{Put: &ddb.Put{
			TableName: table1, Item: numbered(n + i), ConditionExpression: aws.String("attribute_not_exists(pk)"),
		}})
	}
	_, err := c.TransactWriteItems(ctx, in)
	return err
}

// count is how many items there are.
func count(t *testing.T, c *dynamodb.Client) int {
	t.Helper()
	out, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: table1, ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	return int(out.Count)
}

func status(err error) int {
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode()
	}
	return 0
}

// TestLost has requests that fail before and after they are carried out, in both of the ways in
// which a client reaches the fake.
func TestLost(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults Faults
		done   bool
		broken bool
	}{
		{"error before", Faults{ErrorBefore: 1}, false, true},
		{"error after", Faults{ErrorAfter: 1}, true, true},
		{"cut before", Faults{CutBefore: 1}, false, false},
		{"cut after", Faults{CutAfter: 1}, true, false},
	} {
		for _, sockets := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, sockets), func(t *testing.T) {
				f := New(Options{})
				client := sdk(f, "")
				if sockets {
					endpoint, err := f.Endpoint()
					if err != nil {
						t.Fatal(err)
					}
					client = sdkAt(endpoint+"/one", http.DefaultClient)
				}
				defer func() { _ = f.Close() }()
				newTable(t, client)
				f.SetFaults(c.faults)
				err := put(t.Context(), client, 1, 1)
				if err == nil || status(err) >= 500 != c.broken {
					t.Errorf("%v", err)
				}
				f.EndFaults()
				if n := count(t, client); n == 1 != c.done {
					t.Errorf("%d items", n)
				}
			})
		}
	}
}

// TestThrottling wants all 16 reasons, in errors that the SDK knows.
func TestThrottling(t *testing.T) {
	f := New(Options{Seed: 1})
	c := sdk(f, "")
	newTable(t, c)
	f.SetFaults(Faults{Throttle: 1})
	reasons, kinds := map[string]bool{}, map[string]bool{}
	for range 400 {
		err := put(t.Context(), c, 1, 1)
		if _, errGet := c.GetItem(t.Context(),
			&dynamodb.GetItemInput{TableName: table1, Key: numbered(1)}); len(reasons)%2 == 0 {
			err = errGet
		}
		var a *ddb.ProvisionedThroughputExceededException
		var b *ddb.ThrottlingException
		var d *ddb.RequestLimitExceeded
		var given []ddb.ThrottlingReason
		switch {
		case errors.As(err, &a):
			given = a.ThrottlingReasons
			kinds["a"] = true
		case errors.As(err, &b):
			given = b.ThrottlingReasons
			kinds["b"] = true
		case errors.As(err, &d):
			given = d.ThrottlingReasons
			kinds["d"] = true
		}
		if len(given) != 1 || !strings.Contains(*given[0].Resource, ":table/table") {
			t.Fatalf("%v", err)
		}
		reasons[*given[0].Reason] = true
	}
	if len(reasons) != 16 || len(kinds) != 3 {
		t.Errorf("%d reasons in %d kinds of errors: %v", len(reasons), len(kinds), reasons)
	}
	f.SetFaults(Faults{Throttle: 1, Reasons: []string{"TableWriteKeyRangeThroughputExceeded"}})
	if err := put(t.Context(), c, 1, 1); err == nil {
		t.Error("it is not throttled")
	}
	f.EndFaults()
	if n := count(t, c); n != 0 {
		t.Errorf("%d items", n)
	}
}

// TestDelayed has writes that are made later. A transaction is known by its token until then.
func TestDelayed(t *testing.T) {
	first := testseed.Of(t)
	for seed := first; seed < first+20; seed++ {
		f := New(Options{Seed: seed})
		c := sdk(f, "")
		newTable(t, c)
		f.SetFaults(Faults{Delay: 1})
		if err := put(t.Context(), c, 9, 9); err == nil {
			t.Fatal("the client knows")
		}
		if err := transact(t.Context(), c, "token", 1); err == nil {
			t.Fatal("the client knows")
		}
		f.SetFaults(Faults{})
		var running *ddb.TransactionInProgressException
		err := transact(t.Context(), c, "token", 1)
		if err != nil && !errors.As(err, &running) {
			t.Fatal(err)
		}
		if f.Delayed() == 0 && err != nil {
			t.Error("nothing was left to do")
		}
		if n := count(t, c); n != 3 {
			t.Errorf("seed %d: %d items", seed, n)
		}
		if err := transact(t.Context(), c, "token", 1); err != nil {
			t.Errorf("seed %d: again: %v", seed, err)
		}
	}
}

// TestPrepared has transactions that hold their items until they land.
func TestPrepared(t *testing.T) {
	held := 0
	first := testseed.Of(t)
	for seed := first; seed < first+30; seed++ {
		f := New(Options{Seed: seed})
		c := sdk(f, "")
		newTable(t, c)
		f.SetFaults(Faults{Delay: 1})
		_ = transact(t.Context(), c, "token", 1)
		f.SetFaults(Faults{})
		var other *ddb.TransactionConflictException
		if err := put(t.Context(), c, 1, 1); errors.As(err, &other) {
			held++
			var cancel *ddb.TransactionCanceledException
			if err := transact(t.Context(), c, "other", 2); !errors.As(err, &cancel) { // by the conflict, or by its condition
				t.Errorf("%v", err)
			}
		} else if err != nil {
			t.Error(err)
		}
		f.EndFaults()
	}
	if held == 0 || held == 30 {
		t.Errorf("%d of 30 held their items", held)
	}
}

// TestTokens follows a token through its ten minutes.
func TestTokens(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	f := New(Options{Now: func() time.Time { return now }})
	c := sdk(f, "")
	newTable(t, c)
	try := func(n int) error { return transact(t.Context(), c, "token", n) }
	if err := try(1); err != nil {
		t.Fatal(err)
	}
	now = now.Add(10*time.Minute - time.Second)
	if err := try(1); err != nil {
		t.Errorf("again: %v", err)
	}
	var other *ddb.IdempotentParameterMismatchException
	if err := try(5); !errors.As(err, &other) {
		t.Errorf("other parameters: %v", err)
	}
	for _, faults := range []Faults{{InProgress: 1}, {Mismatch: 1}, {Forget: 1}} {
		f.SetFaults(faults)
		if err := try(1); err == nil {
			t.Errorf("%+v: no error", faults)
		}
	}
	f.EndFaults()
	now = now.Add(2 * time.Second)
	var cancel *ddb.TransactionCanceledException
	if err := try(1); !errors.As(err, &cancel) {
		t.Errorf("after ten minutes: %v", err)
	}
}

// TestCancellations wants all reasons for which a transaction may be cancelled.
func TestCancellations(t *testing.T) {
	f := New(Options{Seed: 1, Faults: Faults{Cancel: 1}})
	c := sdk(f, "")
	newTable(t, c)
	seen := map[string]int{}
	for i := range 60 {
		var cancel *ddb.TransactionCanceledException
		if err := transact(t.Context(), c, fmt.Sprint(i), 1); !errors.As(err, &cancel) {
			t.Fatal(err)
		}
		for _, r := range cancel.CancellationReasons {
			seen[*r.Code]++
		}
	}
	if len(seen) != len(Cancellations())+1 || seen["None"] != 60 {
		t.Errorf("%v", seen)
	}
	if n := count(t, c); n != 0 {
		t.Errorf("%d items", n)
	}
}

// TestPartial has batches that are done in part, and goes on until they are done.
func TestPartial(t *testing.T) {
	f := New(Options{Seed: 2, Faults: Faults{Partial: 1}})
	c := sdk(f, "")
	newTable(t, c)
	var writes []ddb.WriteRequest
	var keys []attributes
	for i := range 25 {
		writes = append(writes, ddb.WriteRequest{PutRequest: &ddb.PutRequest{Item: numbered(i)}})
		keys = append(keys, numbered(i))
	}
	rounds := 0
	for left := map[string][]ddb.WriteRequest{*table1: writes}; len(left) > 0; rounds++ {
		out, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: left})
		if err != nil {
			t.Fatal(err)
		}
		left = out.UnprocessedItems
	}
	if n := count(t, c); n != 25 || rounds < 2 {
		t.Errorf("%d items in %d rounds", n, rounds)
	}
	found := 0
	for left := map[string]ddb.KeysAndAttributes{*table1: {Keys: keys, ProjectionExpression: aws.String("#s"),
		ExpressionAttributeNames: map[string]string{"#s": "sk"}}}; len(left) > 0; {
		out, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: left})
		if err != nil {
			t.Fatal(err)
		}
		found += len(out.Responses[*table1])
		left = out.UnprocessedKeys
	}
	if found != 25 {
		t.Errorf("%d found", found)
	}
}

// TestLag reads an item that changes. Eventual reads see states that it was in, strong ones the last.
func TestLag(t *testing.T) {
	f := New(Options{Seed: 3})
	c := sdk(f, "")
	newTable(t, c)
	f.SetFaults(Faults{Lag: 0.5})
	old := 0
	for v := range 200 {
		if err := put(t.Context(), c, 1, v); err != nil {
			t.Fatal(err)
		}
		for _, strong := range []bool{false, true} {
			out, err := c.GetItem(t.Context(),
				&dynamodb.GetItemInput{TableName: table1, Key: numbered(1), ConsistentRead: &strong})
			if err != nil {
				t.Fatal(err)
			}
			n := -1
			if out.Item != nil {
				n, _ = strconv.Atoi(out.Item["v"].(*ddb.AttributeValueMemberN).Value)
			}
			if n > v || strong && n != v {
				t.Fatalf("%d after %d", n, v)
			}
			if n < v {
				old++
			}
		}
	}
	if old < 50 || old > 150 {
		t.Errorf("%d of 200 reads lagged", old)
	}
	f.SetFaults(Faults{})
	for v := range 2 * memory {
		if err := put(t.Context(), c, 2, v); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(f.tables["table"].base.byKey["p"].entries[0].versions); n != 1 {
		t.Errorf("%d versions are kept", n)
	}
}

// TestPages reads pages of any size to the end, in both directions.
func TestPages(t *testing.T) {
	f := New(Options{Seed: 4})
	c := sdk(f, "")
	newTable(t, c)
	for i := range 100 {
		if err := put(t.Context(), c, i, i); err != nil {
			t.Fatal(err)
		}
	}
	f.SetFaults(Faults{Pages: 1})
	for _, forward := range []bool{true, false} {
		var got []string
		rounds := 0
		for p := dynamodb.NewQueryPaginator(c, &dynamodb.QueryInput{
			TableName: table1, KeyConditionExpression: aws.String("pk = :p"), ScanIndexForward: &forward,
			ExpressionAttributeValues: attributes{":p": text("p")},
		}); p.HasMorePages(); rounds++ {
			out, err := p.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range out.Items {
				got = append(got, i["sk"].(*ddb.AttributeValueMemberN).Value)
			}
		}
		if !forward {
			slices.Reverse(got)
		}
		if len(got) != 100 || rounds < 100/shortPage {
			t.Errorf("%d items in %d pages", len(got), rounds)
		}
		for i := range got {
			if got[i] != strconv.Itoa(i) {
				t.Fatalf("item %d is %s", i, got[i])
			}
		}
	}
}
