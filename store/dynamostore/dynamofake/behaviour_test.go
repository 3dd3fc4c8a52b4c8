package dynamofake

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestSameSeed runs the same requests of two clients in different orders: what happens to each
// is the same with the same seed, and something else with another.
func TestSameSeed(t *testing.T) {
	outcomes := func(seed uint64, order []string) map[string][]string {
		f := New(Options{Seed: seed})
		newTable(t, sdk(f, "admin"))
		f.SetFaults(Faults{Throttle: 0.2, ErrorBefore: 0.1, ErrorAfter: 0.1, CutAfter: 0.1, Conflict: 0.1, Partial: 0.5,
			Pages: 0.5})
		out := map[string][]string{}
		for i := range 100 {
			for _, name := range order {
				err := put(t.Context(), sdk(f, name), i, i)
				out[name] = append(out[name], strings.ReplaceAll(fmt.Sprint(err), name, ""))
			}
		}
		return out
	}
	one, two, three := outcomes(1, []string{"a", "b"}), outcomes(1, []string{"b", "a"}), outcomes(2, []string{"a", "b"})
	if !reflect.DeepEqual(one, two) {
		t.Error("the order matters")
	}
	if reflect.DeepEqual(one, three) || reflect.DeepEqual(one["a"], one["b"]) {
		t.Error("the seed or the client does not matter")
	}
}

// TestHotPartition writes to one partition until it has had enough, and again a second later.
func TestHotPartition(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	f := New(Options{Now: func() time.Time { return now }, WriteLimit: MaxWrites, ReadLimit: MaxReads})
	c := sdk(f, "")
	newTable(t, c)
	full := func() (n int) {
		for ; n < 2*MaxWrites; n++ {
			err := put(t.Context(), c, n, n)
			var hot *ddb.ProvisionedThroughputExceededException
			if errors.As(err, &hot) {
				if r := *hot.ThrottlingReasons[0].Reason; r != "TableWriteKeyRangeThroughputExceeded" {
					t.Errorf("reason %s", r)
				}
				return n
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	if n := full(); n < MaxWrites || n > MaxWrites+1 {
		t.Errorf("%d writes", n)
	}
	now = now.Add(time.Second / 2)
	if n := full(); n < MaxWrites/2-1 || n > MaxWrites/2+1 {
		t.Errorf("%d writes after half a second", n)
	}
	if used := f.Requests()[Kind{"PutItem", "table"}]; used.WriteUnits < 1.4*MaxWrites || used.Failed != 2 {
		t.Errorf("%+v", used)
	}
}

// TestProvisioned holds a table to its throughput.
func TestProvisioned(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	f := New(Options{Now: func() time.Time { return now }, Provisioned: true})
	c := sdk(f, "")
	newTable(t, c)
	_, err := c.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: table1, BillingMode: ddb.BillingModeProvisioned,
		ProvisionedThroughput: &ddb.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(1),
			WriteCapacityUnits: aws.Int64(3)},
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; err == nil && n < 20; n++ {
		err = put(t.Context(), c, n, n)
	}
	var over *ddb.ProvisionedThroughputExceededException
	if !errors.As(err, &over) || *over.ThrottlingReasons[0].Reason != "TableWriteProvisionedThroughputExceeded" ||
		n > 5 {
		t.Errorf("%d writes: %v", n, err)
	}
}

// TestFrozen freezes a client before its request; the client gives up, and the write is made later.
func TestFrozen(t *testing.T) {
	thaw, frozen := make(chan struct{}), make(chan Request, 1)
	var landed sync.WaitGroup
	landed.Add(1)
	f := New(Options{
		Before: func(r *Request) {
			if r.Client == "slow" {
				frozen <- *r
				<-thaw
			}
		},
		After: func(r *Request) {
			if r.Client == "slow" {
				landed.Done()
			}
		},
	})
	quick, slow := sdk(f, "quick"), sdk(f, "slow")
	newTable(t, quick)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- put(ctx, slow, 1, 1) }()
	if r := <-frozen; r.Op != "PutItem" || r.Number != 1 || len(r.Tables) != 1 || r.Tables[0] != "table" {
		t.Errorf("%+v", r)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if n := count(t, quick); n != 0 {
		t.Errorf("%d items", n)
	}
	close(thaw)
	landed.Wait()
	if n := count(t, quick); n != 1 {
		t.Errorf("%d items", n)
	}
}

// TestExpire removes what has expired, and nothing else.
func TestExpire(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	f := New(Options{Now: func() time.Time { return now }})
	c := sdk(f, "")
	newTable(t, c)
	_, err := c.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: table1, TimeToLiveSpecification: &ddb.TimeToLiveSpecification{AttributeName: aws.String("t"),
			Enabled: aws.Bool(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, value := range []ddb.AttributeValue{
		number(int(now.Unix()) - 1), number(int(now.Unix()) + 1), text("1"), number(int(now.Add(-oldest).Unix()) - 1),
		nil,
	} {
		item := numbered(i)
		if value != nil {
			item["t"] = value
		}
		if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table1, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, c); n != 5 {
		t.Errorf("%d items before", n)
	}
	f.Expire()
	if n := count(t, c); n != 4 {
		t.Errorf("%d items after", n)
	}
}

// TestTableDelay makes and removes a table that takes its time.
func TestTableDelay(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	f := New(Options{Now: func() time.Time { return now }, TableDelay: time.Minute})
	c := sdk(f, "")
	newTable(t, c)
	described := func() string {
		out, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: table1})
		var gone *ddb.ResourceNotFoundException
		if errors.As(err, &gone) {
			return "gone"
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(out.Table.TableStatus)
	}
	drop := func() error {
		_, err := c.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: table1})
		return err
	}
	var busy *ddb.ResourceInUseException
	var gone *ddb.ResourceNotFoundException
	if err := put(t.Context(), c, 1, 1); !errors.As(err, &gone) || described() != "CREATING" {
		t.Errorf("%v", err)
	}
	if err := drop(); !errors.As(err, &busy) {
		t.Errorf("%v", err)
	}
	now = now.Add(time.Minute)
	if err := put(t.Context(), c, 1, 1); err != nil || described() != "ACTIVE" {
		t.Errorf("%v", err)
	}
	if err := drop(); err != nil || described() != "DELETING" {
		t.Errorf("%v", err)
	}
	now = now.Add(time.Minute)
	if s := described(); s != "gone" {
		t.Errorf("status %s", s)
	}
}

// TestGarbage has answers that make no sense, and leaves what is stored as it is.
func TestGarbage(t *testing.T) {
	f := New(Options{Seed: 5})
	c := sdk(f, "")
	newTable(t, c)
	if err := put(t.Context(), c, 1, 7); err != nil {
		t.Fatal(err)
	}
	get := func() map[string]ddb.AttributeValue {
		out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: table1, Key: numbered(1)})
		if err != nil {
			t.Fatal(err)
		}
		return out.Item
	}
	want := get()
	f.SetFaults(Faults{Garbage: 1})
	for range 50 {
		if got := get(); reflect.DeepEqual(got, want) {
			t.Error("the item is as it should be")
		}
	}
	f.EndFaults()
	if got := get(); !reflect.DeepEqual(got, want) {
		t.Errorf("stored: %v", got)
	}
}

// TestAtOnce has many clients write and read at once, with all faults, and wants sums to be kept.
func TestAtOnce(t *testing.T) {
	f := New(Options{Seed: 6})
	newTable(t, sdk(f, "admin"))
	f.SetFaults(Faults{
		Throttle: 0.05, ErrorBefore: 0.05, ErrorAfter: 0.05, CutBefore: 0.05, CutAfter: 0.05, Delay: 0.05,
		Conflict: 0.05,
		Cancel:   0.05, InProgress: 0.05, Partial: 0.3, Lag: 0.3, Pages: 0.3, Garbage: 0.1, Expire: 0.1,
	})
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			c := sdk(f, fmt.Sprint("client ", n))
			for i := range 100 {
				_ = transact(t.Context(), c, fmt.Sprint(n, "-", i), 2*(i+n))
				_, _ = c.Query(t.Context(), &dynamodb.QueryInput{
					TableName: table1, KeyConditionExpression: aws.String("pk = :p"),
					ExpressionAttributeValues: attributes{":p": text("p")},
				})
			}
		})
	}
	all.Wait()
	f.EndFaults()
	if n := count(t, sdk(f, "admin")); n%2 != 0 || n < 50 {
		t.Errorf("%d items: pairs were written", n)
	}
}
