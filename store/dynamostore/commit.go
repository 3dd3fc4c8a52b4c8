package dynamostore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"zproxy/store"
)

// parallelWrites is how many requests of one commit run at once. DynamoDB takes 1,000 write
// units a second on one key range; these are about as many as keep one busy.
const parallelWrites = 16

// committer carries out the writes of one commit.
type committer struct {
	store *Store
	mu    sync.Mutex
	stats store.Stats
}

// commit makes the writes of a transaction.
func (s *Store) commit(ctx context.Context, m store.Mode, writes *phases) error {
	if !m.Apart {
		if err := checkSize(writes.atomic); err != nil {
			return err
		}
	}
	if err := s.check(ctx); err != nil { // nothing was sent, so the outcome is known
		return err
	}
	writes.stamp(&s.clock)
	c := committer{store: s}
	err := c.run(ctx, m, writes)
	if m.Stats != nil {
		m.Stats.Add(&c.stats)
	}
	return err
}

// run makes loose puts first, and nothing else when they fail. When it comes to loose deletes the
// commit has happened, so their failing is no failure of it: what stays there does no harm.
func (c *committer) run(ctx context.Context, m store.Mode, writes *phases) error {
	if err := c.batches(ctx, writes.before); err != nil {
		return err
	}
	if err := c.guarded(ctx, m, writes.atomic); err != nil {
		return err
	}
	if len(writes.atomic) == 0 {
		return c.batches(ctx, writes.after)
	}
	_ = c.remove(ctx, writes.after, writes.replaced())
	return nil
}

// guarded makes the writes that are not loose.
func (c *committer) guarded(ctx context.Context, m store.Mode, writes []write) error {
	switch {
	case len(writes) == 0:
		return nil
	case m.Apart:
		return c.apart(ctx, writes)
	case len(writes) > 1:
		return c.transact(ctx, writes)
	case writes[0].attributes != nil:
		return c.put(ctx, &writes[0])
	}
	return c.delete(ctx, &writes[0])
}

// apart makes each write for itself, those without a guard in batches. The first error ends it.
func (c *committer) apart(ctx context.Context, writes []write) error {
	var free, guarded []write
	for _, w := range writes {
		if w.guarded() {
			guarded = append(guarded, w)
		} else {
			free = append(free, w)
		}
	}
	if err := c.batches(ctx, free); err != nil {
		return err
	}
	return each(ctx, guarded, func(ctx context.Context, w *write) error {
		if w.attributes != nil {
			return c.put(ctx, w)
		}
		return c.delete(ctx, w)
	})
}

// each does something to many at once, as far as a commit may. The first error ends it.
func each[T any](ctx context.Context, list []T, do func(context.Context, *T) error) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(parallelWrites)
	var err error
	for i := range list {
		if err = context.Cause(within); err != nil {
			break
		}
		group.Go(func() error { return do(within, &list[i]) })
	}
	return cmp.Or(group.Wait(), err)
}

// remove makes loose deletes behind the writes that they follow from.
func (c *committer) remove(ctx context.Context, writes []write, replaced []int64) error {
	now := c.store.clock.now()
	return each(ctx, writes, func(ctx context.Context, w *write) error {
		_, err := c.deleteIf(ctx, w, w.leftover(replaced, now), c.store.retryer)
		if conflicted(err) {
			return nil
		}
		return err
	})
}

// put writes one item. When its condition fails at a later attempt, the item tells
// whether an earlier one had written it.
func (c *committer) put(ctx context.Context, w *write) error {
	if err := c.store.check(ctx); err != nil {
		return err
	}
	cond, attempts := w.condition(), witness{RetryerV2: c.store.retryer}
	out, err := c.store.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &w.table, Item: w.attributes, ConditionExpression: cond.expression,
		ExpressionAttributeNames: cond.names, ExpressionAttributeValues: cond.values,
		ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
		ReturnConsumedCapacity:              ddb.ReturnConsumedCapacityTotal,
	}, attempts.watch)
	if out != nil {
		c.charge(out.ConsumedCapacity)
	}
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

func (c *committer) delete(ctx context.Context, w *write) error {
	if err := c.store.check(ctx); err != nil {
		return err
	}
	attempts := witness{RetryerV2: c.store.retryer}
	_, err := c.deleteIf(ctx, w, w.condition(), &attempts)
	return commitError(err, attempts.lost)
}

func (c *committer) deleteIf(ctx context.Context, w *write, cond condition, r aws.Retryer) (*dynamodb.DeleteItemOutput, error) {
	out, err := c.store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &w.table, Key: w.key, ConditionExpression: cond.expression,
		ExpressionAttributeNames: cond.names, ExpressionAttributeValues: cond.values,
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	}, func(o *dynamodb.Options) { o.Retryer = r })
	if out != nil {
		c.charge(out.ConsumedCapacity)
	}
	return out, err
}

// transact writes several items. One token goes with all attempts, so they are carried
// out once at the most, and a transaction that is cancelled was never carried out.
func (c *committer) transact(ctx context.Context, writes []write) error {
	in := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(rand.Text()), ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	}
	for i := range writes {
		in.TransactItems = append(in.TransactItems, writes[i].transactItem())
	}
	attempts := witness{RetryerV2: c.store.retryer}
	out, err := c.store.client.TransactWriteItems(ctx, in, attempts.watch)
	if out != nil {
		c.charge(refs(out.ConsumedCapacity)...)
	}
	var cancel *ddb.TransactionCanceledException
	return commitError(err, attempts.lost && !errors.As(err, &cancel))
}

// charge counts a request and what it cost. A transaction whose answer had got lost is charged
// for reads when it is sent again.
func (c *committer) charge(consumed ...*ddb.ConsumedCapacity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Requests++
	for _, u := range consumed {
		if u == nil {
			continue
		}
		read := aws.ToFloat64(u.ReadCapacityUnits)
		c.stats.ReadUnits += read
		c.stats.WriteUnits += aws.ToFloat64(u.CapacityUnits) - read
	}
}

func refs[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}
