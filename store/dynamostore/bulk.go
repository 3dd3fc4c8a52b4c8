package dynamostore

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxBatch is how many writes one BatchWriteItem takes, of different items.
const maxBatch = 25

// bulk sends writes without guards, a batch as soon as it is full. It keeps the context
// of Begin, since a write has none.
type bulk struct {
	ctx     context.Context
	store   *Store
	waiting map[string]map[string]ddb.WriteRequest // by table and key
	count   int
}

// add takes a write; a later one of the same key replaces it.
func (b *bulk) add(at string, w *write) error {
	request := ddb.WriteRequest{DeleteRequest: &ddb.DeleteRequest{Key: w.key}}
	if w.attributes != nil {
		w.attributes[versionAttribute] = encodeVersion(b.store.clock.after(0))
		request = ddb.WriteRequest{PutRequest: &ddb.PutRequest{Item: w.attributes}}
	}
	if b.waiting == nil {
		b.waiting = map[string]map[string]ddb.WriteRequest{}
	}
	if b.waiting[w.table] == nil {
		b.waiting[w.table] = map[string]ddb.WriteRequest{}
	}
	before := len(b.waiting[w.table])
	b.waiting[w.table][at] = request
	b.count += len(b.waiting[w.table]) - before
	if b.count < maxBatch {
		return nil
	}
	return b.flush(b.ctx)
}

// flush sends what waits. Full images may be sent twice, so what was not carried out, or
// may not have been, is sent again. After an error all of it still waits: a commit does
// not succeed without it.
func (b *bulk) flush(ctx context.Context) error {
	if b.count == 0 {
		return nil
	}
	requests := map[string][]ddb.WriteRequest{}
	for table, byKey := range b.waiting {
		for _, r := range byKey {
			requests[table] = append(requests[table], r)
		}
	}
	left := b.count
	for wait := (patience{}); left > 0; {
		if err := b.store.check(ctx); err != nil {
			return err
		}
		out, err := b.store.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: requests})
		if err != nil {
			return fmt.Errorf("dynamodb: %w", err)
		}
		before := left
		left, requests = 0, out.UnprocessedItems
		for _, r := range requests {
			left += len(r)
		}
		if err := wait.after(ctx, before, left); err != nil {
			return err
		}
	}
	b.waiting, b.count = nil, 0
	return nil
}
