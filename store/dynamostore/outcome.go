package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// outcome is the contract's error of a request for writes, of which one attempt or several failed.
func (c *committer) outcome(ctx context.Context, writes []write, t *trial, err error) error {
	if err == nil {
		return nil
	}
	switch lost := t.lost || !refused(err); {
	case lost && c.made(ctx, writes):
		return nil
	case lost && !forGood(err, writes):
		return fmt.Errorf("dynamodb: %w: %v", store.ErrUnknown, err) // no error that says that nothing was written
	case conflicted(err):
		if taken := ofAnotherKind(writes, err); taken != nil {
			return taken
		}
		return fmt.Errorf("dynamodb: %w: %w", store.ErrConflict, err)
	case cancelled(err, "ItemCollectionSizeLimitExceeded"):
		return fmt.Errorf("dynamodb: %w: %w", store.ErrTooLarge, err)
	}
	if refusal := outsideRefusal(writes, err); refusal != nil {
		return refusal
	}
	return fmt.Errorf("dynamodb: %w", err)
}

// forGood says that a transaction was cancelled for a condition that can never hold again. By its
// token no attempt had been carried out so far, and one that may still be under way will come to nothing.
func forGood(err error, writes []write) bool {
	var cancel *ddb.TransactionCanceledException
	if !errors.As(err, &cancel) {
		return false
	}
	for i, r := range cancel.CancellationReasons {
		if i < len(writes) && aws.ToString(r.Code) == "ConditionalCheckFailed" && writes[i].failsForGood() {
			return true
		}
	}
	return false
}

// outcomeReads is how often the items of a commit are read whose outcome is not known: an attempt
// whose answer is lost may still be under way.
const outcomeReads = 4

// made reads whether writes were made that may have been: one of the items has our version. If none has, that tells
// nothing: they may be made later, or another process may have written after this one. Nor does it tell anything that
// an item of another program is as it was to be: that program may have counted to the same number.
func (c *committer) made(ctx context.Context, writes []write) bool {
	put := slices.IndexFunc(writes, func(w write) bool { return w.attributes != nil && w.outside == nil })
	if put < 0 {
		return false
	}
	ours, err := decodeVersion(writes[put].attributes)
	for i := 0; err == nil && i < outcomeReads; i++ {
		now, there, _ := c.version(ctx, &writes[put])
		switch t, ok := ctx.Deadline(); {
		case there && now == ours:
			return true
		case there && now != writes[put].seen, i+1 == outcomeReads, ok && time.Now().Add(maxDelay).After(t),
			c.store.caller.pressure.sleep(ctx, delay(i+2)) != nil:
			return false
		}
	}
	return false
}

// version reads that of an item, if there is one.
func (c *committer) version(ctx context.Context, w *write) (v int64, there bool, err error) {
	if err := c.store.check(ctx); err != nil {
		return 0, false, err
	}
	r := resolver{store: c.store, table: w.table, want: projectionOf([]string{partitionAttribute, sortAttribute,
		versionAttribute, intentAttribute, beneathAttribute})}
	of, err := r.reread(ctx, w.key)
	if err == nil {
		of, err = r.resolve(ctx, of)
	}
	if err != nil || of == nil {
		return 0, false, err
	}
	v, err = decodeVersion(of)
	return v, err == nil, err
}
