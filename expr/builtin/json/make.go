package json

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// jsonMakeFunctions make JSON of other values.
var jsonMakeFunctions = []*expr.Function{
	{Name: "to_json", Args: pg.Sig{types.OIDAnyElement}, Result: pg.JSON, Volatility: expr.Stable, Doc: "Value as JSON.", Typed: toJSON},
	{Name: "to_jsonb", Args: pg.Sig{types.OIDAnyElement}, Result: pg.JSONB, Volatility: expr.Stable, Doc: "Value as JSON.", Typed: toJSONB},
	{Name: "array_to_json", Args: pg.Sig{types.OIDAnyArray}, Result: pg.JSON, Volatility: expr.Stable, Doc: "Array as JSON.", Typed: arrayToJSON},
	{Name: "array_to_json", Args: pg.Sig{types.OIDAnyArray, pg.Boolean}, Result: pg.JSON, Volatility: expr.Stable, Doc: "Array as JSON, on request with an element in each line.", Typed: arrayToJSON},
	{Name: "row_to_json", Args: pg.Sig{types.OIDRecord}, Result: pg.JSON, Volatility: expr.Stable, Doc: "Row as an object.", Typed: rowToJSON},
	{Name: "row_to_json", Args: pg.Sig{types.OIDRecord, pg.Boolean}, Result: pg.JSON, Volatility: expr.Stable, Doc: "Row as an object, on request with a member in each line.", Typed: rowToJSON},
	{Name: "json_build_array", Args: pg.Sig{}, Result: pg.JSON, Volatility: expr.Stable, Doc: "Empty array.", Typed: jsonBuildArray},
	{Name: "json_build_array", Args: pg.Sig{types.OIDAny}, Variadic: true, NotStrict: true, Result: pg.JSON, Volatility: expr.Stable, Doc: "Arguments as an array.", Typed: jsonBuildArray},
	{Name: "jsonb_build_array", Args: pg.Sig{}, Result: pg.JSONB, Volatility: expr.Stable, Doc: "Empty array.", Typed: jsonbBuildArray},
	{Name: "jsonb_build_array", Args: pg.Sig{types.OIDAny}, Variadic: true, NotStrict: true, Result: pg.JSONB, Volatility: expr.Stable, Doc: "Arguments as an array.", Typed: jsonbBuildArray},
	{Name: "json_build_object", Args: pg.Sig{}, Result: pg.JSON, Volatility: expr.Stable, Doc: "Empty object.", Typed: jsonBuildObject},
	{Name: "json_build_object", Args: pg.Sig{types.OIDAny}, Variadic: true, NotStrict: true, Result: pg.JSON, Volatility: expr.Stable, Doc: "Object of keys and values in turn.", Typed: jsonBuildObject},
	{Name: "jsonb_build_object", Args: pg.Sig{}, Result: pg.JSONB, Volatility: expr.Stable, Doc: "Empty object.", Typed: jsonbBuildObject},
	{Name: "jsonb_build_object", Args: pg.Sig{types.OIDAny}, Variadic: true, NotStrict: true, Result: pg.JSONB, Volatility: expr.Stable, Doc: "Object of keys and values in turn.", Typed: jsonbBuildObject},
	{Name: "json_object", Args: pg.Sig{pg.TextArray}, Result: pg.JSON, Doc: "Object of keys and values in turn, or in pairs.", Fn1: jsonObject},
	{Name: "json_object", Args: pg.Sig{pg.TextArray, pg.TextArray}, Result: pg.JSON, Doc: "Object of keys and values.", Fn2: jsonObjectOf},
	{Name: "jsonb_object", Args: pg.Sig{pg.TextArray}, Result: pg.JSONB, Doc: "Object of keys and values in turn, or in pairs.", Fn1: jsonbObject},
	{Name: "jsonb_object", Args: pg.Sig{pg.TextArray, pg.TextArray}, Result: pg.JSONB, Doc: "Object of keys and values.", Fn2: jsonbObjectOf},
}

func toJSON(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	return wholeJSON(c, types.AppendAsJSON(nil, args[0], of[0], c.Env))
}

func toJSONB(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	j, err := types.AsJSONB(args[0], of[0], c.Env)
	if err != nil {
		return types.Null, err
	}
	return types.MakeJSONB(j)
}

// separatorOf is what stands between members: the last argument may ask for lines.
func separatorOf(args []types.Value) string {
	if len(args) > 1 && args[1].Bool() {
		return ",\n "
	}
	return ","
}

func arrayToJSON(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
	return wholeJSON(c, types.AppendArrayAsJSON(nil, args[0].Array(), separatorOf(args), c.Env))
}

func rowToJSON(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
	return wholeJSON(c, types.AppendRecordAsJSON(nil, args[0].Record(), separatorOf(args), c.Env))
}

// wholeJSON is a json of text that what ends the statement has not cut short.
func wholeJSON(c *expr.Context, text []byte) (types.Value, error) {
	if err := work.CheckLength(len(text)); err != nil {
		return types.Null, err
	}
	if len(text) > work.SmallBytes {
		if err := c.Env.Ended(); err != nil {
			return types.Null, err
		}
	}
	return types.NewJSON(string(text)), c.Make(int64(len(text)))
}

func jsonBuildArray(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	out := []byte{'['}
	for i, v := range args {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = types.AppendAsJSON(out, v, of[i], c.Env)
	}
	return wholeJSON(c, append(out, ']'))
}

func jsonbBuildArray(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	items := make([]json.Value, len(args))
	for i, v := range args {
		j, err := types.AsJSONB(v, of[i], c.Env)
		if err != nil {
			return types.Null, err
		}
		items[i] = *j
	}
	return jsonArray(items)
}

// jsonKey makes the key of an object of a value, which only a scalar can be.
func jsonKey(c *expr.Context, v types.Value, t types.T) (string, error) {
	switch v.Kind() {
	case types.KindArray, types.KindRecord, types.KindJSON, types.KindJSONB:
		return "", badJSON("key value must be scalar, not array, composite, or json")
	}
	return types.JSONText(v, t, c.Env), nil
}

// jsonPairs checks what makes an object.
func jsonPairs(name string, args []types.Value) error {
	if len(args)%2 != 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "argument list must have even number of elements").
			WithHint("The arguments of %s() must consist of alternating keys and values.", name)
	}
	return nil
}

func jsonBuildObject(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if err := jsonPairs("json_build_object", args); err != nil {
		return types.Null, err
	}
	out := []byte{'{'}
	for i := 0; i < len(args); i += 2 {
		if args[i].IsNull() {
			return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "argument %d cannot be null", i+1).
				WithHint("Object keys should be text.")
		}
		key, err := jsonKey(c, args[i], of[i])
		if err != nil {
			return types.Null, err
		}
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(json.AppendString(out, key), " : "...)
		out = types.AppendAsJSON(out, args[i+1], of[i+1], c.Env)
	}
	return wholeJSON(c, append(out, '}'))
}

func jsonbBuildObject(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if err := jsonPairs("jsonb_build_object", args); err != nil {
		return types.Null, err
	}
	var keys []string
	var items []json.Value
	for i := 0; i < len(args); i += 2 {
		if args[i].IsNull() {
			return types.Null, badJSON("argument %d: key must not be null", i+1)
		}
		key, err := jsonKey(c, args[i], of[i])
		if err != nil {
			return types.Null, err
		}
		item, err := types.AsJSONB(args[i+1], of[i+1], c.Env)
		if err != nil {
			return types.Null, err
		}
		keys, items = append(keys, key), append(items, *item)
	}
	return newObject(c, keys, items)
}

// textPairs are the keys and values of an array of pairs.
func textPairs(a *types.ArrayValue) (keys, values []types.Value, err error) {
	switch {
	case len(a.Dims) == 1 && a.Dims[0].Length%2 != 0:
		return nil, nil, sqlerr.New(sqlerr.ArraySubscriptError, "array must have even number of elements")
	case len(a.Dims) == 2 && a.Dims[1].Length != 2:
		return nil, nil, sqlerr.New(sqlerr.ArraySubscriptError, "array must have two columns")
	case len(a.Dims) > 2:
		return nil, nil, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	for i := 0; i < len(a.Items); i += 2 {
		keys, values = append(keys, a.Items[i]), append(values, a.Items[i+1])
	}
	return keys, values, nil
}

func twoArrays(a, b *types.ArrayValue) (keys, values []types.Value, err error) {
	if len(a.Dims) > 1 || len(a.Dims) != len(b.Dims) {
		return nil, nil, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	if len(a.Items) != len(b.Items) {
		return nil, nil, sqlerr.New(sqlerr.ArraySubscriptError, "mismatched array dimensions")
	}
	return a.Items, b.Items, nil
}

func jsonObject(c *expr.Context, a types.Value) (types.Value, error) {
	keys, values, err := textPairs(a.Array())
	if err != nil {
		return types.Null, err
	}
	return textObject(c, keys, values)
}

func jsonObjectOf(c *expr.Context, a, b types.Value) (types.Value, error) {
	keys, values, err := twoArrays(a.Array(), b.Array())
	if err != nil {
		return types.Null, err
	}
	return textObject(c, keys, values)
}

func nullKey() error {
	return sqlerr.New(sqlerr.NullValueNotAllowed, "null value not allowed for object key")
}

func textObject(c *expr.Context, keys, values []types.Value) (types.Value, error) {
	out := c.Text(0)
	out.Add("{")
	for i, key := range keys {
		if key.IsNull() {
			return types.Null, nullKey()
		}
		if i > 0 {
			out.Add(", ")
		}
		out.AddBytes(append(json.AppendString(nil, key.Text()), " : "...))
		out.AddBytes(types.AppendAsJSON(nil, values[i], types.Text, nil))
		if out.Err != nil {
			return types.Null, out.Err
		}
	}
	out.Add("}")
	v, err := out.Value()
	return types.NewJSON(v.Text()), err
}

func jsonbObject(c *expr.Context, a types.Value) (types.Value, error) {
	keys, values, err := textPairs(a.Array())
	if err != nil {
		return types.Null, err
	}
	return textObjectB(c, keys, values)
}

func jsonbObjectOf(c *expr.Context, a, b types.Value) (types.Value, error) {
	keys, values, err := twoArrays(a.Array(), b.Array())
	if err != nil {
		return types.Null, err
	}
	return textObjectB(c, keys, values)
}

func textObjectB(c *expr.Context, keys, values []types.Value) (types.Value, error) {
	if err := makeMembers(c, len(keys)); err != nil {
		return types.Null, err
	}
	names, items := make([]string, len(keys)), make([]json.Value, len(keys))
	for i, key := range keys {
		if key.IsNull() {
			return types.Null, nullKey()
		}
		if err := c.Tick(work.CompareUnits); err != nil {
			return types.Null, err
		}
		names[i] = key.Text()
		if !values[i].IsNull() {
			items[i] = json.Value{Kind: json.String, Text: values[i].Text()}
		}
	}
	return newObject(c, names, items)
}
