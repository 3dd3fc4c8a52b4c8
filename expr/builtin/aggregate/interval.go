package aggregate

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/interval"
)

// intervalAggregates are sum and avg of intervals.
var intervalAggregates = []*expr.Aggregate{
	{Name: "sum", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Sum.", New: func([]types.T) expr.Accumulator { return &intervalSum{} }},
	{Name: "avg", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Average.", New: func([]types.T) expr.Accumulator { return &intervalSum{average: true} }},
}

type intervalSum struct {
	count   int64
	sum     interval.Interval
	average bool
}

// Add implements Accumulator.
func (s *intervalSum) Add(_ *expr.Context, args []types.Value) (err error) {
	switch {
	case args[0].IsNull():
		return nil
	case s.count == 0:
		s.sum = args[0].Interval()
	default:
		s.sum, err = interval.Add(s.sum, args[0].Interval())
	}
	s.count++
	return err
}

// Result implements Accumulator.
func (s *intervalSum) Result(*expr.Context) (types.Value, error) {
	switch {
	case s.count == 0:
		return types.Null, nil
	case !s.average:
		return types.NewInterval(s.sum), nil
	}
	mean, err := interval.Div(s.sum, float64(s.count))
	if err != nil {
		return types.Null, err
	}
	return types.NewInterval(mean), nil
}
