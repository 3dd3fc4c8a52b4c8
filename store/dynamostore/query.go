package dynamostore

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// reader reads the committed items of a range, page by page.
type reader struct {
	pager
	store   *Store
	space   *store.Space
	table   string
	want    projection
	filter  filter
	strong  bool
	after   []byte
	intents resolver
	// behind is called behind a page that others follow, and says whether more is wanted; nil: it is.
	behind func() bool
}

// visit takes an item and says whether more are wanted.
type visit func(store.Key, item) (more bool, err error)

// each visits the items of the range.
func (r *reader) each(ctx context.Context, v visit) error {
	if r.scan.Range.Partition != nil {
		return r.query(ctx, v)
	}
	if len(r.scan.Range.From) > 0 || r.scan.Range.To != nil {
		return errors.New("dynamodb: a range over partitions has bounds")
	}
	return r.all(ctx, v)
}

// query reads a range of one partition. A page that ends inside the range is followed by
// a query of what is left of it, from where the Skipper says.
func (r *reader) query(ctx context.Context, v visit) error {
	left := r.scan.Range
	c, start := conditions{}, item(nil)
	if typed(r.space) {
		var ok bool
		var err error
		if c, ok, err = typedCondition(r.space, left); err != nil || !ok {
			return err
		}
	}
	for {
		if !typed(r.space) {
			if !r.skip(&left) {
				return nil
			}
			var ok bool
			if c, ok = keyCondition(r.space, left); !ok {
				return nil
			}
		}
		if err := r.store.check(ctx); err != nil {
			return err
		}
		page, err := r.store.client.Query(ctx, r.request(&c, start))
		if err != nil {
			return readError(r.table, err)
		}
		r.count(page.ConsumedCapacity, page.ScannedCount, len(page.Items))
		var last store.Key
		for i := range page.Items {
			key, in, err := r.next(&left, page.Items[i])
			if err != nil {
				return err
			}
			if !in {
				continue
			}
			last = key
			attributes, err := r.resolve(ctx, page.Items[i])
			if err != nil {
				return err
			}
			if attributes == nil || !r.wanted(key.Sort) {
				continue
			}
			if more, err := v(key, attributes); !more || err != nil {
				return err
			}
		}
		if len(page.LastEvaluatedKey) == 0 {
			return nil
		}
		if err := r.passPage(&left, last, page.LastEvaluatedKey); err != nil {
			return err
		}
		if typed(r.space) {
			if reflect.DeepEqual(start, page.LastEvaluatedKey) {
				return garbage(r.table, errNoProgress)
			}
			start = page.LastEvaluatedKey
		}
		if r.behind != nil && !r.behind() {
			return nil
		}
	}
}

// passPage takes what a page has evaluated from the range that is left: it may end behind its last
// item, with some that the filter left out.
func (r *reader) passPage(left *store.Range, last store.Key, end item) error {
	key, err := decodeKey(r.space, end)
	if err == nil && last.Partition != nil && bytes.Equal(key.Partition, last.Partition) &&
		bytes.Equal(key.Sort, last.Sort) {
		return nil
	}
	_, _, err = r.next(left, end)
	return err
}

// resolve makes an item what it is by its intent, if it has one; nil: it is not there.
func (r *reader) resolve(ctx context.Context, of item) (item, error) {
	of, err := r.intents.resolve(ctx, of)
	if r.intents.stats.Requests > 0 {
		r.scan.Stats.Add(&r.intents.stats)
		r.intents.stats = store.Stats{}
	}
	return of, err
}

// skip moves the start of what is left to the first key that may be wanted. It says false when
// there is none.
func (r *reader) skip(left *store.Range) bool {
	if r.scan.Skip == nil || r.scan.Reverse {
		return true
	}
	from, ok := r.scan.Skip.Next(nil, left.From)
	if ok && !bytes.Equal(from, left.From) {
		r.scan.Stats.Seeks++
		left.From = from
	}
	return ok
}

func (r *reader) wanted(key []byte) bool {
	if r.scan.Skip != nil && !r.scan.Skip.Wanted(key) {
		return false
	}
	r.found++
	return true
}

// next reads an item's key and takes what is up to it from the range that is left. An
// answer out of that range or out of order is an error, so each page makes progress; but where
// conditions say less than the range, it is one that is not wanted.
func (r *reader) next(left *store.Range, attributes item) (key store.Key, in bool, err error) {
	if key, err = decodeKey(r.space, attributes); err != nil {
		return key, false, garbage(r.table, err)
	}
	passed := bytes.Compare(key.Sort, left.From) < 0 || left.To != nil && bytes.Compare(key.Sort, left.To) >= 0
	if passed && !typed(r.space) || !bytes.Equal(key.Partition, left.Partition) {
		return key, false, garbage(r.table, errors.New("keys are out of range or out of order"))
	}
	if passed {
		return key, false, nil
	}
	if r.scan.Reverse {
		left.To = key.Sort
	} else {
		r.after = append(append(r.after[:0], key.Sort...), 0)
		left.From = r.after
	}
	return key, true, nil
}

// keyCondition is what a Query demands of the keys in a range. It says false when no key is in it.
func keyCondition(s *store.Space, r store.Range) (c conditions, ok bool) {
	b, ok := sortBounds(r.From, r.To)
	if !ok || !s.Sorted && b.least != nil || len(r.Partition) > maxPartition {
		return c, false
	}
	least, greatest := &ddb.AttributeValueMemberB{Value: b.least}, &ddb.AttributeValueMemberB{Value: b.greatest}
	partition, sort := keyNames(s)
	c = newConditions(partition, &ddb.AttributeValueMemberB{Value: nonEmpty(r.Partition)})
	switch up, down := b.least != nil, b.greatest != nil && s.Sorted; {
	case up && down:
		c.between(sort, least, greatest)
	case up:
		c.add(sort, ">=", least)
	case down:
		c.add(sort, "<=", greatest)
	}
	return c, true
}

func (r *reader) request(c *conditions, start item) *dynamodb.QueryInput {
	maps.Copy(c.names, r.want.names)
	return &dynamodb.QueryInput{
		TableName:                 &r.table,
		IndexName:                 indexOf(r.space),
		ExclusiveStartKey:         start,
		KeyConditionExpression:    c.expression(),
		ExpressionAttributeValues: r.filter.withValues(c.values),
		ExpressionAttributeNames:  r.filter.withNames(c.names),
		ProjectionExpression:      r.want.expression,
		FilterExpression:          r.filter.expression,
		ScanIndexForward:          aws.Bool(!r.scan.Reverse),
		Limit:                     r.limit(),
		ConsistentRead:            &r.strong,
		ReturnConsumedCapacity:    ddb.ReturnConsumedCapacityTotal,
	}
}

var errNoProgress = errors.New("a page ends where the one before it did")

// all reads the whole table or a segment of it, in no order.
func (r *reader) all(ctx context.Context, v visit) error {
	in := &dynamodb.ScanInput{
		TableName:                 &r.table,
		IndexName:                 indexOf(r.space),
		ExpressionAttributeNames:  r.filter.withNames(r.want.names),
		ExpressionAttributeValues: r.filter.withValues(nil),
		ProjectionExpression:      r.want.expression,
		FilterExpression:          r.filter.expression,
		ConsistentRead:            &r.strong,
		ReturnConsumedCapacity:    ddb.ReturnConsumedCapacityTotal,
	}
	if g := r.scan.Range; g.Segments > 0 {
		in.Segment, in.TotalSegments = aws.Int32(int32(g.Segment)), aws.Int32(int32(g.Segments))
	}
	if r.scan.After != nil {
		if secondary(r.space) {
			return errNotSecondary
		}
		var err error
		if in.ExclusiveStartKey, err = encodeKey(r.space, *r.scan.After); err != nil {
			return err
		}
	}
	for {
		if err := r.store.check(ctx); err != nil {
			return err
		}
		in.Limit = r.limit()
		page, err := r.store.client.Scan(ctx, in)
		if err != nil {
			return readError(r.table, err)
		}
		r.count(page.ConsumedCapacity, page.ScannedCount, len(page.Items))
		for _, attributes := range page.Items {
			key, err := decodeKey(r.space, attributes)
			if err != nil {
				return garbage(r.table, err)
			}
			if attributes, err = r.resolve(ctx, attributes); err != nil {
				return err
			}
			if attributes == nil || !r.wanted(append(bytes.Clone(key.Partition), key.Sort...)) {
				continue
			}
			if more, err := v(key, attributes); !more || err != nil {
				return err
			}
		}
		if len(page.LastEvaluatedKey) == 0 {
			return nil
		}
		if reflect.DeepEqual(in.ExclusiveStartKey, page.LastEvaluatedKey) {
			return garbage(r.table, errNoProgress)
		}
		if r.behind != nil && !r.behind() {
			return nil
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
}
