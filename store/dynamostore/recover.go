package dynamostore

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// sighting is how a record was found, and since when it is so.
type sighting struct {
	state    txnState
	beat     int64
	resolved bool
	since    time.Time
}

// most is how long a record may stay so: one of which all intents were resolved until none arrives any more.
func (s *sighting) most() time.Duration {
	if s.resolved {
		return lateness
	}
	return ownerLease
}

// firstLook is how long after the first transaction of a process it is looked for owners that died before.
const firstLook = time.Second

// sweepEvery is how often it is looked for parts of records that are gone: requests for them that arrived late.
const sweepEvery = lateness

// absentEvery is how often it is looked whether there are records, where there was no table for them.
const absentEvery = time.Minute

// recover ends the transactions whose owners died, until the store is closed.
func (r *records) recover() {
	found := map[txnID]sighting{}
	swept := time.Now()
	for wait := firstLook; store.Sleep(r.store.life, wait) == nil; {
		wait = ownerLease / 2
		list, err := r.list(r.store.life)
		var absent *ddb.ResourceNotFoundException
		if errors.As(err, &absent) {
			wait = absentEvery
		}
		if err != nil {
			continue
		}
		r.there.Store(true)
		if time.Since(swept) > sweepEvery {
			swept = time.Now()
			_ = r.sweepParts(r.store.life)
		}
		r.look(list, found)
	}
}

// look compares the records with how they were found before, and ends those that have stayed so for too long.
func (r *records) look(list map[txnID]record, found map[txnID]sighting) {
	for txn := range found {
		if _, is := list[txn]; !is {
			delete(found, txn)
		}
	}
	for txn, rec := range list {
		if r.keeps(txn) { // this process works on it, however late it is with its beats
			delete(found, txn)
			continue
		}
		last, known := found[txn]
		now := sighting{rec.state, rec.beat, rec.resolved, last.since}
		if !known || now != last {
			now.since = time.Now()
			found[txn] = now
		} else if time.Since(now.since) >= now.most() && r.takeOver(r.store.life, txn, rec) == nil {
			delete(found, txn)
		}
	}
}

// takeOver ends a transaction in place of its owner.
func (r *records) takeOver(ctx context.Context, txn txnID, rec record) error {
	if rec.state == statePending {
		var err error
		rec, err = r.decide(ctx, txn, record{state: stateAborted}, rec.beat)
		if err != nil || rec.state == statePending || rec.state == stateMissing {
			return err
		}
	}
	if err := r.renew(ctx, txn, rec.state, rec.beat); err != nil {
		return err
	}
	keeper := r.keep(ctx, txn, rec.state, rec.beat+1)
	defer keeper.stop()
	var targets []target
	err := r.eachPart(keeper.ctx, txn, func(part item) error {
		list, err := targetsOf(part)
		targets = append(targets, list...)
		return err
	})
	if err != nil {
		return err
	}
	err = insist(keeper.ctx, stageWidth, targets, func(ctx context.Context, t *target) error {
		return r.resolveTarget(ctx, t, txn, &rec)
	})
	if err != nil {
		return err
	}
	if !rec.resolved && (rec.state == stateAborted || len(rec.void) > 0) { // intents may still arrive
		return r.noteResolved(ctx, txn)
	}
	return r.removeRecord(ctx, txn)
}

// resolveTarget resolves the intent that a transaction may have in an item.
func (r *records) resolveTarget(ctx context.Context, t *target, txn txnID, rec *record) error {
	out, err := r.store.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.table, Key: t.key,
		ConsistentRead: aws.Bool(true)})
	var gone *ddb.ResourceNotFoundException
	switch {
	case errors.As(err, &gone):
		return nil
	case err != nil:
		return err
	}
	in, err := intentOf(out.Item)
	if err != nil || in == nil || in.id.txn != txn {
		return err
	}
	return r.resolveIntent(ctx, t.table, out.Item, in, rec)
}

// sweepParts removes the parts without a record of transactions that began so long ago that none comes any more.
func (r *records) sweepParts(ctx context.Context) error {
	old := map[txnID]bool{}
	pages := dynamodb.NewScanPaginator(r.store.client, &dynamodb.ScanInput{TableName: aws.String(r.table()),
		ProjectionExpression: aws.String(partitionAttribute)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, of := range page.Items {
			if b := keyBytes(of, partitionAttribute); len(b) == len(txnID{}) {
				txn := txnID([]byte(b))
				if r.store.clock.now().Sub(txn.began()) > lateness {
					old[txn] = true
				}
			}
		}
	}
	for txn := range old {
		rec, err := r.read(ctx, txn, &store.Stats{})
		if err == nil && rec.state == stateMissing {
			err = r.removeParts(ctx, txn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeRecord removes a record of which no intent is left, behind its parts.
func (r *records) removeRecord(ctx context.Context, txn txnID) error {
	if err := r.removeParts(ctx, txn); err != nil {
		return err
	}
	return r.remove(ctx, txn)
}
