package dynamostore

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/types"
)

// answering answers every request with one body, so that nothing but the client is measured.
type answering string

// Do implements aws.HTTPClient.
func (a answering) Do(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// BenchmarkPointRead compares a Get of one key with the bare SDK.
func BenchmarkPointRead(b *testing.B) {
	client := answering(`{"Item":{"pk":{"B":"cA=="},"sk":{"B":"MDAwMQ=="},"a":{"N":"7"},"b":{"S":"text"},"c":{"N":"1.5"},"d":{"S":"more text"}},"ConsumedCapacity":{"CapacityUnits":1,"TableName":"zproxy.items.1"}}`)
	s, err := Open(b.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: client})
	if err != nil {
		b.Fatal(err)
	}
	sp := &store.Space{ID: 1, Name: "items", Sorted: true}
	for i, t := range []types.T{types.Int4, types.Text, types.Numeric, types.Text} {
		sp.Columns = append(sp.Columns, store.Column{ID: uint32(i), Name: string(rune('a' + i)), Type: t})
	}
	b.Run("sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, err := s.client.GetItem(b.Context(), &dynamodb.GetItemInput{
				TableName: aws.String("zproxy.items.1"), ConsistentRead: aws.Bool(true),
				ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
				Key: item{"pk": &ddb.AttributeValueMemberB{Value: []byte("p")},
					"sk": &ddb.AttributeValueMemberB{Value: []byte("0001")}},
				ProjectionExpression: aws.String("#0,#1,#2,#3,#4,#5"),
				ExpressionAttributeNames: map[string]string{"#0": "a", "#1": "b", "#2": "c", "#3": "d", "#4": "pk",
					"#5": "sk"},
			})
			if err != nil || len(out.Item) != 6 {
				b.Fatal(err)
			}
		}
	})
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		out := types.NewBatch(4)
		for b.Loop() {
			tx, err := s.Begin(b.Context(), store.Mode{ReadOnly: true})
			if err != nil {
				b.Fatal(err)
			}
			out.Reset(4)
			ask := store.Get{Keys: []store.Key{key(1)}, Columns: []int{0, 1, 2, 3}, Stats: &store.Stats{}}
			if found, err := tx.Get(b.Context(), sp, &ask, out); err != nil || !found[0] {
				b.Fatal(err)
			}
			tx.Rollback()
		}
	})
}
