package pairs

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// internals read, print and describe the values of the type, for PostgreSQL itself.
var internals = []*expr.Function{
	{Name: "hstore_in", OID: 9800, Args: pg.Sig{types.OIDCstring}, Result: set, Doc: "Set that a text says.", Fn1: input},
	{Name: "hstore_out", OID: 9801, Args: pg.Sig{set}, Result: types.OIDCstring, Doc: "Text of a set.", Fn1: output},
	internal(9802, "hstore_recv", pg.Sig{types.OIDInternal}, set, "Set of its binary format."),
	{Name: "hstore_send", OID: 9803, Args: pg.Sig{set}, Result: pg.Bytea, Doc: "Binary format of a set.", Fn1: send},
	{Name: "hstore_version_diag", OID: 9804, Args: pg.Sig{set}, Result: pg.Int4, Doc: "Version of the format in which a set is held.", Fn1: version},
	internal(9846, "hstore_subscript_handler", pg.Sig{types.OIDInternal}, types.OIDInternal, "Subscripts of the type."),
}

// internal is a function that cannot be called, since there are no values of its arguments.
func internal(oid uint32, name string, args pg.Sig, result types.OID, doc string) *expr.Function {
	return &expr.Function{
		Name: name, OID: oid, Args: args, Result: result, Doc: doc,
		Typed: func(*expr.Context, []types.T, []types.Value) (types.Value, error) {
			return types.Null, sqlerr.New(sqlerr.FeatureNotSupported, "a call of %s by itself is not supported", name)
		},
	}
}

func input(c *expr.Context, text types.Value) (types.Value, error) {
	return types.ParseText(text.Text(), types.Of(set), c.Env)
}

func output(c *expr.Context, of types.Value) (types.Value, error) {
	text, err := types.LongText(of, types.Of(set), c.Env)
	return types.NewText(text), err
}

func send(c *expr.Context, of types.Value) (types.Value, error) {
	return types.NewBytes(types.AppendBinary(nil, of, types.Of(set))), reads(c, of)
}

// version is that of PostgreSQL since 9.0.
func version(c *expr.Context, of types.Value) (types.Value, error) {
	return types.NewInt(2), reads(c, of)
}
