package dynamostore

import (
	"context"
	"errors"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// resolver says what one read sees of items with intents. It never waits: what is not committed is not there. What it
// has once found of a transaction holds for all of the read.
type resolver struct {
	store *Store
	table string
	want  projection
	// decided is a transaction that must know whether what it reads stays as it is: it waits for others to end, and
	// for itself nothing is committed; nil: the read waits for nothing.
	decided *txnID
	mu      sync.Mutex  // of what follows; no request is made under it
	stats   store.Stats // what that took
	found   map[txnID]record
}

// resolve makes an item what it is by the state of the transaction that has an intent in it; nil: it is not there.
func (r *resolver) resolve(ctx context.Context, of item) (item, error) {
	for {
		in, err := intentOf(of)
		if err != nil {
			return nil, garbage(r.table, err)
		}
		if in == nil {
			return of, nil
		}
		rec, err := r.record(ctx, in.id.txn)
		if err != nil {
			return nil, err
		}
		now, changed, err := r.outdated(ctx, of, in, &rec)
		switch {
		case err != nil:
			return nil, err
		case changed:
			of = now
			continue
		case rec.holds(in.id):
			of, err = in.future(of)
		default:
			of, err = present(of)
		}
		if err != nil {
			return nil, garbage(r.table, err)
		}
		return of, nil
	}
}

// outdated reads the part that an intent refers to, and the item again where the transaction may have ended since it
// was read: its record or the part has gone. It says whether the item has changed, and gives it as it is now.
func (r *resolver) outdated(ctx context.Context, of item, in *intent, rec *record) (item, bool, error) {
	if rec.holds(in.id) && in.part != 0 {
		var err error
		if in.put, err = r.part(ctx, in); err != nil || in.put != nil {
			return nil, false, err
		}
	} else if rec.state != stateMissing {
		return nil, false, nil
	}
	now, err := r.reread(ctx, keyOf(of))
	if err != nil {
		return nil, false, err
	}
	still, err := intentOf(now)
	if err != nil {
		return nil, false, garbage(r.table, err)
	}
	late := rec.state == stateMissing && still != nil && still.id == in.id // and does not count
	return now, !late, nil
}

// record is what the read goes by of a transaction: what it has found first, whatever others have found meanwhile.
func (r *resolver) record(ctx context.Context, txn txnID) (record, error) {
	r.mu.Lock()
	rec, known := r.found[txn]
	r.mu.Unlock()
	if known {
		return rec, nil
	}
	stats := &store.Stats{}
	rec, err := r.store.records.read(ctx, txn, stats)
	if err == nil && rec.state == statePending && r.decided != nil && txn != *r.decided {
		rec, err = r.store.records.await(ctx, txn, r.decided)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Add(stats)
	if err != nil {
		return rec, err
	}
	if first, known := r.found[txn]; known {
		return first, nil
	}
	if r.found == nil {
		r.found = map[txnID]record{}
	}
	r.found[txn] = rec
	return rec, nil
}

func (r *resolver) part(ctx context.Context, in *intent) (item, error) {
	stats := &store.Stats{}
	put, err := r.store.records.part(ctx, in.id, in.part, stats)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Add(stats)
	return put, err
}

// reread reads an item as it is now; nil: it is not there.
func (r *resolver) reread(ctx context.Context, key item) (item, error) {
	if err := r.store.check(ctx); err != nil {
		return nil, err
	}
	out, err := r.store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &r.table, Key: key, ConsistentRead: aws.Bool(true),
		ProjectionExpression: r.want.expression, ExpressionAttributeNames: r.want.names,
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return nil, readError(r.table, misread(r.table, err))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	countRead(&r.stats, out.ConsumedCapacity)
	if len(out.Item) == 0 {
		return nil, nil
	}
	if keyBytes(out.Item, partitionAttribute) != keyBytes(key, partitionAttribute) ||
		keyBytes(out.Item, sortAttribute) != keyBytes(key, sortAttribute) {
		return nil, garbage(r.table, errors.New("an item has a key that was not asked for"))
	}
	return out.Item, nil
}
