package datetime

import (
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// clockFunctions tell the time. Those of SQL's keywords take the digits of the second.
var clockFunctions = []*expr.Function{
	{Name: "now", Args: pg.Sig{}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "When the transaction began.", Fn0: transactionTime},
	{Name: "transaction_timestamp", Args: pg.Sig{}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "When the transaction began.", Fn0: transactionTime},
	{Name: "statement_timestamp", Args: pg.Sig{}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "When the statement began.", Fn0: statementTime},
	{Name: "clock_timestamp", Args: pg.Sig{}, Result: pg.Timestamptz, Volatility: expr.Volatile, Doc: "Time of the clock.", Fn0: clockTime},
	{Name: "timeofday", Args: pg.Sig{}, Result: pg.Text, Volatility: expr.Volatile, Doc: "Time of the clock as a text.", Fn0: timeOfDay},
	{Name: "current_date", Syntax: true, Args: pg.Sig{}, Result: pg.Date, Volatility: expr.Stable, Doc: "Date on which the transaction began.", Fn0: currentDate},
	{Name: "current_timestamp", Syntax: true, Args: pg.Sig{}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "When the transaction began.", Fn0: transactionTime},
	{Name: "current_timestamp", Syntax: true, Args: pg.Sig{pg.Int4}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "When the transaction began.", Fn1: roundedClock(transactionTime, pg.Timestamptz)},
	{Name: "localtimestamp", Syntax: true, Args: pg.Sig{}, Result: pg.Timestamp, Volatility: expr.Stable, Doc: "When the transaction began, in local time.", Fn0: localTimestamp},
	{Name: "localtimestamp", Syntax: true, Args: pg.Sig{pg.Int4}, Result: pg.Timestamp, Volatility: expr.Stable, Doc: "When the transaction began, in local time.", Fn1: roundedClock(localTimestamp, pg.Timestamp)},
	{Name: "current_time", Syntax: true, Args: pg.Sig{}, Result: pg.Clocktz, Volatility: expr.Stable, Doc: "Time of day at which the transaction began.", Fn0: currentTime},
	{Name: "current_time", Syntax: true, Args: pg.Sig{pg.Int4}, Result: pg.Clocktz, Volatility: expr.Stable, Doc: "Time of day at which the transaction began.", Fn1: roundedClock(currentTime, pg.Clocktz)},
	{Name: "localtime", Syntax: true, Args: pg.Sig{}, Result: pg.Clock, Volatility: expr.Stable, Doc: "Local time of day at which the transaction began.", Fn0: localTime},
	{Name: "localtime", Syntax: true, Args: pg.Sig{pg.Int4}, Result: pg.Clock, Volatility: expr.Stable, Doc: "Local time of day at which the transaction began.", Fn1: roundedClock(localTime, pg.Clock)},
}

func transactionTime(c *expr.Context) (types.Value, error) {
	return types.TimestampAt(c.Transaction), nil
}

func statementTime(c *expr.Context) (types.Value, error) { return types.TimestampAt(c.Statement), nil }

func clockTime(*expr.Context) (types.Value, error) { return types.TimestampAt(time.Now()), nil }

func timeOfDay(c *expr.Context) (types.Value, error) {
	return types.NewText(time.Now().In(c.Zone()).Format("Mon Jan 02 15:04:05.000000 2006 MST")), nil
}

func localTimestamp(c *expr.Context) (types.Value, error) { return transactionTimeAs(c, pg.Timestamp) }

func currentDate(c *expr.Context) (types.Value, error) { return transactionTimeAs(c, pg.Date) }

func currentTime(c *expr.Context) (types.Value, error) { return transactionTimeAs(c, pg.Clocktz) }

func localTime(c *expr.Context) (types.Value, error) { return transactionTimeAs(c, pg.Clock) }

// transactionTimeAs casts when the transaction began to a type.
func transactionTimeAs(c *expr.Context, oid types.OID) (types.Value, error) {
	cast, _ := types.FindCast(pg.Timestamptz, oid)
	return cast.Fn(types.TimestampAt(c.Transaction), types.Of(oid), c.Env)
}

// roundedClock rounds what a clock tells to some digits of the second.
func roundedClock(f func(*expr.Context) (types.Value, error), oid types.OID) expr.Function1 {
	return func(c *expr.Context, digits types.Value) (types.Value, error) {
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
