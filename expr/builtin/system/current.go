package system

import (
	"cmp"
	"crypto/rand"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// systemFunctions tell who asks whom, and make random uuids.
var systemFunctions = []*expr.Function{
	{Name: "getpgusername", Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the user.", Fn0: currentUser},
	{Name: "version", Args: pg.Sig{}, Result: pg.Text, Volatility: expr.Stable, Doc: "Version of the server.", Fn0: version},
	{Name: "current_user", Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the user.", Fn0: currentUser},
	{Name: "current_role", Syntax: true, Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the user.", Fn0: currentUser},
	{Name: "session_user", Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the user who connected.", Fn0: sessionUser},
	{Name: "user", Syntax: true, Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the user.", Fn0: currentUser},
	{Name: "current_database", Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the database.", Fn0: currentDatabase},
	{Name: "current_catalog", Syntax: true, Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the database.", Fn0: currentDatabase},
	{Name: "current_schema", Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the schema that tables are made in.", Fn0: currentSchema},
	{Name: "current_setting", Args: pg.Sig{pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Value of a setting.", Fn1: currentSetting},
	{Name: "pg_client_encoding", Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the client's encoding.", Fn0: clientEncoding},
	{Name: "current_setting", Args: pg.Sig{pg.Text, pg.Boolean}, Result: pg.Text, Volatility: expr.Stable, Doc: "Value of a setting, or NULL if there is none and the second argument is true.", Fn2: currentSettingOrNull},
	{Name: "gen_random_uuid", Args: pg.Sig{}, Result: pg.UUID, Volatility: expr.Volatile, Doc: "Random uuid of version 4.", Fn0: randomUUID},
}

func version(c *expr.Context) (types.Value, error) {
	text := "PostgreSQL " + ServerVersion
	if hostOf(c).Session.Build != "" {
		text += ", " + hostOf(c).Session.Build
	}
	return types.NewText(text), nil
}

func currentUser(c *expr.Context) (types.Value, error) { return types.NewText(hostOf(c).User), nil }

func sessionUser(c *expr.Context) (types.Value, error) {
	return types.NewText(cmp.Or(hostOf(c).SessionUser, hostOf(c).User)), nil
}

func currentDatabase(c *expr.Context) (types.Value, error) {
	return types.NewText(hostOf(c).Database), nil
}

func currentSchema(c *expr.Context) (types.Value, error) {
	if len(hostOf(c).Session.Path) == 0 {
		return types.Null, nil
	}
	return types.NewText(hostOf(c).Session.Path[0]), nil
}

func currentSetting(c *expr.Context, a types.Value) (types.Value, error) {
	return currentSettingOrNull(c, a, types.NewBool(false))
}

func currentSettingOrNull(c *expr.Context, a, missingOK types.Value) (types.Value, error) {
	if hostOf(c).Setting != nil {
		if value, ok := hostOf(c).Setting(a.Text()); ok {
			return types.NewText(value), nil
		}
	}
	if missingOK.Bool() {
		return types.Null, nil
	}
	return types.Null, sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter \"%s\"", a.Text())
}

func clientEncoding(c *expr.Context) (types.Value, error) {
	return currentSetting(c, types.NewText("client_encoding"))
}

// randomUUID is version 4, variant 1 (RFC 9562).
func randomUUID(*expr.Context) (types.Value, error) {
	var u [16]byte
	if _, err := rand.Read(u[:]); err != nil {
		return types.Null, err
	}
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return types.NewUUID(u), nil
}
