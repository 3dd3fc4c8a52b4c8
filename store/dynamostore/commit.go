package dynamostore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/internal/routine"
	"zproxy/sqlerr"
	"zproxy/store"
)

// parallelWrites is how many requests of one commit run at once. DynamoDB takes 1,000 write
// units a second on one key range; these are about as many as keep one busy.
const parallelWrites = 16

// committer carries out the writes of one commit.
type committer struct {
	store *Store
	width int // requests at once
	mu    sync.Mutex
	stats store.Stats
}

// commit makes the writes of a transaction.
func (s *Store) commit(ctx context.Context, m store.Mode, writes *phases) error {
	staged, err := s.staged(m, writes)
	if err != nil {
		return err
	}
	if !staged {
		within, stop, err := m.Deciding(ctx)
		if err != nil {
			return err
		}
		defer stop()
		ctx = within
	}
	if err := s.check(ctx); err != nil { // nothing was sent, so the outcome is known
		return err
	}
	c := committer{store: s, width: parallelWrites}
	err = c.run(ctx, m, writes, staged)
	if m.Stats != nil {
		m.Stats.Add(&c.stats)
	}
	return err
}

// staged says whether a commit takes intents: it has more writes than one request takes, or has read ranges that must
// be as they were. What it has read by keys the request that writes checks, if it has room for that.
func (s *Store) staged(m store.Mode, writes *phases) (bool, error) {
	if m.NonAtomic {
		return false, nil
	}
	if table := outsideTable(writes.atomic); table != "" {
		return false, writes.togetherOutside(s, table)
	}
	if writes.looks == nil {
		return !inOneRequest(writes.atomic, s.together), nil
	}
	fits, err := writes.checked(s)
	return !fits, err
}

// checked says whether the request that writes can check what was read, and adds that.
func (p *phases) checked(s *Store) (bool, error) {
	own := map[string]*write{}
	for i := range p.atomic {
		own[p.atomic[i].whole] = &p.atomic[i]
	}
	checks, err := p.looks.checks(s, own)
	if err != nil {
		return false, err
	}
	if all := append(p.atomic, checks...); len(p.looks.ranges) == 0 && inOneRequest(all, s.together) {
		p.atomic, p.looks = all, nil
		return true, nil
	}
	return false, nil
}

// togetherOutside wants a commit that writes a table of other programs to be one request.
func (p *phases) togetherOutside(s *Store, table string) error {
	if p.looks != nil {
		fits, err := p.checked(s)
		switch {
		case err != nil:
			return err
		case fits:
			return nil
		case len(p.looks.ranges) > 0:
			return sqlerr.New(sqlerr.FeatureNotSupported,
				"a transaction that writes DynamoDB table \"%s\" cannot validate the ranges that it has read", table).
				WithHint("Read the rows by their keys, or write under READ COMMITTED.")
		}
	}
	if !inOneRequest(p.atomic, s.together) {
		return tooManyOutside(table, s.together)
	}
	return nil
}

// run makes loose puts first, and nothing else when they fail. When it comes to loose deletes the
// commit has happened, so their failing is no failure of it: what stays there does no harm.
func (c *committer) run(ctx context.Context, m store.Mode, writes *phases, staged bool) error {
	if err := c.ahead(ctx, writes); err != nil {
		return err
	}
	var err error
	if staged {
		err = c.stage(ctx, m, writes)
	} else {
		err = c.guarded(ctx, m, writes.atomic)
	}
	if err != nil {
		return err
	}
	c.remove(ctx, writes)
	return nil
}

// ahead gives the writes their version and makes the loose puts. While one of these may come late, its
// answer being lost, all are made once more with another version: what comes late has a version that no
// row has, and no loose delete takes it for an entry of a row that went.
func (c *committer) ahead(ctx context.Context, writes *phases) error {
	until := lastTry(ctx, time.Now())
	for n := 0; ; n++ {
		writes.stamp(&c.store.clock)
		err := c.batches(ctx, writes.before, true)
		if !errors.Is(err, errOpen) {
			return err
		}
		if again, cause := c.store.caller.pause(ctx, delay(n), until, false); !again {
			return cmp.Or(cause, err)
		}
	}
}

// guarded makes the writes that are not loose, of which one request takes all that are made together.
func (c *committer) guarded(ctx context.Context, m store.Mode, writes []write) error {
	switch {
	case len(writes) == 0:
		return nil
	case m.NonAtomic:
		return c.nonAtomic(ctx, writes)
	case len(writes) > 1:
		return c.transact(ctx, writes)
	}
	return c.single(ctx, &writes[0], false)
}

// owe counts what is still to be done when the commit has happened: each intent is made real by a write that costs as
// much as it did.
func (c *committer) owe(requests int, units float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Requests += int64(requests)
	c.stats.WriteUnits += units
}

// nonAtomic makes each write for itself, those without a guard in batches. The first error ends it.
func (c *committer) nonAtomic(ctx context.Context, writes []write) error {
	var free, guarded []write
	for _, w := range writes {
		if w.guarded() {
			guarded = append(guarded, w)
		} else {
			free = append(free, w)
		}
	}
	if err := c.batches(ctx, free, false); err != nil {
		return err
	}
	return each(ctx, c.width, guarded, func(ctx context.Context, w *write) error { return c.single(ctx, w, true) })
}

// each does something to many, so many at once. The first error ends it.
func each[T any](ctx context.Context, width int, list []T, do func(context.Context, *T) error) error {
	team, within := routine.NewTeam(ctx, width)
	var err error
	for i := range list {
		if err = context.Cause(within); err != nil {
			break
		}
		team.Start(func() error { return do(within, &list[i]) })
	}
	return cmp.Or(team.Wait(), err)
}

// remove makes loose deletes behind the writes that they follow from, or has them made later.
func (c *committer) remove(ctx context.Context, writes *phases) {
	if len(writes.after) == 0 {
		return
	}
	now := c.store.clock.now()
	since := versionAt(now.Add(-lateness))
	young := writes.over(func(version int64) bool { return version >= since })
	old := writes.over(func(version int64) bool { return version < since })
	if len(young) > 0 {
		c.store.putOff(deferredDelete{runAt: time.Now().Add(lateness), rows: young, entries: writes.after})
	}
	if len(young) == 0 || len(old) > 0 {
		c.takeAway(ctx, writes.after, leftover(replaced(old), now))
	}
}

// takeAway deletes items for which a condition holds.
func (c *committer) takeAway(ctx context.Context, writes []write, cond condition) {
	_ = each(ctx, c.width, writes, func(ctx context.Context, w *write) error {
		ctx, t := observe(ctx)
		defer c.tell(t)
		consumed, err := c.send(ctx, w, cond.withoutIntent())
		c.charge(consumed)
		if err != nil && !conflicted(err) {
			c.store.caller.pressure.left(1)
		}
		return nil
	})
}

// single makes one write for itself.
func (c *committer) single(ctx context.Context, w *write, alone bool) error {
	if w.check { // the item is as it is to be
		return nil
	}
	return c.unlessInTheWay(ctx, []write{*w}, func(ctx context.Context, t *trial) error {
		t.repeats = alone && w.fragile()
		t.fragile = !alone && w.fragile()
		consumed, err := c.send(ctx, w, w.condition())
		c.charge(consumed)
		return err
	})
}

// unlessInTheWay makes a request for writes, and again when intents were in their way that are not any more.
func (c *committer) unlessInTheWay(
	ctx context.Context, writes []write, ask func(context.Context, *trial) error,
) error {
	for {
		if err := c.store.check(ctx); err != nil {
			return err
		}
		watched, t := observe(ctx)
		err := ask(watched, t)
		c.tell(t)
		if err != nil && !t.lost && refused(err) {
			again, cause := c.makeWay(ctx, writes, err)
			if cause != nil {
				return cause
			}
			if again {
				continue
			}
		}
		return c.outcome(ctx, writes, t, err)
	}
}

// send asks for one write on a condition.
func (c *committer) send(ctx context.Context, w *write, cond condition) (*ddb.ConsumedCapacity, error) {
	if w.attributes == nil && !w.updates() {
		out, err := c.store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &w.table, Key: w.key, ConditionExpression: cond.expression,
			ExpressionAttributeNames: cond.names, ExpressionAttributeValues: cond.values,
			ReturnConsumedCapacity:              ddb.ReturnConsumedCapacityTotal,
			ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
		})
		if err != nil {
			return nil, err
		}
		return out.ConsumedCapacity, nil
	}
	if w.updates() {
		change := *w.update(&cond)
		return c.store.update(ctx, w.table, w.key, change, cond)
	}
	out, err := c.store.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &w.table, Item: w.attributes, ConditionExpression: cond.expression,
		ExpressionAttributeNames: cond.names, ExpressionAttributeValues: cond.values,
		ReturnConsumedCapacity:              ddb.ReturnConsumedCapacityTotal,
		ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if err != nil {
		return nil, err
	}
	return out.ConsumedCapacity, nil
}

// update asks for a change of an item on a condition.
func (s *Store) update(
	ctx context.Context, table string, key item, change string, cond condition,
) (*ddb.ConsumedCapacity, error) {
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &table, Key: key, ConditionExpression: cond.expression, UpdateExpression: &change,
		ExpressionAttributeNames: cond.names, ExpressionAttributeValues: cond.values,
		ReturnConsumedCapacity:              ddb.ReturnConsumedCapacityTotal,
		ReturnValuesOnConditionCheckFailure: ddb.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if err != nil {
		return nil, err
	}
	return out.ConsumedCapacity, nil
}

// transact writes several items. One token goes with all attempts, so that they are carried
// out once at the most.
func (c *committer) transact(ctx context.Context, writes []write) error {
	in := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal}
	for i := range writes {
		in.TransactItems = append(in.TransactItems, writes[i].transactItem())
	}
	return c.unlessInTheWay(ctx, writes, func(ctx context.Context, _ *trial) error {
		in.ClientRequestToken = aws.String(rand.Text())
		out, err := c.store.client.TransactWriteItems(ctx, in)
		if err != nil {
			c.charge()
			return err
		}
		c.charge(refs(out.ConsumedCapacity)...)
		return nil
	})
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

// tell adds what became of the attempts at a request, or at parts of a batch.
func (c *committer) tell(t *trial) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.tell(&c.stats)
}

func refs[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}
