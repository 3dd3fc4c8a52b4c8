package dynamostore

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// meet takes the intent of another transaction out of the way of a write: it resolves it when that has ended, waits
// while its owner lives, and aborts it when the owner does not. A transaction that has intents of its own waits only
// for those that began before it, and aborts others, so that no two wait for each other (wound-wait: Rosenkrantz et
// al. 1978).
func (c *committer) meet(ctx context.Context, table string, of item, own *txnID) error {
	in, err := intentOf(of)
	if err != nil || in == nil {
		return garbage(table, errIntent)
	}
	rec, err := c.store.records.await(ctx, in.id.txn, own)
	if err != nil {
		return err
	}
	return c.store.records.resolveIntent(ctx, table, of, in, &rec)
}

// await waits until a transaction has ended, or ends it, as meet does.
func (r *records) await(ctx context.Context, txn txnID, own *txnID) (record, error) {
	var beat int64 // as it was found last, and since when
	var since time.Time
	for n := 0; ; n++ {
		if err := r.store.check(ctx); err != nil {
			return record{}, err
		}
		rec, err := r.read(ctx, txn, &store.Stats{})
		if err == nil && rec.state == statePending {
			if rec.beat != beat {
				beat, since = rec.beat, time.Now()
			}
			switch {
			case own != nil && own.before(txn):
				rec, err = r.decide(ctx, txn, record{state: stateAborted}, 0)
			case time.Since(since) >= ownerLease:
				rec, err = r.decide(ctx, txn, record{state: stateAborted}, rec.beat)
			}
		}
		if err != nil {
			return record{}, writeError(err)
		}
		if rec.state != statePending {
			return rec, nil
		}
		if err := r.store.caller.pressure.sleep(ctx, delay(n)); err != nil {
			return record{}, err
		}
	}
}

// obstacle is an item for which the condition of a write failed, nil where there is none.
type obstacle struct {
	write *write
	of    item
}

// obstacles are what some writes have failed for.
func obstacles(writes []write, failure error) (found []obstacle) {
	var one *ddb.ConditionalCheckFailedException
	var all *ddb.TransactionCanceledException
	switch {
	case errors.As(failure, &one):
		found = append(found, obstacle{&writes[0], one.Item})
	case errors.As(failure, &all):
		for i, r := range all.CancellationReasons {
			if aws.ToString(r.Code) == "ConditionalCheckFailed" && i < len(writes) {
				found = append(found, obstacle{&writes[i], r.Item})
			}
		}
	}
	return found
}

// makeWay meets the intents for which writes failed. It says false where something else was in their way.
func (c *committer) makeWay(ctx context.Context, writes []write, failure error) (bool, error) {
	found := obstacles(writes, failure)
	for _, o := range found {
		if o.write.outside != nil { // it has no intent
			return false, nil
		}
		if in, err := intentOf(o.of); err != nil {
			return false, garbage(o.write.table, err)
		} else if in == nil {
			return false, nil
		}
	}
	for _, o := range found {
		if err := c.meet(ctx, o.write.table, o.of, nil); err != nil {
			return false, err
		}
	}
	return len(found) > 0, nil
}

// resolveIntent makes the intent of an item real, or takes it away, by the record of its transaction, which has ended.
func (r *records) resolveIntent(ctx context.Context, table string, of item, in *intent, rec *record) error {
	key := keyOf(of)
	if !rec.holds(in.id) {
		return misread(table, r.drop(ctx, table, key, in.expiry, in.id.txn))
	}
	w := &write{table: table, key: key}
	switch {
	case in.touch != nil:
		w.touch, w.version = true, in.touch
	case in.part != 0:
		var err error
		if in.put, err = r.part(ctx, in.id, in.part, &store.Stats{}); err != nil || in.put == nil {
			return err // without a part it has been resolved
		}
		fallthrough
	case in.put != nil:
		var err error
		if w.attributes, err = in.future(of); err != nil {
			return garbage(table, err)
		}
	}
	return misread(table, r.apply(ctx, w, in.id))
}

// ofIntent is the condition that an item has an intent: that of an attempt, or any of a transaction.
func ofIntent(id ddb.AttributeValue, any bool) condition {
	c := condition{expression: aws.String("#i.#owner = :id"), values: item{":id": id},
		names: map[string]string{"#i": intentAttribute, "#owner": intentOwner}}
	if any {
		c.expression = aws.String("begins_with(#i.#owner, :id)")
	}
	return c
}

// apply makes an item what its intent says. Nothing is done where another has done it.
func (r *records) apply(ctx context.Context, w *write, id intentID) error {
	cond := ofIntent(id.value(), false)
	var err error
	if w.touch {
		cond.names["#v"], cond.values[":v"] = versionAttribute, w.version
		cond.names["#o"], cond.names["#x"] = beneathAttribute, expiryBeneath
		_, err = r.store.update(ctx, w.table, w.key, "SET #v = :v REMOVE #i, #o, #x", cond)
	} else {
		c := committer{store: r.store}
		_, err = c.send(ctx, w, cond)
	}
	return unlessGone(err)
}

// drop takes the intents of a transaction out of an item, which is then what it was.
func (r *records) drop(ctx context.Context, table string, key item, expiry string, txn txnID) error {
	over := func(is string) condition {
		c := ofIntent(&ddb.AttributeValueMemberB{Value: txn[:]}, true)
		*c.expression += " AND #o " + is + " :none"
		c.names["#o"], c.values[":none"] = beneathAttribute, encodeVersion(0)
		return c
	}
	c := committer{store: r.store}
	_, err := c.send(ctx, &write{table: table, key: key}, over("="))
	if !conflicted(err) {
		return unlessGone(err)
	}
	cond, change := over("<>"), "REMOVE #i, #o, #x"
	cond.names["#x"] = expiryBeneath
	if expiry != "" {
		cond.names["#t"], change = expiry, "SET #t = #x "+change
	}
	_, err = r.store.update(ctx, table, key, change, cond)
	return unlessGone(err)
}

// unlessGone is the error of a write that resolves an intent. One that is gone, with its table perhaps, was resolved.
func unlessGone(err error) error {
	var failed *ddb.ConditionalCheckFailedException
	var gone *ddb.ResourceNotFoundException
	if err == nil || errors.As(err, &failed) || errors.As(err, &gone) {
		return nil
	}
	return writeError(err)
}
