package executor

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// framed computes an aggregate over the frames of rows. A frame that begins as the last one did only grows, so what is
// new is added. One that has moved slides if the aggregate has parts, or else all is added again.
type framed struct {
	*windowRow
	types    []types.T        // of the arguments
	sum      expr.Accumulator // of the rows from..to; nil: there is none
	from, to int              // the last frame
	last     types.Value      // of it
	known    bool             // there was one
	slides   *sliding         // nil: none did yet
}

// fewSlid is up to how many rows of a frame are added again for less than sliding takes.
const fewSlid = 64

func newFramed(w *windowRow, args []types.T) *framed {
	return &framed{windowRow: w, types: args}
}

// whole says whether a frame has all rows between its ends.
func (f *framed) whole() bool { return f.call.Frame.Exclude == plan.ExcludeNothing }

// value is the aggregate of the frame of the present row.
func (f *framed) value() (types.Value, error) {
	first, end := f.Frame()
	end = max(first, end)
	if f.err != nil {
		return types.Null, f.err
	}
	if f.known && f.whole() && first == f.from && end == f.to {
		return f.last, nil
	}
	var err error
	grows := f.sum != nil && f.whole() && first == f.from && end >= f.to
	if !grows && end-first > fewSlid && f.maySlide() {
		f.sum = nil
		f.last, err = f.slides.over(first, end)
	} else {
		f.last, err = f.add(first, end, grows)
	}
	f.from, f.to, f.known = first, end, true
	return f.last, err
}

// maySlide says whether frames move forward, and the aggregate has parts.
func (f *framed) maySlide() bool {
	moves := f.whole() && f.call.Frame.Start.Kind != plan.UnboundedPreceding
	if f.slides == nil && moves && f.call.Aggregate.Whole != nil {
		f.slides = newSliding(f.windowRow, f.types)
	}
	return f.slides != nil
}

// add computes the aggregate row by row: of the rows that are new to a frame that grows.
func (f *framed) add(first, end int, grows bool) (types.Value, error) {
	if !grows {
		f.kept.release()
		f.sum, f.to = f.call.Aggregate.New(f.types), first
	}
	for i := f.to; i < end; i++ {
		if err := f.include(f.sum, i); err != nil {
			return types.Null, err
		}
	}
	return f.sum.Result(f.env.Expr)
}

// close gives back what the aggregate holds.
func (f *framed) close() {
	f.kept.release()
	if f.slides != nil {
		f.slides.held.release()
	}
}
