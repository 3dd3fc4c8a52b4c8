package datetime

import (
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/interval"
)

// timeSeriesFunctions are generate_series of times.
var timeSeriesFunctions = []*expr.Function{
	{Name: "generate_series", Args: pg.Sig{pg.Timestamp, pg.Timestamp, pg.Interval}, Result: pg.Timestamp, Doc: "Times from the first to the second, an interval apart.", Rows: timeSeries(addToTimestamp), Count: timeCount},
	{Name: "generate_series", Args: pg.Sig{pg.Timestamptz, pg.Timestamptz, pg.Interval}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Times from the first to the second, an interval apart.", Rows: timeSeries(AddToTimestamptz), Count: timeCount},
}

// timeCount is about how many times there are: months have different lengths.
func timeCount(args []types.Value) float64 {
	n := math.Floor(float64(args[1].Micros()-args[0].Micros())/float64(args[2].Interval().Length())) + 1
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return n
}

func timeSeries(add expr.Function2) func(c *expr.Context, args []types.Value) expr.Set {
	return func(c *expr.Context, args []types.Value) expr.Set {
		return func(yield func(types.Row, error) bool) {
			at, end, step := args[0], args[1], args[2]
			sign := types.Compare(step, types.NewInterval(interval.Interval{}))
			if sign == 0 {
				yield(nil, sqlerr.New(sqlerr.InvalidParameterValue, "step size cannot equal zero"))
				return
			}
			row := make(types.Row, 1)
			for types.Compare(at, end) != sign {
				row[0] = at
				if !yield(row, nil) {
					return
				}
				var err error
				if at, err = add(c, at, step); err != nil {
					yield(nil, err)
					return
				}
			}
		}
	}
}
