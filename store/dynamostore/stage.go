package dynamostore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"zproxy/store"
)

const (
	// stageWidth is how many requests of a commit by intents run at once.
	stageWidth = 64
	// ownerLease is how long a record stays as it is until others take its owner for dead. They measure it by
	// their own clocks.
	ownerLease = 5 * time.Second
	beatEvery  = ownerLease / 5
)

// maxLooseStage is how long after its version was made a transaction with loose writes may be decided: what deletes
// entries later knows that no row comes any more that is older than the lateness, of which a request may take its part.
const maxLooseStage = 4 * time.Minute

var errTooSlow = fmt.Errorf("dynamodb: the intents took longer than %v: %w", maxLooseStage, store.ErrConflict)

// staging is a commit by intents, which takes any number of writes:
//
//  1. the record of the transaction, pending, and lists of the items that it writes;
//  2. an intent in each of the items, by conditional writes, many at once;
//  3. the record, committed: the commit has happened;
//  4. the items become what their intents say, and the record goes. Others that are in a hurry may do this, too.
//
// An error before the third step aborts the record, and takes the intents away.
type staging struct {
	*committer
	txn      txnID
	writes   []write
	beat     int64 // of the record
	attempts atomic.Uint32
	parts    atomic.Uint32
	mu       sync.Mutex
	void     map[uint32]bool
	lost     bool    // intents may still arrive that are not known of
	units    float64 // that the intents took
}

// stage makes the writes of a commit that are not loose by intents.
func (c *committer) stage(ctx context.Context, m store.Mode, writes *phases) error {
	records, began := &c.store.records, c.store.clock.now()
	if err := records.ensure(ctx); err != nil {
		return err
	}
	s := &staging{committer: c, txn: newTxnID(began), writes: writes.atomic, beat: 1, void: map[uint32]bool{}}
	if err := records.create(ctx, c, s.txn); err != nil {
		return writeError(err)
	}
	keeper := s.store.records.keep(ctx, s.txn, statePending, s.beat)
	err := s.prewrite(keeper.ctx)
	if err == nil && writes.looks != nil {
		err = writes.looks.again(keeper.ctx, c.store, &s.txn, &c.stats)
	}
	if cause := context.Cause(keeper.ctx); err != nil && errors.Is(cause, errAborted) {
		err = cause
	}
	s.beat = keeper.stop()
	if err == nil && writes.loose() && c.store.clock.now().After(began.Add(maxLooseStage)) {
		err = errTooSlow
	}
	if err == nil {
		err = s.decide(ctx, m)
	}
	if errors.Is(err, store.ErrUnknown) {
		return err // others find out
	}
	if err == nil {
		c.owe(len(s.writes), s.units+entriesOwed(s.writes))
	}
	s.store.inBackground(func() { s.finish(err == nil) })
	return err
}

// prewrite lists the items that are written, and makes the intents.
func (s *staging) prewrite(ctx context.Context) error {
	lists := keyLists(s.writes)
	err := each(ctx, stageWidth, lists, func(ctx context.Context, list *item) error {
		return s.store.records.putPart(ctx, s.committer, s.txn, s.parts.Add(1), *list)
	})
	if err != nil {
		return writeError(err)
	}
	return each(ctx, stageWidth, s.writes, s.prewriteOne)
}

// prewriteOne makes the intent of a write. The attempts at one that could be made a second time after others had
// written have numbers of their own: one whose answer is lost does not count, unless it is found.
func (s *staging) prewriteOne(ctx context.Context, w *write) error {
	in := w.intent()
	w.tried = true
	until := lastTry(ctx, time.Now())
	for lost := 0; ; {
		if err := s.store.check(ctx); err != nil {
			return err
		}
		in.id = intentID{s.txn, s.attempts.Add(1)}
		watched, t := observe(ctx)
		t.fragile = !w.failsForGood()
		units, err := s.sendIntent(watched, w, in)
		s.tell(t)
		s.doubt(t.lost || err != nil && !refused(err))
		var failed *ddb.ConditionalCheckFailedException
		switch {
		case err == nil:
			s.prewritten(w, in.id, units)
			return nil
		case errors.As(err, &failed):
			there, bad := intentOf(failed.Item)
			if bad != nil {
				return garbage(w.table, bad)
			}
			if there != nil && there.id.txn == s.txn { // its answer was lost
				s.prewritten(w, there.id, units)
				return nil
			}
			if there == nil {
				return fmt.Errorf("dynamodb: %w: %w", store.ErrConflict, err)
			}
			if err := s.meet(ctx, w.table, failed.Item, &s.txn); err != nil {
				return err
			}
		case itemTooLarge(err) && in.part == 0 && in.put != nil:
			if err := s.keepElsewhere(ctx, in); err != nil {
				return err
			}
		case t.fragile && !refused(err):
			s.mu.Lock()
			s.void[in.id.attempt] = true
			s.mu.Unlock()
			if again, cause := s.store.caller.pause(ctx, delay(lost), until, false); !again {
				return writeError(cmp.Or(cause, err))
			}
			lost++
		default:
			return writeError(err)
		}
	}
}

// doubt notes whether an attempt may still arrive.
func (s *staging) doubt(lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = s.lost || lost
}

// prewritten notes that a write has its intent.
func (s *staging) prewritten(w *write, id intentID, units float64) {
	w.prewritten = id
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.void, id.attempt)
	s.units += units
}

// intent is what a write becomes.
func (w *write) intent() *intent {
	in := &intent{expiry: w.expiry}
	switch {
	case w.touch:
		in.touch = w.version
	case w.attributes != nil:
		in.put = withoutKey(w.attributes)
	}
	return in
}

// keepElsewhere puts the state of an item that has no room for two into a part of the record.
func (s *staging) keepElsewhere(ctx context.Context, in *intent) error {
	in.part = s.parts.Add(1)
	part := item{itemAttribute: &ddb.AttributeValueMemberM{Value: in.put}}
	if err := s.store.records.putPart(ctx, s.committer, s.txn, in.part, part); err != nil {
		return writeError(err)
	}
	return nil
}

// itemTooLarge says that DynamoDB refused to make an item as large as it would get.
func itemTooLarge(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && notTaken(err) &&
		strings.Contains(strings.ToLower(api.ErrorMessage()), "item size")
}

// sendIntent asks for an intent, and says what that cost.
func (s *staging) sendIntent(ctx context.Context, w *write, in *intent) (float64, error) {
	cond := w.condition()
	update := "SET #i = :i, #o = if_not_exists(#v, :none)"
	cond.names = map[string]string{"#i": intentAttribute, "#v": versionAttribute, "#o": beneathAttribute}
	if cond.values == nil {
		cond.values = item{}
	}
	cond.values[":i"], cond.values[":none"] = in.encode(), encodeVersion(0)
	if in.expiry != "" {
		update += ", #x = if_not_exists(#t, :none) REMOVE #t"
		cond.names["#x"], cond.names["#t"] = expiryBeneath, in.expiry
	}
	consumed, err := s.store.update(ctx, w.table, w.key, update, cond)
	s.charge(consumed)
	if consumed == nil {
		return 0, err
	}
	return aws.ToFloat64(consumed.CapacityUnits), nil
}

// decide commits the transaction, unless another has aborted it.
func (s *staging) decide(ctx context.Context, m store.Mode) error {
	within, stop, err := m.Deciding(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := s.store.check(within); err != nil {
		return err
	}
	watched, t := observe(within)
	rec, err := s.store.records.decide(watched, s.txn, record{state: stateCommitted, void: s.void}, 0)
	if err != nil && refused(err) && !t.lost {
		return writeError(err)
	}
	failed := err
	if err != nil { // it may still be carried out, unless it is decided otherwise before
		detached, stop := context.WithTimeout(context.WithoutCancel(ctx), ownerLease)
		defer stop()
		rec, err = s.store.records.decide(detached, s.txn, record{state: stateAborted}, 0)
	}
	switch {
	case err != nil:
		return fmt.Errorf("dynamodb: %w: %v", store.ErrUnknown, err)
	case rec.state == stateCommitted:
		return nil
	case rec.state == stateMissing && (t.lost || failed != nil):
		return fmt.Errorf("dynamodb: %w: others have ended the transaction", store.ErrUnknown)
	case failed != nil:
		return writeError(failed)
	}
	return errAborted
}

// finish makes the intents real, or takes them away. Where that fails others do it.
func (s *staging) finish(done bool) {
	ctx, state := s.store.life, stateCommitted
	if !done {
		state = stateAborted
		rec, err := s.store.records.decide(ctx, s.txn, record{state: stateAborted}, 0)
		if err != nil || rec.state == stateCommitted {
			return
		}
	}
	keeper := s.store.records.keep(ctx, s.txn, state, s.beat)
	err := insist(keeper.ctx, stageWidth, s.writes, func(ctx context.Context, w *write) error {
		switch {
		case done:
			return s.store.records.apply(ctx, w, w.prewritten)
		case w.tried:
			return s.store.records.drop(ctx, w.table, w.key, w.expiry, s.txn)
		}
		return nil
	})
	keeper.stop()
	switch {
	case err != nil:
	case len(s.void) > 0, !done && s.lost:
		_ = s.store.records.noteResolved(ctx, s.txn)
	default:
		_ = s.store.records.removeRecord(ctx, s.txn)
	}
}
