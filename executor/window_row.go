package executor

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// windowRow is the row of a partition that a function is computed for. It is what the
// function sees.
type windowRow struct {
	*partition
	call    *plan.WindowCall
	offsets frameOffsets
	near    [2]int // where the ends of the last frame by value were found
	// first and end are the frame, once it was asked for; an error is kept, since who asks
	// cannot take one.
	first, end int
	framed     bool
	err        error
	args       []types.Value
	added      int
	kept       hold // by the aggregate of the present frame
}

// Len implements expr.Partition.
func (w *windowRow) Len() int { return w.rows.count }

// Row implements expr.Partition.
func (w *windowRow) Row() int { return w.position }

// Peers implements expr.Partition.
func (w *windowRow) Peers() (first, end int) { return w.present.first, w.present.end }

// Frame implements expr.Partition.
func (w *windowRow) Frame() (first, end int) {
	if !w.framed {
		w.framed = true
		w.first, w.end, w.err = w.bounds()
	}
	return w.first, w.end
}

// InFrame implements expr.Partition.
func (w *windowRow) InFrame(row int) bool {
	peer := w.present.first <= row && row < w.present.end
	switch w.call.Frame.Exclude {
	case plan.ExcludeCurrentRow:
		return row != w.position
	case plan.ExcludeGroup:
		return !peer
	case plan.ExcludeTies:
		return row == w.position || !peer
	}
	return true
}

// Args implements expr.Partition.
func (w *windowRow) Args(c *expr.Context, row int) ([]types.Value, error) {
	of, err := w.rows.at(row)
	if err != nil {
		return nil, err
	}
	return w.argsOf(c, of)
}

// argsOf are the arguments for a row.
func (w *windowRow) argsOf(c *expr.Context, row types.Row) ([]types.Value, error) {
	if w.args == nil {
		w.args = make([]types.Value, len(w.call.Args))
	}
	return w.args, evaluate(w.args, w.call.Args, c, row)
}

// include adds a row of the frame to an aggregate.
func (w *windowRow) include(sum expr.Accumulator, number int) error {
	w.added++
	if err := w.canceledAt(w.added); err != nil {
		return err
	}
	if !w.InFrame(number) {
		return nil
	}
	row, err := w.rows.at(number)
	if err != nil {
		return err
	}
	if w.call.Filter != nil {
		v, err := w.call.Filter.Eval(w.env.Expr, row)
		if err != nil || !v.IsTrue() {
			return err
		}
	}
	args, err := w.argsOf(w.env.Expr, row)
	if err != nil {
		return err
	}
	add := func() error { return sum.Add(w.env.Expr, args) }
	if of, ok := sum.(stateful); ok {
		return w.kept.replace(func() types.Value { return of.Present(0) }, add)
	}
	return w.accumulate(w.call.Aggregate, &w.kept, args, add)
}
