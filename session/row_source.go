package session

import (
	"context"
	"iter"
	"slices"

	"zproxy/executor"
	"zproxy/internal/memory"
	"zproxy/types"
)

// supply is rows that are taken as they are wanted, by several messages.
type supply struct {
	next   func() (*types.Batch, error, bool)
	stop   func()
	cancel context.CancelCauseFunc // of the reading, which outlives one message
	batch  *types.Batch            // pulled
	from   int                     // the first row of batch that was not taken
}

// newSupply begins to read rows, which goes on when the context's message is over.
func newSupply(ctx context.Context, run func(context.Context) executor.Rows) *supply {
	y := &supply{}
	ctx, y.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	y.next, y.stop = iter.Pull2(run(ctx))
	return y
}

// take puts the next rows, at most limit and at most a batch, into out. None mean that
// there are no more. The end of the context ends the reading.
func (y *supply) take(ctx context.Context, limit int64, out *types.Batch) error {
	defer context.AfterFunc(ctx, func() { y.cancel(context.Cause(ctx)) })()
	for y.batch == nil || y.from == y.batch.Len() {
		batch, err, ok := y.next()
		if err != nil || !ok {
			return err
		}
		y.batch, y.from = batch, 0
	}
	for n := min(limit, int64(y.batch.Len()-y.from)); n > 0; n-- {
		out.Append(y.batch.Row(y.from))
		y.from++
	}
	return nil
}

func (y *supply) close() {
	y.stop()
	y.cancel(nil)
}

// budget is what the rows that the portals of a session keep take together, and may.
type budget struct {
	used, most int64
	of         *memory.Account
}

// rowList is rows that are kept, each in memory of its own.
type rowList struct {
	rows   []types.Row
	bytes  int64
	budget *budget // nil: they are few
}

// add keeps rows, if there is room for them.
func (l *rowList) add(b *types.Batch) error {
	for i := range b.Len() {
		row := b.Row(i)
		if err := l.pay(row); err != nil {
			return err
		}
		l.rows = append(l.rows, slices.Clone(row))
	}
	return nil
}

func (l *rowList) pay(row types.Row) error {
	if l.budget == nil {
		return nil
	}
	n := executor.RowBytes(row)
	if l.budget.used+n > l.budget.most {
		return executor.OutOfMemory(l.budget.most)
	}
	if err := l.budget.of.Grow(n); err != nil {
		return err
	}
	l.bytes += n
	l.budget.used += n
	return nil
}

// clear lets the rows go.
func (l *rowList) clear() {
	if l.budget != nil {
		l.budget.used -= l.bytes
		l.budget.of.Shrink(l.bytes)
	}
	l.rows, l.bytes = nil, 0
}
