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
	"zproxy/store/dynamostore/dynamofake"
)

// changedItem is an item with some changes.
func (d draw) changedItem(from item) item {
	to := item{"p": from["p"]}
	for name, a := range from {
		to[name] = a
		for range d.IntN(3) {
			to[name] = d.changed(to[name])
		}
		if d.IntN(8) == 0 && name != "p" {
			delete(to, name)
		}
	}
	to["p"] = from["p"]
	for range d.IntN(3) {
		to[d.name()] = d.other(2)
	}
	return to
}

// TestDocumentChange makes items of others by an expression with paths: what comes of it is the other item, also where
// so much changes that no expression with paths holds it.
func TestDocumentChange(t *testing.T) {
	d := draw{rand.New(rand.NewPCG(testseed.Of(t), 9))}
	s := openOn(t, dynamofake.New(dynamofake.Options{}), "")
	name := aws.String("Documents")
	_, err := s.client.CreateTable(t.Context(), &dynamodb.CreateTableInput{TableName: name,
		KeySchema: schema("p", "")[:1], BillingMode: ddb.BillingModePayPerRequest,
		AttributeDefinitions: []ddb.AttributeDefinition{{AttributeName: aws.String("p"), AttributeType: "N"}}})
	if err != nil {
		t.Fatal(err)
	}
	deep, large := 0, 0
	for n := range 400 {
		key := item{"p": inN(fmt.Sprint(n))}
		from := item{"p": key["p"]}
		for range 1 + d.IntN(5) {
			from[d.name()] = d.other(4)
		}
		to := d.changedItem(from)
		if n%20 == 0 {
			from["wide"], to["wide"] = d.wide()
			large++
		}
		c := changeOf(from, to)
		if err := c.fits(*name); err != nil {
			t.Fatalf("%v for %s", err, itemInWords(to))
		}
		if strings.Contains(c.expression(), ".") {
			deep++
		}
		if c.empty() {
			if itemInWords(from) != itemInWords(to) {
				t.Errorf("no change makes %s of %s", itemInWords(to), itemInWords(from))
			}
			continue
		}
		if _, err := s.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: from}); err != nil {
			t.Fatal(err)
		}
		var cond condition
		change := c.in(&cond)
		out, err := s.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: name, Key: key,
			UpdateExpression: change, ExpressionAttributeNames: cond.names, ExpressionAttributeValues: cond.values,
			ReturnValues: ddb.ReturnValueAllNew})
		if err != nil {
			t.Fatalf("%s: %v", *change, err)
		}
		if got, want := itemInWords(out.Attributes), itemInWords(to); got != want {
			t.Errorf("%s makes of\n%s\n%s\nwant\n%s", *change, itemInWords(from), got, want)
		}
	}
	if deep < 50 {
		t.Errorf("%d of 400 have paths", deep)
	}
	t.Logf("%d have paths, %d are wide", deep, large)
}

// wide is a map in which more changes than an expression has room for.
func (d draw) wide() (from, to ddb.AttributeValue) {
	a, b := item{}, item{}
	for i := range 300 {
		name := fmt.Sprint("member", i)
		a[name], b[name] = inN("1"), inN("2")
		if d.IntN(4) == 0 {
			b[name] = a[name]
		}
	}
	return &ddb.AttributeValueMemberM{Value: a}, &ddb.AttributeValueMemberM{Value: b}
}
