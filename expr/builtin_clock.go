package expr

import (
	"time"

	"zproxy/types"
)

// clockFunctions tell the time. Those of SQL's keywords take the digits of the second.
var clockFunctions = []*Function{
	{Name: "now", Args: sig{}, Result: timestamptz, Volatility: Stable, Doc: "When the transaction began.", Fn0: transactionTime},
	{Name: "transaction_timestamp", Args: sig{}, Result: timestamptz, Volatility: Stable, Doc: "When the transaction began.", Fn0: transactionTime},
	{Name: "statement_timestamp", Args: sig{}, Result: timestamptz, Volatility: Stable, Doc: "When the statement began.", Fn0: statementTime},
	{Name: "clock_timestamp", Args: sig{}, Result: timestamptz, Volatility: Volatile, Doc: "Time of the clock.", Fn0: clockTime},
	{Name: "timeofday", Args: sig{}, Result: text, Volatility: Volatile, Doc: "Time of the clock as a text.", Fn0: timeOfDay},
	{Name: "current_date", Syntax: true, Args: sig{}, Result: date, Volatility: Stable, Doc: "Date on which the transaction began.", Fn0: currentDate},
	{Name: "current_timestamp", Syntax: true, Args: sig{}, Result: timestamptz, Volatility: Stable, Doc: "When the transaction began.", Fn0: transactionTime},
	{Name: "current_timestamp", Syntax: true, Args: sig{int4}, Result: timestamptz, Volatility: Stable, Doc: "When the transaction began.", Fn1: roundedClock(transactionTime, timestamptz)},
	{Name: "localtimestamp", Syntax: true, Args: sig{}, Result: timestamp, Volatility: Stable, Doc: "When the transaction began, in local time.", Fn0: localTimestamp},
	{Name: "localtimestamp", Syntax: true, Args: sig{int4}, Result: timestamp, Volatility: Stable, Doc: "When the transaction began, in local time.", Fn1: roundedClock(localTimestamp, timestamp)},
	{Name: "current_time", Syntax: true, Args: sig{}, Result: clocktz, Volatility: Stable, Doc: "Time of day at which the transaction began.", Fn0: currentTime},
	{Name: "current_time", Syntax: true, Args: sig{int4}, Result: clocktz, Volatility: Stable, Doc: "Time of day at which the transaction began.", Fn1: roundedClock(currentTime, clocktz)},
	{Name: "localtime", Syntax: true, Args: sig{}, Result: clock, Volatility: Stable, Doc: "Local time of day at which the transaction began.", Fn0: localTime},
	{Name: "localtime", Syntax: true, Args: sig{int4}, Result: clock, Volatility: Stable, Doc: "Local time of day at which the transaction began.", Fn1: roundedClock(localTime, clock)},
}

func transactionTime(c *Context) (types.Value, error) { return types.TimestampAt(c.Transaction), nil }

func statementTime(c *Context) (types.Value, error) { return types.TimestampAt(c.Statement), nil }

func clockTime(*Context) (types.Value, error) { return types.TimestampAt(time.Now()), nil }

func timeOfDay(c *Context) (types.Value, error) {
	return types.NewText(time.Now().In(c.zone()).Format("Mon Jan 02 15:04:05.000000 2006 MST")), nil
}

func localTimestamp(c *Context) (types.Value, error) { return transactionTimeAs(c, timestamp) }

func currentDate(c *Context) (types.Value, error) { return transactionTimeAs(c, date) }

func currentTime(c *Context) (types.Value, error) { return transactionTimeAs(c, clocktz) }

func localTime(c *Context) (types.Value, error) { return transactionTimeAs(c, clock) }

// transactionTimeAs casts when the transaction began to a type.
func transactionTimeAs(c *Context, oid types.OID) (types.Value, error) {
	cast, _ := types.FindCast(timestamptz, oid)
	return cast.Fn(types.TimestampAt(c.Transaction), types.Of(oid), c.Env)
}

// roundedClock rounds what a clock tells to some digits of the second.
func roundedClock(f func(*Context) (types.Value, error), oid types.OID) function1 {
	return func(c *Context, digits types.Value) (types.Value, error) {
		v, err := f(c)
		if err != nil {
			return types.Null, err
		}
		mod, err := types.Modifier(oid, []int{int(digits.Int())})
		if err != nil {
			return types.Null, err
		}
		return types.ApplyMod(v, types.T{OID: oid, Mod: mod}, true, nil)
	}
}
