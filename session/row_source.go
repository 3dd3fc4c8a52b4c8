package session

import (
	"context"
	"iter"
	"slices"

	"zproxy/executor"
	"zproxy/internal/memory"
	"zproxy/types"
)

// rowSource is rows that are taken as they are wanted, by several messages.
type rowSource struct {
	next   func() (*types.Batch, error, bool)
	stop   func()
	cancel context.CancelCauseFunc // of the reading, which outlives one message
	batch  *types.Batch            // pulled
	from   int                     // the first row of batch that was not taken
}

// newRowSource begins to read rows, which goes on when the context's message is over.
func newRowSource(ctx context.Context, run func(context.Context) executor.Rows) *rowSource {
	y := &rowSource{}
	ctx, y.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	y.next, y.stop = iter.Pull2(run(ctx))
	return y
}

// take puts the next rows, at most limit and at most a batch, into out. None mean that
// there are no more. The end of the context ends the reading.
func (r *rowSource) take(ctx context.Context, limit int64, out *types.Batch) error {
	defer context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })()
	for r.batch == nil || r.from == r.batch.Len() {
		batch, err, ok := r.next()
		if err != nil || !ok {
			return err
		}
		r.batch, r.from = batch, 0
	}
	for n := min(limit, int64(r.batch.Len()-r.from)); n > 0; n-- {
		out.Append(r.batch.Row(r.from))
		r.from++
	}
	return nil
}

func (r *rowSource) close() {
	r.stop()
	r.cancel(nil)
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
