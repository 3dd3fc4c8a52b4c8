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
	mu      sync.Mutex  // of what follows
	stats   store.Stats // what that took
	found   map[txnID]record
}

// resolve makes items what they are by the state of the transactions that have intents in them; nil for one that
// is not there.
func (r *resolver) resolve(ctx context.Context, items []item) error {
	for i := range items {
		for {
			in, err := intentOf(items[i])
			if err != nil {
				return garbage(r.table, err)
			}
			if in == nil {
				break
			}
			again, err := r.one(ctx, in, &items[i])
			if err != nil {
				return err
			}
			if !again {
				break
			}
		}
	}
	return nil
}

// one resolves an item. It says true where it was read again, since the transaction has ended meanwhile.
func (r *resolver) one(ctx context.Context, in *intent, of *item) (again bool, err error) {
	rec, err := r.record(ctx, in.id.txn)
	if err != nil {
		return false, err
	}
	if rec.state == stateMissing {
		now, err := r.reread(ctx, keyOf(*of))
		if err != nil {
			return false, err
		}
		if still, err := intentOf(now); err != nil || still == nil || still.id != in.id {
			*of = now
			return err == nil && now != nil, err
		}
	}
	gone := false
	if rec.holds(in.id) && in.part != 0 {
		if in.put, err = r.part(ctx, in); err != nil {
			return false, err
		}
		gone = in.put == nil
	}
	switch {
	case gone:
		*of, err = r.reread(ctx, keyOf(*of))
		return err == nil && *of != nil, err
	case rec.holds(in.id):
		*of, err = in.future(*of)
	default:
		*of, err = present(*of)
	}
	if err != nil {
		return false, garbage(r.table, err)
	}
	return false, nil
}

// record is what the read goes by of a transaction.
func (r *resolver) record(ctx context.Context, txn txnID) (record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec, known := r.found[txn]; known {
		return rec, nil
	}
	rec, err := r.store.records.read(ctx, txn, &r.stats)
	if err == nil && rec.state == statePending && r.decided != nil && txn != *r.decided {
		rec, err = r.store.records.await(ctx, txn, r.decided)
	}
	if err != nil {
		return rec, err
	}
	if r.found == nil {
		r.found = map[txnID]record{}
	}
	r.found[txn] = rec
	return rec, nil
}

func (r *resolver) part(ctx context.Context, in *intent) (item, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.store.records.part(ctx, in.id, in.part, &r.stats)
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
		return nil, readError(r.table, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Requests++
	if out.ConsumedCapacity != nil {
		r.stats.ReadUnits += aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	if len(out.Item) == 0 {
		return nil, nil
	}
	if keyBytes(out.Item, partitionAttribute) != keyBytes(key, partitionAttribute) ||
		keyBytes(out.Item, sortAttribute) != keyBytes(key, sortAttribute) {
		return nil, garbage(r.table, errors.New("an item has a key that was not asked for"))
	}
	return out.Item, nil
}
