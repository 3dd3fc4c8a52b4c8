package expr

import (
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
)

// jsonMakeFunctions make JSON of other values.
var jsonMakeFunctions = []*Function{
	{Name: "to_json", Args: sig{types.OIDAnyElement}, Result: json, Volatility: Stable, Doc: "Value as JSON.", Typed: toJSON},
	{Name: "to_jsonb", Args: sig{types.OIDAnyElement}, Result: jsonb, Volatility: Stable, Doc: "Value as JSON.", Typed: toJSONB},
	{Name: "array_to_json", Args: sig{types.OIDAnyArray}, Result: json, Volatility: Stable, Doc: "Array as JSON.", Typed: arrayToJSON},
	{Name: "array_to_json", Args: sig{types.OIDAnyArray, boolean}, Result: json, Volatility: Stable, Doc: "Array as JSON, on request with an element in each line.", Typed: arrayToJSON},
	{Name: "row_to_json", Args: sig{types.OIDRecord}, Result: json, Volatility: Stable, Doc: "Row as an object.", Typed: rowToJSON},
	{Name: "row_to_json", Args: sig{types.OIDRecord, boolean}, Result: json, Volatility: Stable, Doc: "Row as an object, on request with a member in each line.", Typed: rowToJSON},
	{Name: "json_build_array", Args: sig{}, Result: json, Volatility: Stable, Doc: "Empty array.", Typed: jsonBuildArray},
	{Name: "json_build_array", Args: sig{types.OIDAny}, Variadic: true, NotStrict: true, Result: json, Volatility: Stable, Doc: "Arguments as an array.", Typed: jsonBuildArray},
	{Name: "jsonb_build_array", Args: sig{}, Result: jsonb, Volatility: Stable, Doc: "Empty array.", Typed: jsonbBuildArray},
	{Name: "jsonb_build_array", Args: sig{types.OIDAny}, Variadic: true, NotStrict: true, Result: jsonb, Volatility: Stable, Doc: "Arguments as an array.", Typed: jsonbBuildArray},
	{Name: "json_build_object", Args: sig{}, Result: json, Volatility: Stable, Doc: "Empty object.", Typed: jsonBuildObject},
	{Name: "json_build_object", Args: sig{types.OIDAny}, Variadic: true, NotStrict: true, Result: json, Volatility: Stable, Doc: "Object of keys and values in turn.", Typed: jsonBuildObject},
	{Name: "jsonb_build_object", Args: sig{}, Result: jsonb, Volatility: Stable, Doc: "Empty object.", Typed: jsonbBuildObject},
	{Name: "jsonb_build_object", Args: sig{types.OIDAny}, Variadic: true, NotStrict: true, Result: jsonb, Volatility: Stable, Doc: "Object of keys and values in turn.", Typed: jsonbBuildObject},
	{Name: "json_object", Args: sig{textArray}, Result: json, Doc: "Object of keys and values in turn, or in pairs.", Fn1: jsonObject},
	{Name: "json_object", Args: sig{textArray, textArray}, Result: json, Doc: "Object of keys and values.", Fn2: jsonObjectOf},
	{Name: "jsonb_object", Args: sig{textArray}, Result: jsonb, Doc: "Object of keys and values in turn, or in pairs.", Fn1: jsonbObject},
	{Name: "jsonb_object", Args: sig{textArray, textArray}, Result: jsonb, Doc: "Object of keys and values.", Fn2: jsonbObjectOf},
}

func toJSON(c *Context, of []types.T, args []types.Value) (types.Value, error) {
	return c.wholeJSON(types.AppendAsJSON(nil, args[0], of[0], c.Env))
}

func toJSONB(c *Context, of []types.T, args []types.Value) (types.Value, error) {
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

func arrayToJSON(c *Context, _ []types.T, args []types.Value) (types.Value, error) {
	return c.wholeJSON(types.AppendArrayAsJSON(nil, args[0].Array(), separatorOf(args), c.Env))
}

func rowToJSON(c *Context, _ []types.T, args []types.Value) (types.Value, error) {
	return c.wholeJSON(types.AppendRecordAsJSON(nil, args[0].Record(), separatorOf(args), c.Env))
}

// wholeJSON is a json of text that what ends the statement has not cut short.
func (c *Context) wholeJSON(text []byte) (types.Value, error) {
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

func jsonBuildArray(c *Context, of []types.T, args []types.Value) (types.Value, error) {
	out := []byte{'['}
	for i, v := range args {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = types.AppendAsJSON(out, v, of[i], c.Env)
	}
	return c.wholeJSON(append(out, ']'))
}

func jsonbBuildArray(c *Context, of []types.T, args []types.Value) (types.Value, error) {
	items := make([]types.JSONValue, len(args))
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
func jsonKey(c *Context, v types.Value, t types.T) (string, error) {
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

func jsonBuildObject(c *Context, of []types.T, args []types.Value) (types.Value, error) {
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
		out = append(types.AppendJSONString(out, key), " : "...)
		out = types.AppendAsJSON(out, args[i+1], of[i+1], c.Env)
	}
	return c.wholeJSON(append(out, '}'))
}

func jsonbBuildObject(c *Context, of []types.T, args []types.Value) (types.Value, error) {
	if err := jsonPairs("jsonb_build_object", args); err != nil {
		return types.Null, err
	}
	var keys []string
	var items []types.JSONValue
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
	return c.jsonObject(keys, items)
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

func jsonObject(c *Context, a types.Value) (types.Value, error) {
	keys, values, err := textPairs(a.Array())
	if err != nil {
		return types.Null, err
	}
	return textObject(c, keys, values)
}

func jsonObjectOf(c *Context, a, b types.Value) (types.Value, error) {
	keys, values, err := twoArrays(a.Array(), b.Array())
	if err != nil {
		return types.Null, err
	}
	return textObject(c, keys, values)
}

func nullKey() error {
	return sqlerr.New(sqlerr.NullValueNotAllowed, "null value not allowed for object key")
}

func textObject(c *Context, keys, values []types.Value) (types.Value, error) {
	out := c.Text(0)
	out.Add("{")
	for i, key := range keys {
		if key.IsNull() {
			return types.Null, nullKey()
		}
		if i > 0 {
			out.Add(", ")
		}
		out.AddBytes(append(types.AppendJSONString(nil, key.Text()), " : "...))
		out.AddBytes(types.AppendAsJSON(nil, values[i], types.Text, nil))
		if out.Err != nil {
			return types.Null, out.Err
		}
	}
	out.Add("}")
	v, err := out.Value()
	return types.NewJSON(v.Text()), err
}

func jsonbObject(c *Context, a types.Value) (types.Value, error) {
	keys, values, err := textPairs(a.Array())
	if err != nil {
		return types.Null, err
	}
	return textObjectB(c, keys, values)
}

func jsonbObjectOf(c *Context, a, b types.Value) (types.Value, error) {
	keys, values, err := twoArrays(a.Array(), b.Array())
	if err != nil {
		return types.Null, err
	}
	return textObjectB(c, keys, values)
}

func textObjectB(c *Context, keys, values []types.Value) (types.Value, error) {
	if err := c.makeMembers(len(keys)); err != nil {
		return types.Null, err
	}
	names, items := make([]string, len(keys)), make([]types.JSONValue, len(keys))
	for i, key := range keys {
		if key.IsNull() {
			return types.Null, nullKey()
		}
		if err := c.Tick(work.CompareUnits); err != nil {
			return types.Null, err
		}
		names[i] = key.Text()
		if !values[i].IsNull() {
			items[i] = types.JSONValue{Kind: types.JSONString, Text: values[i].Text()}
		}
	}
	return c.jsonObject(names, items)
}
