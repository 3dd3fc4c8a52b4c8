package system

import (
	"math"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// sessionFunctions tell of the server and the session, and act on them.
var sessionFunctions = []*expr.Function{
	{Name: "current_schemas", Args: pg.Sig{pg.Boolean}, Result: pg.NameArray, Volatility: expr.Stable, Doc: "Names of the schemas that names are looked up in, with those always searched if true.", Fn1: currentSchemas},
	{Name: "set_config", Args: pg.Sig{pg.Text, pg.Text, pg.Boolean}, Result: pg.Text, Volatility: expr.Volatile, NotStrict: true, Doc: "Gives a setting a value, until the transaction ends if the last argument is true.", FnN: setConfig},
	{Name: "pg_backend_pid", Args: pg.Sig{}, Result: pg.Int4, Volatility: expr.Stable, Doc: "Number of the session, which cancel requests name.", Fn0: backendPID},
	{Name: "pg_postmaster_start_time", Args: pg.Sig{}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time at which the server began.", Fn0: startTime},
	{Name: "pg_conf_load_time", Args: pg.Sig{}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time at which the configuration was read.", Fn0: startTime},
	{Name: "pg_is_in_recovery", Args: pg.Sig{}, Result: pg.Boolean, Volatility: expr.Volatile, Doc: "False: a server of this kind does not recover.", Fn0: falseValue},
	{Name: "pg_jit_available", Args: pg.Sig{}, Result: pg.Boolean, Volatility: expr.Volatile, Doc: "False: expressions are not compiled.", Fn0: falseValue},
	{Name: "pg_sleep", Args: pg.Sig{pg.Float8}, Result: types.OIDVoid, Volatility: expr.Volatile, Doc: "Waits for seconds.", Fn1: sleepSeconds},
	{Name: "pg_sleep_for", Args: pg.Sig{types.OIDInterval}, Result: types.OIDVoid, Volatility: expr.Volatile, Doc: "Waits for an interval.", Fn1: sleepFor},
	{Name: "pg_sleep_until", Args: pg.Sig{pg.Timestamptz}, Result: types.OIDVoid, Volatility: expr.Volatile, Doc: "Waits until a time.", Fn1: sleepUntil},
	{Name: "format_type", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Text, Volatility: expr.Stable, NotStrict: true, Doc: "Name of a type with its modifier.", Fn2: formatType},
	{Name: "pg_typeof", Args: pg.Sig{types.OIDAny}, Result: types.OIDRegtype, Volatility: expr.Stable, NotStrict: true, Doc: "Type of the argument.", Typed: typeOf},
	{Name: "to_regclass", Args: pg.Sig{pg.Text}, Result: types.OIDRegclass, Volatility: expr.Stable, Doc: "Number of a table or an index by its name, or NULL.", Fn1: toReg(types.OIDRegclass)},
	{Name: "to_regtype", Args: pg.Sig{pg.Text}, Result: types.OIDRegtype, Volatility: expr.Stable, Doc: "Number of a type by its name, or NULL.", Fn1: toReg(types.OIDRegtype)},
	{Name: "to_regproc", Args: pg.Sig{pg.Text}, Result: types.OIDRegproc, Volatility: expr.Stable, Doc: "Number of a function by its name, or NULL.", Fn1: toReg(types.OIDRegproc)},
	{Name: "to_regprocedure", Args: pg.Sig{pg.Text}, Result: types.OIDRegprocedure, Volatility: expr.Stable, Doc: "Number of a function by its name and arguments, or NULL.", Fn1: toReg(types.OIDRegprocedure)},
	{Name: "to_regoper", Args: pg.Sig{pg.Text}, Result: types.OIDRegoper, Volatility: expr.Stable, Doc: "Number of an operator by its name, or NULL.", Fn1: toReg(types.OIDRegoper)},
	{Name: "to_regoperator", Args: pg.Sig{pg.Text}, Result: types.OIDRegoperator, Volatility: expr.Stable, Doc: "Number of an operator by its name and operands, or NULL.", Fn1: toReg(types.OIDRegoperator)},
	{Name: "to_regnamespace", Args: pg.Sig{pg.Text}, Result: types.OIDRegnamespace, Volatility: expr.Stable, Doc: "Number of a schema by its name, or NULL.", Fn1: toReg(types.OIDRegnamespace)},
	{Name: "to_regrole", Args: pg.Sig{pg.Text}, Result: types.OIDRegrole, Volatility: expr.Stable, Doc: "Number of a role by its name, or NULL.", Fn1: toReg(types.OIDRegrole)},
	{Name: "num_nulls", Args: pg.Sig{types.OIDAny}, Result: pg.Int4, Variadic: true, AnyArgs: true, NotStrict: true, Doc: "Number of arguments that are NULL.", FnN: countNulls(true)},
	{Name: "num_nonnulls", Args: pg.Sig{types.OIDAny}, Result: pg.Int4, Variadic: true, AnyArgs: true, NotStrict: true, Doc: "Number of arguments that are not NULL.", FnN: countNulls(false)},
}

func falseValue(*expr.Context) (types.Value, error) { return types.NewBool(false), nil }

func currentSchemas(c *expr.Context, a types.Value) (types.Value, error) {
	var items []types.Value
	if a.Bool() {
		items = append(items, types.NewText("pg_catalog"))
	}
	for _, schema := range hostOf(c).Session.Path {
		items = append(items, types.NewText(schema))
	}
	return types.ArrayOfItems(pg.Name, items, c.Env)
}

func setConfig(c *expr.Context, args []types.Value) (types.Value, error) {
	switch {
	case args[0].IsNull():
		return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "SET requires parameter name")
	case hostOf(c).Session.Set == nil:
		return types.Null, sqlerr.Unsupported("set_config here")
	}
	value := ""
	if !args[1].IsNull() {
		value = args[1].Text()
	}
	shown, err := hostOf(c).Session.Set(args[0].Text(), value, !args[2].IsNull() && args[2].Bool())
	return types.NewText(shown), err
}

func backendPID(c *expr.Context) (types.Value, error) {
	return types.NewInt(int64(int32(hostOf(c).Session.PID))), nil
}

func startTime(c *expr.Context) (types.Value, error) {
	return types.TimestampAt(hostOf(c).Session.Started), nil
}

func sleepSeconds(c *expr.Context, a types.Value) (types.Value, error) {
	seconds := a.Float()
	if !(seconds > 0) {
		seconds = 0
	}
	return types.NewText(""), sleep(c, time.Duration(min(seconds*float64(time.Second), math.MaxInt64/2)))
}

func sleepFor(c *expr.Context, a types.Value) (types.Value, error) {
	months, days, micros := a.Interval().Fields()
	now := time.Now()
	d := now.AddDate(0, int(months), int(days)).Sub(now) + time.Duration(micros)*time.Microsecond
	return types.NewText(""), sleep(c, max(d, 0))
}

func sleepUntil(c *expr.Context, a types.Value) (types.Value, error) {
	now := types.TimestampAt(time.Now())
	micros := max(a.Micros()-now.Micros(), 0)
	if micros > math.MaxInt64/int64(time.Microsecond)/2 {
		micros = math.MaxInt64 / int64(time.Microsecond) / 2
	}
	return types.NewText(""), sleep(c, time.Duration(micros)*time.Microsecond)
}

func sleep(c *expr.Context, d time.Duration) error {
	if hostOf(c).Session.Sleep == nil {
		return sqlerr.Unsupported("pg_sleep here")
	}
	return hostOf(c).Session.Sleep(d)
}

// formatType calls a type that there is not ???, and one that is not given NULL.
func formatType(c *expr.Context, a, b types.Value) (types.Value, error) {
	if a.IsNull() {
		return types.Null, nil
	}
	if a.Int() == 0 {
		return types.NewText("-"), nil
	}
	t := types.Of(types.OID(a.Int()))
	if info := types.InfoOf(t.OID); (info.OID != t.OID || info.Extension != "") && c.Env.Names != nil {
		if name := c.Env.Names.NameOf(types.OIDRegtype, uint32(t.OID)); name != "" {
			return types.NewText(name), nil
		}
	}
	if b.IsNull() {
		return types.NewText(t.String()), nil
	}
	if t.Mod = int32(b.Int()); t.Mod < 0 && t.OID == pg.Bpchar {
		return types.NewText("bpchar"), nil // "character" is one of them
	}
	if t.Mod < 0 && t.OID == types.InfoOf(pg.Bpchar).Array {
		return types.NewText("bpchar[]"), nil
	}
	return types.NewText(t.String()), nil
}

func typeOf(_ *expr.Context, of []types.T, _ []types.Value) (types.Value, error) {
	return types.NewInt(int64(of[0].Number())), nil
}

// toReg is a cast to a type of the reg family for which no name is an error.
func toReg(kind types.OID) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		if c.Env == nil || c.Env.Names == nil {
			return types.Null, nil
		}
		oid, err := c.Env.Names.OIDOf(kind, a.Text())
		if err == nil {
			return types.NewInt(int64(oid)), nil
		}
		for _, code := range []sqlerr.Code{
			sqlerr.UndefinedTable, sqlerr.UndefinedObject, sqlerr.UndefinedFunction, sqlerr.InvalidSchemaName,
			sqlerr.AmbiguousFunction,
		} {
			if sqlerr.Has(err, code) {
				return types.Null, nil
			}
		}
		return types.Null, err
	}
}

func countNulls(null bool) func(*expr.Context, []types.Value) (types.Value, error) {
	return func(_ *expr.Context, args []types.Value) (types.Value, error) {
		n := 0
		for _, v := range args {
			if v.IsNull() == null {
				n++
			}
		}
		return types.NewInt(int64(n)), nil
	}
}
