package pairs

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/hstore"
)

// parts give what is in a set as other values.
var parts = []*expr.Function{
	{Name: "slice_array", OID: 9806, Operator: "->", Args: pg.Sig{set, pg.TextArray}, Result: pg.TextArray, Doc: "Values of some keys, NULL where there is none.", Fn2: values},
	{Name: "hstore_to_json", OID: 9825, Args: pg.Sig{set}, Result: pg.JSON, Doc: "Pairs as an object.", Fn1: cast(pg.JSON)},
	{Name: "hstore_to_json_loose", OID: 9826, Args: pg.Sig{set}, Result: pg.JSON, Doc: "Pairs as an object, with numbers, true and false for what reads like numbers, t and f.", Fn1: looseJSON},
	{Name: "hstore_to_jsonb", OID: 9827, Args: pg.Sig{set}, Result: pg.JSONB, Doc: "Pairs as an object.", Fn1: cast(pg.JSONB)},
	{Name: "hstore_to_jsonb_loose", OID: 9828, Args: pg.Sig{set}, Result: pg.JSONB, Doc: "Pairs as an object, with numbers, true and false for what reads like numbers, t and f.", Fn1: looseJSONB},
	{Name: "hstore_to_array", OID: 9829, Operator: "%%", Args: pg.Sig{set}, Result: pg.TextArray, Doc: "Keys and values, one behind the other.", Fn1: flat},
	{Name: "hstore_to_matrix", OID: 9830, Operator: "%#", Args: pg.Sig{set}, Result: pg.TextArray, Doc: "Keys and values in two columns.", Fn1: matrix},
	{Name: "akeys", OID: 9831, Args: pg.Sig{set}, Result: pg.TextArray, Doc: "Array of the keys.", Fn1: arrayOf(theKey)},
	{Name: "avals", OID: 9832, Args: pg.Sig{set}, Result: pg.TextArray, Doc: "Array of the values.", Fn1: arrayOf(theValue)},
	{Name: "skeys", OID: 9833, Args: pg.Sig{set}, Result: pg.Text, Doc: "Keys as rows.", Rows: rowsOf(theKey)},
	{Name: "svals", OID: 9834, Args: pg.Sig{set}, Result: pg.Text, Doc: "Values as rows.", Rows: rowsOf(theValue)},
	{
		Name: "each", OID: 9835, Args: pg.Sig{set}, Params: []string{"hs"}, Result: types.OIDRecord, Doc: "Pairs as rows.",
		Out:  []expr.OutColumn{{Name: "key", Type: pg.Text}, {Name: "value", Type: pg.Text}},
		Rows: rowsOf(theKey, theValue),
	},
}

func theKey(p hstore.Pair) types.Value { return types.NewText(p.Key) }

func theValue(p hstore.Pair) types.Value {
	if p.Null {
		return types.Null
	}
	return types.NewText(p.Value)
}

// items are parts of each pair, one behind the other.
func items(c *expr.Context, of types.Value, each ...func(hstore.Pair) types.Value) ([]types.Value, error) {
	pairs, err := pairsOf(c, of)
	if err == nil {
		err = c.MakeItems(len(each) * len(pairs))
	}
	if err != nil {
		return nil, err
	}
	out := make([]types.Value, 0, len(each)*len(pairs))
	for _, p := range pairs {
		for _, part := range each {
			out = append(out, part(p))
		}
	}
	return out, nil
}

func arrayOf(each ...func(hstore.Pair) types.Value) expr.Function1 {
	return func(c *expr.Context, of types.Value) (types.Value, error) {
		all, err := items(c, of, each...)
		return types.NewItems(pg.Text, all), err
	}
}

var flat = arrayOf(theKey, theValue)

func matrix(c *expr.Context, of types.Value) (types.Value, error) {
	v, err := flat(c, of)
	if err != nil {
		return types.Null, err
	}
	a := v.Array()
	if len(a.Items) == 0 {
		return v, nil
	}
	return types.NewArray(&types.ArrayValue{
		Element: a.Element, Items: a.Items, Dims: []types.Dim{{Length: len(a.Items) / 2, Lower: 1}, {Length: 2, Lower: 1}},
	}), nil
}

// rowsOf makes a row of each pair.
func rowsOf(each ...func(hstore.Pair) types.Value) func(*expr.Context, []types.Value) expr.Set {
	return func(c *expr.Context, args []types.Value) expr.Set {
		return func(yield func(types.Row, error) bool) {
			all, err := items(c, args[0], each...)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := 0; i < len(all); i += len(each) {
				if !yield(all[i:i+len(each)], nil) {
					return
				}
			}
		}
	}
}

// values keeps the shape of the array of keys.
func values(c *expr.Context, of, keys types.Value) (types.Value, error) {
	k := keys.Array()
	if err := c.MakeItems(len(k.Items)); err != nil {
		return types.Null, err
	}
	out := &types.ArrayValue{Element: pg.Text, Dims: k.Dims, Items: make([]types.Value, len(k.Items))}
	for i, key := range k.Items {
		if key.IsNull() {
			continue
		}
		p, ok, err := find(c, of, key)
		if err != nil {
			return types.Null, err
		}
		if ok {
			out.Items[i] = theValue(p)
		}
	}
	return types.NewArray(out), nil
}

func cast(to types.OID) expr.Function1 {
	return func(c *expr.Context, of types.Value) (types.Value, error) {
		if err := reads(c, of); err != nil {
			return types.Null, err
		}
		found, _ := types.FindCast(set, to)
		return found.Fn(of, types.Of(to), c.Env)
	}
}

func looseJSON(c *expr.Context, of types.Value) (types.Value, error) {
	if err := reads(c, of); err != nil {
		return types.Null, err
	}
	return types.NewJSON(string(of.Hstore().AppendJSON(nil, true))), nil
}

func looseJSONB(c *expr.Context, of types.Value) (types.Value, error) {
	if err := reads(c, of); err != nil {
		return types.Null, err
	}
	j, err := of.Hstore().JSON(true, c)
	if err != nil {
		return types.Null, err
	}
	return types.NewJSONB(j), nil
}
