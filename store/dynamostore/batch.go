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
	return each(ctx, c.width, slices.Collect(slices.Chunk(writes, maxBatch)), func(ctx context.Context, chunk *[]write) error {
		requests := map[string][]ddb.WriteRequest{}
		for i := range *chunk {
			w := &(*chunk)[i]
			requests[w.table] = append(requests[w.table], w.request())
		}
		return c.batch(ctx, requests, fragile)
	})
}

// batch sends up to maxBatch writes, and again those that were handed back.
func (c *committer) batch(ctx context.Context, requests map[string][]ddb.WriteRequest, fragile bool) error {
	left, table := count(requests), ""
	for table = range requests {
		break
	}
	for wait := c.store.patience(ctx, table); left > 0; {
		if err := c.store.check(ctx); err != nil {
			return err
		}
		watched, t := observe(ctx)
		t.fragile = fragile
		out, err := c.store.client.BatchWriteItem(watched, &dynamodb.BatchWriteItemInput{
			RequestItems: requests, ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			c.charge(t)
			if fragile && !refused(err) {
				return fmt.Errorf("dynamodb: %w: %w", errOpen, err)
			}
			return fmt.Errorf("dynamodb: %w", err)
		}
		c.charge(t, refs(out.ConsumedCapacity)...)
		requests = out.UnprocessedItems
		if left = count(requests); left == 0 {
			return nil
		}
		c.refused()
		if err := wait.after(ctx, left, left); err != nil { // also where some were carried out
			return err
		}
	}
	return nil
}

// refused counts a request of which parts were handed back.
func (c *committer) refused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Throttled++
}

func count(requests map[string][]ddb.WriteRequest) (n int) {
	for _, list := range requests {
		n += len(list)
	}
	return n
}
