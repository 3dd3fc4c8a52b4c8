package dynamostore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/store/overlay"
)

// maxGet is how many keys one BatchGetItem takes, all different.
const maxGet = 100

// placeOf is a whole key, to find an item by.
func placeOf(s *store.Space, k store.Key) string { return string(overlay.AppendKey(nil, s.ID, k)) }

// getter reads the committed items at some keys.
type getter struct {
	store  *Store
	space  *store.Space
	stats  *store.Stats
	want   projection
	strong bool
	found  map[string]item // the answer: nil for a key that was asked for and has no item
}

// get asks for the items at keys. A key that DynamoDB could not hold has none.
func (g *getter) get(ctx context.Context, keys []store.Key) error {
	var chunk []item
	for _, k := range keys {
		if _, asked := g.found[placeOf(g.space, k)]; asked {
			continue
		}
		g.found[placeOf(g.space, k)] = nil
		attributes, err := encodeKey(g.space, k)
		if errors.Is(err, store.ErrTooLarge) {
			continue
		}
		if err != nil {
			return fmt.Errorf("dynamodb: %w", err)
		}
		if chunk = append(chunk, attributes); len(chunk) == maxGet {
			if err := g.chunk(ctx, chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
	}
	return g.chunk(ctx, chunk)
}

// chunk asks for up to maxGet keys. What an answer leaves out, for its size or for
// throttling, is asked for again; only throttling makes us wait.
func (g *getter) chunk(ctx context.Context, keys []item) error {
	table := g.store.table(g.space)
	for wait := g.store.patience(ctx, table); len(keys) > 0; {
		if err := g.store.check(ctx); err != nil {
			return err
		}
		out, err := g.store.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]ddb.KeysAndAttributes{table: {
				Keys: keys, ConsistentRead: &g.strong,
				ProjectionExpression: g.want.expression, ExpressionAttributeNames: g.want.names,
			}},
			ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return fmt.Errorf("dynamodb: %w", err)
		}
		if err := g.take(out.Responses[table]); err != nil {
			return err
		}
		g.count(out.ConsumedCapacity)
		left := out.UnprocessedKeys[table].Keys
		if err := wait.after(ctx, len(keys), len(left)); err != nil {
			return err
		}
		keys = left
	}
	return nil
}

func (g *getter) take(answer []item) error {
	for _, attributes := range answer {
		key, err := decodeKey(g.space, attributes)
		if err != nil {
			return fmt.Errorf("dynamodb: %w", err)
		}
		g.found[placeOf(g.space, key)] = attributes
	}
	return nil
}

func (g *getter) count(consumed []ddb.ConsumedCapacity) {
	g.stats.Requests++
	for i := range consumed {
		g.stats.ReadUnits += aws.ToFloat64(consumed[i].CapacityUnits)
	}
}
