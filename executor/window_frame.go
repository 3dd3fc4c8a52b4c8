package executor

import (
	"errors"
	"math"

	"github.com/cockroachdb/apd/v3"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/interval"
)

// frameOffsets are the offsets of a frame that counts rows or groups, cut to what a
// partition can have.
type frameOffsets struct{ start, end int }

// offsets computes the offsets of a frame, which are the same for all partitions.
func (p *partition) offsets(f plan.Frame) (o frameOffsets, err error) {
	if o.start, err = p.offset(f.Mode, f.Start, "starting"); err != nil {
		return o, err
	}
	o.end, err = p.offset(f.Mode, f.End, "ending")
	return o, err
}

func (p *partition) offset(mode plan.FrameMode, b plan.FrameBound, which string) (int, error) {
	if b.Kind != plan.Preceding && b.Kind != plan.Following {
		return 0, nil
	}
	v, err := b.Offset.Eval(p.env.Expr, nil)
	switch {
	case err != nil:
		return 0, err
	case v.IsNull():
		return 0, sqlerr.New(sqlerr.NullValueNotAllowed, "frame %s offset must not be null", which)
	case !negative(v):
	case mode == plan.RangeFrame:
		return 0, sqlerr.New(sqlerr.InvalidFrameSize, "invalid preceding or following size in window function")
	default:
		return 0, sqlerr.New(sqlerr.InvalidFrameSize, "frame %s offset must not be negative", which)
	}
	if mode == plan.RangeFrame {
		return 0, nil
	}
	return int(min(v.Int(), math.MaxInt32)), nil
}

// negative says whether an offset is below zero, or no number.
func negative(v types.Value) bool {
	switch v.Kind() {
	case types.KindFloat:
		return v.Float() < 0 || v.Float() != v.Float()
	case types.KindNumeric:
		return isNaN(v) || v.Numeric().Sign() < 0
	case types.KindInterval:
		return types.Compare(v, types.NewInterval(interval.Interval{})) < 0
	}
	return v.Int() < 0
}

// isNaN says whether a value is a number that is none.
func isNaN(v types.Value) bool {
	switch v.Kind() {
	case types.KindFloat:
		return math.IsNaN(v.Float())
	case types.KindNumeric:
		return v.Numeric().Form == apd.NaN
	}
	return false
}

// infinity is the infinite value of a kind of numbers, above all or below all.
func infinity(kind types.Kind, above bool) types.Value {
	if kind == types.KindNumeric {
		return types.NewNumeric(&apd.Decimal{Form: apd.Infinite, Negative: !above})
	}
	sign := -1
	if above {
		sign = 1
	}
	return types.NewFloat(math.Inf(sign))
}

// bounds are the first row of the frame of the present row, and the one behind the last.
func (w *windowRow) bounds() (first, end int, err error) {
	f := w.call.Frame
	if f.Mode == plan.RangeFrame {
		if first, err = w.rangeBound(f.Start, false); err != nil {
			return 0, 0, err
		}
		end, err = w.rangeBound(f.End, true)
		return first, end, err
	}
	count, at := w.rows.count, w.position
	if f.Mode == plan.GroupsFrame {
		count, at = w.starts.count-1, w.group
	}
	first = boundPosition(f.Start.Kind, at, w.offsets.start, count)
	if f.End.Kind == plan.UnboundedFollowing {
		end = count
	} else {
		end = boundPosition(f.End.Kind, at, w.offsets.end, count) + 1
	}
	first, end = min(max(first, 0), count), min(max(end, 0), count)
	if f.Mode == plan.GroupsFrame {
		if first, err = w.starts.at(first); err == nil {
			end, err = w.starts.at(end)
		}
	}
	return first, end, err
}

// boundPosition is where a bound stands, of so many rows or groups, which may be outside of them.
func boundPosition(kind plan.BoundKind, at, offset, count int) int {
	switch kind {
	case plan.UnboundedPreceding:
		return 0
	case plan.Preceding:
		return at - offset
	case plan.Following:
		return at + offset
	case plan.UnboundedFollowing:
		return count
	}
	return at
}

// rangeBound is the first row of a frame by value, or the one behind its last.
func (w *windowRow) rangeBound(b plan.FrameBound, end bool) (int, error) {
	first, behind := w.Peers()
	switch b.Kind {
	case plan.UnboundedPreceding:
		return 0, nil
	case plan.UnboundedFollowing:
		return w.rows.count, nil
	case plan.CurrentRow:
		if end {
			return behind, nil
		}
		return first, nil
	}
	v, err := b.Value.Eval(w.env.Expr, w.row)
	if overflow(err) {
		return w.farthest(b.Kind == plan.Preceding, end)
	}
	if err != nil {
		return 0, err
	}
	if isNaN(v) && !isNaN(w.row[w.width]) { // infinity from infinity: everything but NaN is in the frame
		v = infinity(v.Kind(), end != w.Order[0].Desc)
	}
	if v.IsNull() { // only NULLs are that far from NULL
		if end {
			return behind, nil
		}
		return first, nil
	}
	return w.search(end, func(key types.Value) bool {
		order := compareBy(w.Order[0], key, v)
		return order > 0 || order == 0 && !end // the frame ends behind what is equal
	})
}

// search is the number of the first row whose key is behind a bound, as are those of all rows that follow. It is
// mostly near where that bound of the frame was the last time, so it is looked for from there in steps that double
// (Bentley and Yao, An Almost Optimal Algorithm for Unbounded Searching, 1976).
func (w *windowRow) search(end bool, behind func(key types.Value) bool) (int, error) {
	near := &w.near[0]
	if end {
		near = &w.near[1]
	}
	from, to := 0, w.rows.count // no row before from is behind, and all from to on are
	var before, after bool      // whether such rows were met
	for step, probe := 1, *near; from < to; step *= 2 {
		if probe = min(max(probe, from), to-1); before && after {
			probe = from + (to-from)/2
		}
		row, err := w.rows.at(probe)
		if err != nil {
			return 0, err
		}
		if behind(row[w.width]) {
			to, after, probe = probe, true, probe-step
		} else {
			from, before, probe = probe+1, true, probe+step
		}
	}
	*near = from
	return from, nil
}

// overflow says whether a bound is beyond every value of its type.
func overflow(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && (e.Code == sqlerr.NumericValueOutOfRange || e.Code == sqlerr.DatetimeFieldOverflow)
}

// farthest is where a bound is that is before, or behind, all keys that are not NULL.
func (w *windowRow) farthest(before, end bool) (int, error) {
	return w.search(end, func(key types.Value) bool {
		if key.IsNull() {
			return !w.Order[0].NullsFirst
		}
		return before
	})
}
