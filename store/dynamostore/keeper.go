package dynamostore

import (
	"context"
	"errors"

	"zproxy/store"
)

// keeper renews a record while its owner works.
type keeper struct {
	records *records
	txn     txnID
	ctx     context.Context // ends with errAborted when another has taken the record
	end     context.CancelCauseFunc
	ended   chan struct{}
	beat    int64
}

// keep begins to renew a record that is in a state. It goes on until it is stopped.
func (r *records) keep(ctx context.Context, txn txnID, in txnState, beat int64) *keeper {
	k := &keeper{records: r, txn: txn, ended: make(chan struct{}), beat: beat}
	k.ctx, k.end = context.WithCancelCause(ctx)
	r.kept.Store(txn, k)
	running := r.store.inBackground(func() {
		defer close(k.ended)
		for store.Sleep(k.ctx, beatEvery) == nil {
			switch err := r.renew(k.ctx, txn, in, k.beat); {
			case errors.Is(err, errAborted):
				k.end(errAborted)
			case err == nil:
				k.beat++
			}
		}
	})
	if !running {
		k.end(store.ErrClosed)
		close(k.ended)
	}
	return k
}

// stop ends the renewals, and says what the beat is then.
func (k *keeper) stop() int64 {
	k.end(nil)
	<-k.ended
	k.records.kept.CompareAndDelete(k.txn, k)
	return k.beat
}

// keeps says whether this process works on a transaction.
func (r *records) keeps(txn txnID) bool {
	_, is := r.kept.Load(txn)
	return is
}
