package pairs

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/hstore"
)

// makers make sets of other values.
var makers = []*expr.Function{
	{Name: "tconvert", OID: 9820, Args: pg.Sig{pg.Text, pg.Text}, Result: set, NotStrict: true, Doc: "An old name of hstore.", Fn2: ofTexts},
	{Name: "hstore", OID: 9821, Args: pg.Sig{pg.Text, pg.Text}, Result: set, NotStrict: true, Doc: "Set of one pair.", Fn2: ofTexts},
	{Name: "hstore", OID: 9822, Args: pg.Sig{pg.TextArray, pg.TextArray}, Result: set, NotStrict: true, Doc: "Set of keys and values, which are as many, or NULL.", Fn2: ofArrays},
	{Name: "hstore", OID: 9823, Args: pg.Sig{pg.TextArray}, Result: set, Doc: "Set of keys and values, one behind the other, or in two columns.", Fn1: ofArray},
	{Name: "hstore", OID: 9824, Args: pg.Sig{types.OIDRecord}, Result: set, NotStrict: true, Doc: "Set of the names and the texts of the fields of a row.", Typed: ofRecord},
}

func ofTexts(c *expr.Context, key, value types.Value) (types.Value, error) {
	if key.IsNull() {
		return types.Null, nil
	}
	p := pair(key, value)
	if err := reads(c, key, types.NewText(p.Value)); err != nil {
		return types.Null, err
	}
	return made(c, []hstore.Pair{p})
}

// pair is a key that is not NULL with a value.
func pair(key, value types.Value) hstore.Pair {
	if value.IsNull() {
		return hstore.Pair{Key: key.Text(), Null: true}
	}
	return hstore.Pair{Key: key.Text(), Value: value.Text()}
}

func ofArray(c *expr.Context, all types.Value) (types.Value, error) {
	cast, _ := types.FindCast(pg.TextArray, set)
	return cast.Fn(all, types.Of(set), c.Env)
}

func ofArrays(c *expr.Context, keys, values types.Value) (types.Value, error) {
	if keys.IsNull() {
		return types.Null, nil
	}
	k := keys.Array()
	if len(k.Dims) > 1 {
		return types.Null, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	items := make([]types.Value, len(k.Items))
	if !values.IsNull() {
		v := values.Array()
		switch {
		case len(v.Dims) > 1:
			return types.Null, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
		case !slices.Equal(k.Dims, v.Dims):
			return types.Null, sqlerr.New(sqlerr.ArraySubscriptError, "arrays must have same bounds")
		}
		items = v.Items
	}
	return types.HstoreOf(k.Items, items, c.Env)
}

// ofRecord makes pairs of the fields of a row; those of NULL are all NULL.
func ofRecord(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	var row types.RecordValue
	switch {
	case !args[0].IsNull():
		row = *args[0].Record()
	case of[0].Def != nil:
		row = types.RecordValue{Names: of[0].Def.Names, Values: make([]types.Value, len(of[0].Def.Names))}
	default:
		return types.Null, unregistered()
	}
	pairs := make([]hstore.Pair, len(row.Names))
	for i, v := range row.Values {
		if pairs[i].Key, pairs[i].Null = row.Names[i], v.IsNull(); pairs[i].Null {
			continue
		}
		var err error
		if pairs[i].Value, err = types.LongText(v, row.Types[i], c.Env); err != nil {
			return types.Null, err
		}
	}
	return made(c, hstore.Unique(pairs))
}
