package cursor

import (
	"context"
	"iter"
	"slices"

	"zproxy/executor"
	"zproxy/internal/memory"
	"zproxy/types"
)

// rowSource is rows that are taken as they are wanted, by several messages.
type source struct {
	next   func() (*types.Batch, error, bool)
	stop   func()
	cancel context.CancelCauseFunc // of the reading, which outlives one message
	batch  *types.Batch            // pulled
	from   int                     // the first row of batch that was not taken
	// delivered is told the last column of each row that is taken, which is left out; nil: all columns are taken.
	delivered func(types.Value)
}

// newRowSource begins to read rows, which goes on when the context's message is over.
func newSource(ctx context.Context, run func(context.Context) executor.Rows) *source {
	y := &source{}
	ctx, y.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	y.next, y.stop = iter.Pull2(run(ctx))
	return y
}

// take puts the next rows, at most limit and at most a batch, into out. None mean that
// there are no more. The end of the context ends the reading.
func (r *source) take(ctx context.Context, limit int64, out *types.Batch) error {
	defer context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })()
	for r.batch == nil || r.from == r.batch.Len() {
		batch, err, ok := r.next()
		if err != nil || !ok {
			return err
		}
		r.batch, r.from = batch, 0
	}
	for n := min(limit, int64(r.batch.Len()-r.from)); n > 0; n-- {
		row := r.batch.Row(r.from)
		if width := out.Width(); r.delivered != nil {
			r.delivered(row[width])
			row = row[:width]
		}
		out.Append(row)
		r.from++
	}
	return nil
}

func (r *source) close() {
	r.stop()
	r.cancel(nil)
}

// Budget is what the rows that the portals of a session keep take together, and may.
type Budget struct {
	used, Most int64
	Of         *memory.Account
}

// rowList is rows that are kept, each in memory of its own.
type Rows struct {
	rows   []types.Row
	bytes  int64
	Budget *Budget // nil: they are few
}

// Add keeps rows, if there is room for them.
func (l *Rows) Add(b *types.Batch) error {
	for i := range b.Len() {
		row := b.Row(i)
		if err := l.pay(row); err != nil {
			return err
		}
		l.rows = append(l.rows, slices.Clone(row))
	}
	return nil
}

func (l *Rows) pay(row types.Row) error {
	if l.Budget == nil {
		return nil
	}
	n := executor.RowBytes(row)
	if l.Budget.used+n > l.Budget.Most {
		return executor.OutOfMemory(l.Budget.Most)
	}
	if err := l.Budget.Of.Grow(n); err != nil {
		return err
	}
	l.bytes += n
	l.Budget.used += n
	return nil
}

// Len is how many rows are kept.
func (l *Rows) Len() int { return len(l.rows) }

// Clear lets the rows go.
func (l *Rows) Clear() {
	if l.Budget != nil {
		l.Budget.used -= l.bytes
		l.Budget.Of.Shrink(l.bytes)
	}
	l.rows, l.bytes = nil, 0
}
