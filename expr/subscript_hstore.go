package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/hstore"
)

func isHstore(e Expr) bool { return e.Type().OID == types.OIDHstore }

// pairValue is the value of a key, NULL when there is none.
func pairValue(v, key types.Value) types.Value {
	p, ok := v.Hstore().Find(key.Text())
	if !ok || p.Null {
		return types.Null
	}
	return types.NewText(p.Value)
}

// inHstore is what a set of pairs, or NULL, becomes when a key gets a value.
func (e SubscriptAssign) inHstore(c *Context, row types.Row, arg, value types.Value) (types.Value, error) {
	key, err := e.Indexes[0].High.Eval(c, row)
	switch {
	case err != nil:
		return types.Null, err
	case key.IsNull():
		return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "hstore subscript in assignment must not be null")
	}
	pairs := []hstore.Pair{{Key: key.Text(), Null: value.IsNull()}}
	if !value.IsNull() {
		pairs[0].Value = value.Text()
	}
	if !arg.IsNull() {
		before := arg.Hstore()
		if err := c.Make(before.Memory() + int64(len(before))); err != nil {
			return types.Null, err
		}
		pairs = hstore.Unique(append(pairs, before.Pairs()...))
	}
	return types.NewBytes(hstore.Encode(pairs)), nil
}
