package dynamostore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// The limits of one TransactWriteItems.
const (
	maxTransactItems = 100
	maxTransactBytes = 4 << 20
)

// write is one item to be written, or deleted when it has no attributes.
type write struct {
	table      string
	key        item
	attributes item
	guard      store.Guard
	seen       int64 // the version that a read found, 0 for no item
}

// condition is what must hold for the write, as DynamoDB's expression.
type condition struct {
	expression *string
	names      map[string]string
	values     item
}

func (w *write) condition() condition {
	switch {
	case w.guard == store.Always, w.guard == store.Loose:
		return condition{}
	case w.guard == store.Absent, w.seen == 0:
		return condition{expression: aws.String("attribute_not_exists(" + partitionAttribute + ")")}
	}
	return condition{
		expression: aws.String("#v = :seen"),
		names:      map[string]string{"#v": versionAttribute},
		values:     item{":seen": encodeVersion(w.seen)},
	}
}

// commit sends the writes, all or none.
func (s *Store) commit(ctx context.Context, writes []write) error {
	if err := checkSize(writes); err != nil || len(writes) == 0 {
		return err
	}
	if err := s.check(ctx); err != nil { // nothing was sent, so the outcome is known
		return err
	}
	for i := range writes {
		if w := &writes[i]; w.attributes != nil {
			w.attributes[versionAttribute] = encodeVersion(s.clock.after(w.seen))
		}
	}
	switch {
	case len(writes) > 1:
		return s.transact(ctx, writes)
	case writes[0].attributes != nil:
		return s.put(ctx, &writes[0])
	}
	return s.delete(ctx, &writes[0])
}

func checkSize(writes []write) error {
	if len(writes) > maxTransactItems {
		return fmt.Errorf("dynamodb: a transaction of %d items, at most %d: %w", len(writes), maxTransactItems, store.ErrTooLarge)
	}
	total := 0
	for i := range writes {
		total += size(writes[i].key) + size(writes[i].attributes)
	}
	if total > maxTransactBytes {
		return fmt.Errorf("dynamodb: a transaction of %d bytes, at most %d: %w", total, maxTransactBytes, store.ErrTooLarge)
	}
	return nil
}

// put writes one item. When its condition fails at a later attempt, the item tells
// whether an earlier one had written it.
func (s *Store) put(ctx context.Context, w *write) error {
	c, attempts := w.condition(), witness{RetryerV2: s.retryer}
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &w.table, Item: w.attributes, ConditionExpression: c.expression,
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
	}, attempts.watch)
	var failed *ddb.ConditionalCheckFailedException
	if attempts.lost && errors.As(err, &failed) && sameVersion(failed.Item, w.attributes) {
		return nil
	}
	return commitError(err, attempts.lost)
}

func sameVersion(a, b item) bool {
	va, errA := decodeVersion(a)
	vb, errB := decodeVersion(b)
	return errA == nil && errB == nil && va == vb
}

func (s *Store) delete(ctx context.Context, w *write) error {
	c, attempts := w.condition(), witness{RetryerV2: s.retryer}
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &w.table, Key: w.key, ConditionExpression: c.expression,
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
	}, attempts.watch)
	return commitError(err, attempts.lost)
}

// transact writes several items. One token goes with all attempts, so they are carried
// out once at the most, and a transaction that is cancelled was never carried out.
func (s *Store) transact(ctx context.Context, writes []write) error {
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(rand.Text())}
	for i := range writes {
		in.TransactItems = append(in.TransactItems, writes[i].transactItem())
	}
	attempts := witness{RetryerV2: s.retryer}
	_, err := s.client.TransactWriteItems(ctx, in, attempts.watch)
	var cancel *ddb.TransactionCanceledException
	return commitError(err, attempts.lost && !errors.As(err, &cancel))
}

func (w *write) transactItem() ddb.TransactWriteItem {
	c := w.condition()
	if w.attributes == nil {
		return ddb.TransactWriteItem{Delete: &ddb.Delete{
			TableName: &w.table, Key: w.key, ConditionExpression: c.expression,
			ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		}}
	}
	return ddb.TransactWriteItem{Put: &ddb.Put{
		TableName: &w.table, Item: w.attributes, ConditionExpression: c.expression,
		ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
	}}
}
