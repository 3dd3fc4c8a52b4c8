package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxBatch is how many writes one BatchWriteItem takes, of different items.
const maxBatch = 25

// errOpen means that a write may have been carried out, or may be later.
var errOpen = errors.New("the outcome of a write is open")

// batches makes writes without guards, in no order. What was not carried out is sent again, and
// so is what may have been, unless that is fragile: then it is errOpen.
func (c *committer) batches(ctx context.Context, writes []write, fragile bool) error {
	return each(ctx, c.width, slices.Collect(slices.Chunk(writes, maxBatch)),
		func(ctx context.Context, chunk *[]write) error {
			return c.batch(ctx, *chunk, fragile)
		})
}

// batch sends up to maxBatch writes, and again those that were handed back.
func (c *committer) batch(ctx context.Context, writes []write, fragile bool) error {
	ctx, t := observe(ctx)
	t.fragile, t.repeats = fragile, !fragile
	defer c.tell(t)
	for wait := c.store.patience(ctx, writes[0].table); ; {
		if err := c.store.check(ctx); err != nil {
			return err
		}
		out, err := c.store.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: requests(writes), ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			c.charge()
			if fragile && !refused(err) {
				return fmt.Errorf("dynamodb: %w: %w", errOpen, err)
			}
			return writeError(err)
		}
		c.charge(refs(out.ConsumedCapacity)...)
		if writes, err = handedBack(writes, out.UnprocessedItems); err != nil || len(writes) == 0 {
			return err
		}
		if err := wait.after(ctx, len(writes), keysOf(writes)); err != nil { // also where some were carried out
			return err
		}
	}
}

func keysOf(writes []write) []item {
	out := make([]item, len(writes))
	for i := range writes {
		out[i] = writes[i].at()
	}
	return out
}

func requests(writes []write) map[string][]ddb.WriteRequest {
	out := map[string][]ddb.WriteRequest{}
	for i := range writes {
		w := &writes[i]
		out[w.table] = append(out[w.table], w.request())
	}
	return out
}

// handedBack are those of some writes that were not carried out. Nothing else is sent again, whatever
// the answer has.
func handedBack(writes []write, back map[string][]ddb.WriteRequest) ([]write, error) {
	type itemKey struct{ table, partition, sort string }
	at := func(table string, of item) itemKey {
		return itemKey{table, keyBytes(of, partitionAttribute), keyBytes(of, sortAttribute)}
	}
	asked, n := map[itemKey]bool{}, 0
	for table, list := range back {
		for _, r := range list {
			if r.PutRequest != nil {
				asked[at(table, r.PutRequest.Item)] = true
			} else if r.DeleteRequest != nil {
				asked[at(table, r.DeleteRequest.Key)] = true
			}
			n++
		}
	}
	var left []write
	for i := range writes {
		if w := &writes[i]; asked[at(w.table, w.at())] {
			left = append(left, *w)
		}
	}
	if len(left) != n {
		return nil, garbage(writes[0].table, errors.New("writes are unprocessed that were not asked for"))
	}
	return left, nil
}

// keyBytes are those of an attribute of a key, as DynamoDB has them; empty: there is none. In a table all are of
// one type.
func keyBytes(of item, attribute string) string {
	switch a := of[attribute].(type) {
	case *ddb.AttributeValueMemberB:
		return string(a.Value)
	case *ddb.AttributeValueMemberS:
		return a.Value
	case *ddb.AttributeValueMemberN:
		return a.Value
	}
	return ""
}

// keyAttribute is an attribute of some bytes, of the type that another one has.
func keyAttribute(bytes []byte, t ddb.ScalarAttributeType) ddb.AttributeValue {
	switch t {
	case ddb.ScalarAttributeTypeS:
		return &ddb.AttributeValueMemberS{Value: string(bytes)}
	case ddb.ScalarAttributeTypeN:
		return &ddb.AttributeValueMemberN{Value: string(bytes)}
	}
	return &ddb.AttributeValueMemberB{Value: bytes}
}

// scalarOf is the type of an attribute of a key.
func scalarOf(a ddb.AttributeValue) ddb.ScalarAttributeType {
	switch a.(type) {
	case *ddb.AttributeValueMemberS:
		return ddb.ScalarAttributeTypeS
	case *ddb.AttributeValueMemberN:
		return ddb.ScalarAttributeTypeN
	}
	return ddb.ScalarAttributeTypeB
}
