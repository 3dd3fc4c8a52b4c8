package dynamostore

import (
	"bytes"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// sharedPage is the first page of a range that scans of several kinds of items read.
type sharedPage struct {
	items  []item // with all attributes, since each kind has its own
	strong bool
	last   item   // behind which the range goes on; nil: it is read whole
	end    []byte // the key of last, as bounds of the range have it
}

// fromShared delivers what the page of several scans has of this one, and says whether that is all. If it is not, the
// scan goes on behind an item, nil for the beginning of its range.
func (k *outsideScan) fromShared(ctx context.Context) (start item, done bool, err error) {
	strong := k.txn.strong(k.space, k.ask.Remember)
	kept, first := k.ask.Shared.Begin()
	page, _ := kept.(*sharedPage)
	if first {
		if page, err = k.readShared(ctx, strong); err != nil {
			return nil, false, err
		}
		k.ask.Shared.Keep(page)
	}
	if page == nil || strong && !page.strong || page.last != nil && k.ask.Reverse {
		return nil, false, nil
	}
	items := page.items
	if k.ask.Reverse {
		items = slices.Clone(items)
		slices.Reverse(items)
	}
	for _, attributes := range items {
		if err := k.take(attributes); err != nil || !k.more() {
			return nil, true, err
		}
	}
	switch {
	case page.last == nil || k.within.To != nil && bytes.Compare(page.end, k.within.To) >= 0:
		return nil, true, nil
	case bytes.Compare(page.end, k.within.From) < 0:
		return nil, false, nil
	}
	return page.last, false, nil
}

// readShared reads the page. It is nil where no key is in the range.
func (k *outsideScan) readShared(ctx context.Context, strong bool) (*sharedPage, error) {
	o := k.space.Outside
	shared := k.ask.Shared
	c, ok, err := outsideCondition(o, store.Range{Partition: k.ask.Range.Partition, From: shared.From, To: shared.To})
	if err != nil || !ok {
		return nil, err
	}
	if err := k.txn.store.check(ctx); err != nil {
		return nil, err
	}
	in := &dynamodb.QueryInput{
		TableName: &o.Table, IndexName: indexName(o), KeyConditionExpression: c.expression(),
		ExpressionAttributeValues: c.values, ExpressionAttributeNames: c.names, ConsistentRead: aws.Bool(strong),
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	}
	if shared.Enough > 0 {
		in.Limit = aws.Int32(int32(min(shared.Enough, maxLimit)))
	}
	out, err := k.txn.store.client.Query(ctx, in)
	if err != nil {
		return nil, outsideError(o, err)
	}
	k.count(out.ConsumedCapacity, out.ScannedCount, len(out.Items))
	page := &sharedPage{items: out.Items, strong: strong, last: out.LastEvaluatedKey}
	if len(page.last) == 0 {
		page.last = nil
		return page, nil
	}
	key, err := nativeKey(o, page.last)
	page.end = key.Sort
	return page, err
}
