package aggregate

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// intervalAggregates are sum and avg of intervals.
var intervalAggregates = []*expr.Aggregate{
	{Name: "sum", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Sum.", New: func([]types.T) expr.Accumulator { return &intervalSum{} }},
	{Name: "avg", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Average.", New: func([]types.T) expr.Accumulator { return &intervalSum{average: true} }},
}

type intervalSum struct {
	count   int64
	sum     types.Value
	average bool
}

// Add implements Accumulator.
func (s *intervalSum) Add(_ *expr.Context, args []types.Value) (err error) {
	switch {
	case args[0].IsNull():
		return nil
	case s.count == 0:
		s.sum = args[0]
	default:
		s.sum, err = types.AddIntervals(s.sum, args[0])
	}
	s.count++
	return err
}

// Result implements Accumulator.
func (s *intervalSum) Result(*expr.Context) (types.Value, error) {
	if s.average && s.count > 0 {
		return types.DivInterval(s.sum, types.NewFloat(float64(s.count)))
	}
	return s.sum, nil
}
