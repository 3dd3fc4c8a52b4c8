package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
)

// timeSeriesFunctions are generate_series of times.
var timeSeriesFunctions = []*Function{
	{Name: "generate_series", Args: sig{timestamp, timestamp, interval}, Result: timestamp, Doc: "Times from the first to the second, an interval apart.", Rows: timeSeries(of2(types.AddToTimestamp))},
	{Name: "generate_series", Args: sig{timestamptz, timestamptz, interval}, Result: timestamptz, Volatility: Stable, Doc: "Times from the first to the second, an interval apart.", Rows: timeSeries(addToTimestamptz)},
}

func timeSeries(add function2) func(c *Context, args []types.Value) Set {
	return func(c *Context, args []types.Value) Set {
		return func(yield func(types.Row, error) bool) {
			at, end, step := args[0], args[1], args[2]
			sign := types.Compare(step, types.NewInterval(0, 0, 0))
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
