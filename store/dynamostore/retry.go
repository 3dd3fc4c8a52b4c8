package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	awsmiddle "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"zproxy/store"
)

// How requests that failed are repeated. The SDK's own delays are of seconds, far more
// than DynamoDB needs to answer again.
const (
	baseDelay = 25 * time.Millisecond
	maxDelay  = time.Second
	// runningDelay is what a transaction is given to end, besides, when its answer was lost and it
	// is asked for again.
	runningDelay = 50 * time.Millisecond
	// maxPatience is how long a request is repeated that has no deadline.
	maxPatience = 30 * time.Second
	// attemptTime is how long one attempt may take, with connecting: far longer than DynamoDB does.
	attemptTime = 10 * time.Second
	// tokenTime is how long DynamoDB remembers a transaction by its token: an attempt that is made
	// later might be carried out a second time.
	tokenTime = 10 * time.Minute
	// maxContended is how many times another transaction may be in the way of a request. Then it
	// is no longer by chance, and its own transaction begins anew.
	maxContended = 8
)

// delay is exponential backoff with full jitter, after an attempt counted from 0.
func delay(attempt int) time.Duration {
	most := maxDelay
	if attempt < 16 {
		most = min(most, baseDelay<<attempt)
	}
	return rand.N(most) + 1
}

// caller makes the attempts at all requests of a store, in place of the SDK's retryer.
type caller struct {
	gate     gate
	bucket   bucket
	pressure pressure
}

// inputKey finds the input of an operation in its context.
type inputKey struct{}

// register puts the caller around the attempts of each operation. A request is made once, so that
// all attempts send the same bytes, each signed anew.
func (c *caller) register(stack *middleware.Stack) error {
	input := func(ctx context.Context, in middleware.InitializeInput,
		next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		return next.HandleInitialize(context.WithValue(ctx, inputKey{}, in.Parameters), in)
	}
	if err := stack.Initialize.Add(middleware.InitializeMiddlewareFunc("ZproxyInput", input),
		middleware.After); err != nil {
		return err
	}
	if err := stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("ZproxySent", noteSent),
		middleware.After); err != nil {
		return err
	}
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("ZproxyAttempts", c.call), "Retry",
		middleware.Before)
}

// sentKey finds the request in the context of an attempt.
type sentKey struct{}

// noteSent stands right before the connection: an attempt that fails without it was surely not carried out, such
// as one for which there were no credentials.
func noteSent(ctx context.Context, in middleware.DeserializeInput,
	next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	if r, ok := ctx.Value(sentKey{}).(*request); ok {
		r.sent = true
	}
	return next.HandleDeserialize(ctx, in)
}

// trial is what became of the attempts at one request, for who made it.
type trial struct {
	// fragile says that the request must not be repeated when an attempt may have been carried out,
	// or may be later: it might come to be carried out twice, with something of another in between.
	fragile bool
	// repeats says that it is repeated though, since that is known of.
	repeats bool
	lost    bool         // an attempt before the last is such a one
	refused atomic.Int64 // attempts for the load, and parts of batches
}

// trialKey finds the trial in the context of a request.
type trialKey struct{}

// observe makes a context in which a request tells about its attempts.
func observe(ctx context.Context) (context.Context, *trial) {
	t := new(trial)
	return context.WithValue(ctx, trialKey{}, t), t
}

// tell adds what became of the attempts to what is counted of reads.
func (t *trial) tell(to *store.Stats) {
	if to.Throttled += t.refused.Load(); t.lost && t.repeats {
		to.Lost++
	}
}

// request is one under way.
type request struct {
	*caller
	*trial
	operation string
	input     any
	began     time.Time
	until     time.Time // no attempt is made later
	attempts  int
	sent      bool // the last of them
	contended int
}

func (c *caller) begin(ctx context.Context) *request {
	r := &request{
		caller: c, trial: new(trial), operation: awsmiddle.GetOperationName(ctx), input: ctx.Value(inputKey{}),
		began: time.Now(),
	}
	if t, ok := ctx.Value(trialKey{}).(*trial); ok {
		r.trial = t
	}
	r.until = lastTry(ctx, r.began)
	if _, ok := r.input.(*dynamodb.TransactWriteItemsInput); ok && r.began.Add(tokenTime).Before(r.until) {
		r.until = r.began.Add(tokenTime)
	}
	return r
}

// lastTry is until when something that began at a time may be tried again.
func lastTry(ctx context.Context, began time.Time) time.Time {
	if t, ok := ctx.Deadline(); ok {
		return t
	}
	return began.Add(maxPatience)
}

// call makes attempts until one is answered for good, or waiting for another would take too long.
func (c *caller) call(ctx context.Context, in middleware.FinalizeInput,
	next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	r := c.begin(ctx)
	for {
		out, metadata, err := r.attempt(ctx, in, next)
		if err == nil {
			c.bucket.succeeded()
			return out, metadata, nil
		}
		if ended := r.failed(ctx, err); ended != nil {
			return out, metadata, ended
		}
		if body, ok := in.Request.(interface{ RewindStream() error }); ok {
			if err := body.RewindStream(); err != nil {
				return out, metadata, errors.Join(err, errNotSent)
			}
		}
	}
}

// attempt sends the request once, when there is room for it.
func (r *request) attempt(ctx context.Context, in middleware.FinalizeInput,
	next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	if err := r.gate.enter(ctx); err != nil {
		return middleware.FinalizeOutput{}, middleware.Metadata{}, errors.Join(err, errNotSent)
	}
	defer r.gate.leave()
	if r.attempts > 0 && time.Now().After(r.until) {
		return middleware.FinalizeOutput{}, middleware.Metadata{}, fmt.Errorf("%w: others took too long", errNotSent)
	}
	r.pressure.sent(r.operation, r.attempts > 0)
	r.attempts++
	ctx, done := context.WithTimeout(context.WithValue(ctx, sentKey{}, r), attemptTime)
	defer done()
	r.sent = false
	out, metadata, err := next.HandleFinalize(ctx, in)
	if err != nil && !r.sent {
		err = fmt.Errorf("%w: %w", errNotSent, err)
	}
	return out, metadata, err
}

// failed waits for the next attempt, or gives the error with which the request ends.
func (r *request) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	verdict := judge(err)
	if verdict == throttled {
		r.refused.Add(1)
		r.pressure.throttled(r.input, err)
	}
	if verdict == contended {
		r.contended++
	}
	if verdict == final || r.contended > maxContended || r.fragile && !refused(err) {
		return r.reported(verdict, err)
	}
	wait := delay(r.attempts - 1)
	if verdict == running {
		wait += runningDelay
	}
	free := verdict == running || verdict == contended
	if again, cause := r.pause(ctx, wait, r.until, free); cause != nil {
		return fmt.Errorf("%w: %w", cause, err)
	} else if !again {
		return r.reported(verdict, err)
	}
	r.lost = r.lost || !refused(err)
	return nil
}

// pause waits before another attempt, and for a token unless that is free. It says false when the
// attempt would come too late.
func (c *caller) pause(ctx context.Context, wait time.Duration, until time.Time, free bool) (bool, error) {
	for {
		if time.Now().Add(wait).After(until) {
			return false, nil
		}
		if cause := c.pressure.sleep(ctx, wait); cause != nil {
			return false, cause
		}
		if free || c.bucket.take(time.Now()) {
			return true, nil
		}
		wait = maxDelay/2 + rand.N(maxDelay/2)
	}
}

// reported is the error of a request that is not repeated any more.
func (r *request) reported(v verdict, err error) error {
	var gone *ddb.ResourceNotFoundException
	if denied := r.denied(err); denied != nil {
		return fmt.Errorf("%w: %w", denied, err)
	}
	switch {
	case v == throttled:
		return fmt.Errorf("%w: %w", r.pressure.busy(r.input, err), err)
	case v == failing, errors.Is(err, errNotSent):
		return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	case errors.As(err, &gone):
		return fmt.Errorf("%w: %w", store.ErrGone, err)
	}
	return err
}

// patience waits between batches of which parts were not processed, and ends.
type patience struct {
	caller *caller
	table  string
	until  time.Time
	idle   int
}

func (s *Store) patience(ctx context.Context, table string) patience {
	return patience{caller: &s.caller, table: table, until: lastTry(ctx, time.Now())}
}

// after is called when some of the parts remain, the items with these keys. Only a batch that got nowhere, which
// means throttling, makes us wait.
func (p *patience) after(ctx context.Context, before int, left []item) error {
	if len(left) < before {
		p.idle = 0
		return nil
	}
	p.caller.pressure.handedBack(p.table, left)
	if t, ok := ctx.Value(trialKey{}).(*trial); ok {
		t.refused.Add(1)
	}
	wait := delay(p.idle)
	p.idle++
	if time.Now().Add(wait).After(p.until) {
		return p.caller.pressure.tooBusy(p.table)
	}
	return p.caller.pressure.sleep(ctx, wait)
}
