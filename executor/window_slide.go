package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/types"
)

// sliding computes an aggregate over frames whose ends move forward, by a queue of two stacks: each row is added twice,
// however many frames it is in (Tangwongsan, Hirzel, Schneider: Low-Latency Sliding-Window Aggregation in Worst-Case
// Constant Time, 2017, section 2).
//
// The rows of a frame before mid are the front, of which there are the parts of the aggregate for each row with those
// behind it up to mid. The others are the back, whose parts are summed. The frame is both. When the front has passed,
// all of the frame becomes the front.
type sliding struct {
	*windowRow
	of            []types.T     // the arguments
	parts         []types.T     // what the parts are
	front         []types.Value // the parts for the rows from base to mid
	base, mid, to int
	back          []expr.Accumulator // of the rows from mid to to
	held          hold
}

func newSliding(w *windowRow, of []types.T) *sliding {
	s := &sliding{windowRow: w, of: of, held: w.partition.hold()}
	s.back = make([]expr.Accumulator, len(w.call.Aggregate.Parts))
	for _, p := range w.call.Aggregate.Parts {
		if p == w.call.Aggregate { // it may be of any type
			s.parts = append(s.parts, w.call.Type)
		} else {
			s.parts = append(s.parts, types.Of(p.Result))
		}
	}
	return s
}

// over is the aggregate of a frame that is not empty.
func (s *sliding) over(first, end int) (types.Value, error) {
	if first < s.base || first >= s.mid || end < s.to {
		if err := s.begin(first, end); err != nil {
			return types.Null, err
		}
	}
	for ; s.to < end; s.to++ {
		for _, sum := range s.back {
			if err := s.include(sum, s.to); err != nil {
				return types.Null, err
			}
		}
	}
	if s.to == s.mid {
		return s.together(s.call.Aggregate.Whole, s.parts, s.frontOf(first))
	}
	back := make([]types.Value, len(s.back))
	for i, sum := range s.back {
		var err error
		if back[i], err = sum.Result(s.env.Expr); err != nil {
			return types.Null, err
		}
	}
	return s.together(s.call.Aggregate.Whole, s.parts, s.frontOf(first), back)
}

// frontOf is the parts for the rows from one of the front up to mid.
func (s *sliding) frontOf(row int) []types.Value {
	n := len(s.parts)
	return s.front[(row-s.base)*n:][:n:n]
}

// begin makes a frame the front.
func (s *sliding) begin(first, end int) error {
	s.held.release()
	n := len(s.parts)
	s.base, s.mid, s.to = first, end, end
	s.front = slices.Grow(s.front[:0], (end-first)*n)[:(end-first)*n]
	if err := s.held.add(int64(len(s.front)) * valueBytes); err != nil {
		return err
	}
	for row := end - 1; row >= first; row-- {
		if err := s.addFront(row); err != nil {
			return err
		}
	}
	for i := range s.back {
		s.back[i] = s.call.Aggregate.Parts[i].New(s.of)
	}
	return nil
}

// addFront computes the parts for a row of the front with those behind it, in their order: of values that are equal one
// may be the result.
func (s *sliding) addFront(row int) error {
	to := s.frontOf(row)
	for i, p := range s.call.Aggregate.Parts {
		one := p.New(s.of)
		err := s.include(one, row)
		if err == nil {
			to[i], err = one.Result(s.env.Expr)
		}
		if err == nil && row+1 < s.mid {
			to[i], err = s.together(p.Whole, s.parts[i:i+1], to[i:i+1], s.frontOf(row + 1)[i:i+1])
		}
		if err != nil {
			return err
		}
		if row+1 == s.mid || !types.Identical(to[i], s.frontOf(row + 1)[i]) {
			if err := s.held.add(payload(to[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// together is the aggregate of results for some rows, and for those behind them.
func (s *sliding) together(whole *expr.Aggregate, of []types.T, results ...[]types.Value) (types.Value, error) {
	sum := whole.New(of)
	for _, r := range results {
		if err := sum.Add(s.env.Expr, r); err != nil {
			return types.Null, err
		}
	}
	return sum.Result(s.env.Expr)
}
