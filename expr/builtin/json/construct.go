package json

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// constructFunctions are what the constructors and the test of SQL/JSON call.
var constructFunctions = []*expr.Function{
	{Name: "json_object_of", Syntax: true, Args: pg.Sig{pg.Boolean, pg.Boolean}, Result: pg.JSON, Volatility: expr.Stable, Doc: "JSON_OBJECT() without members.", Typed: jsonObjectOfPairs},
	{Name: "json_object_of", Syntax: true, Args: pg.Sig{pg.Boolean, pg.Boolean, types.OIDAny}, Variadic: true, NotStrict: true, Result: pg.JSON, Volatility: expr.Stable, Doc: "JSON_OBJECT(...): object of keys and values in turn, on request without those that are NULL, and with a check of the keys.", Typed: jsonObjectOfPairs},
	{Name: "json_array_of", Syntax: true, Args: pg.Sig{pg.Boolean}, Result: pg.JSON, Volatility: expr.Stable, Doc: "JSON_ARRAY() without elements.", Typed: jsonArrayOfItems},
	{Name: "json_array_of", Syntax: true, Args: pg.Sig{pg.Boolean, types.OIDAny}, Variadic: true, NotStrict: true, Result: pg.JSON, Volatility: expr.Stable, Doc: "JSON_ARRAY(...): array of values, on request without those that are NULL.", Typed: jsonArrayOfItems},
	{Name: "json_of", Syntax: true, Args: pg.Sig{pg.Text}, Result: pg.JSON, Doc: "JSON(... WITH UNIQUE KEYS): text as JSON whose objects have no key twice.", Fn1: jsonOfText},
	{Name: "json_table_rows", Syntax: true, Args: pg.Sig{pg.JSONB, pg.JSONPath, pg.JSONB, pg.Boolean}, Result: pg.JSONB, Volatility: expr.Stable, Doc: "The items of a path of JSON_TABLE, on request with an error of the path.", Rows: tableRows},
	{Name: "is_json", Syntax: true, Args: pg.Sig{types.OIDAny, pg.Text, pg.Boolean}, Result: pg.Boolean, Doc: "IS JSON: whether a value is JSON of a kind, on request without objects that have a key twice.", Typed: isJSON},
}

func jsonObjectOfPairs(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	absent, unique := args[0].Bool(), args[1].Bool()
	out := []byte{'{'}
	seen := map[string]bool{}
	for i := 2; i < len(args); i += 2 {
		if args[i].IsNull() {
			return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "null value not allowed for object key")
		}
		key, err := jsonKey(c, args[i], of[i])
		if err != nil {
			return types.Null, err
		}
		if unique && seen[key] {
			return types.Null, duplicateKey(key)
		}
		seen[key] = true
		if absent && args[i+1].IsNull() {
			continue
		}
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		out = append(json.AppendString(out, key), " : "...)
		out = types.AppendAsJSON(out, args[i+1], of[i+1], c.Env)
	}
	return wholeJSON(c, append(out, '}'))
}

func jsonArrayOfItems(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	out := []byte{'['}
	for i, v := range args[1:] {
		if args[0].Bool() && v.IsNull() {
			continue
		}
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		out = types.AppendAsJSON(out, v, of[i+1], c.Env)
	}
	return wholeJSON(c, append(out, ']'))
}

func jsonOfText(c *expr.Context, a types.Value) (types.Value, error) {
	v, err := json.ParseRaw(a.Text(), c.Env)
	if err == nil && !uniqueKeys(v) {
		err = sqlerr.New(sqlerr.DuplicateJSONKey, "duplicate JSON object key value")
	}
	if err != nil {
		return types.Null, err
	}
	return types.NewJSON(a.Text()), nil
}

func isJSON(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	v, err := parsed(c, of[0], args[0], args[2].Bool())
	switch {
	case err != nil && c.Env.Ended() != nil:
		return types.Null, c.Env.Ended()
	case sqlerr.Has(err, sqlerr.DatatypeMismatch):
		return types.Null, err
	case err != nil:
		return types.NewBool(false), nil
	}
	is := true
	switch args[1].Text() {
	case "object":
		is = v.Kind == json.Object
	case "array":
		is = v.Kind == json.Array
	case "scalar":
		is = v.Kind != json.Object && v.Kind != json.Array
	}
	return types.NewBool(is && (!args[2].Bool() || uniqueKeys(v))), nil
}

// parsed is a value that may be JSON, with its keys as texts where they are compared.
func parsed(c *expr.Context, of types.T, v types.Value, keys bool) (*json.Value, error) {
	switch {
	case of.Kind() == types.KindJSONB:
		return v.JSONB(), nil
	case of.Kind() == types.KindJSON, types.InfoOf(of.OID).Category == types.CategoryString, of.OID == types.OIDUnknown,
		of.OID == types.OIDBytea:
		if !keys {
			return json.ScanRaw(v.Text(), c.Env)
		}
		return json.ParseRaw(v.Text(), c.Env)
	}
	return nil, sqlerr.New(sqlerr.DatatypeMismatch, "cannot use type %s in IS JSON predicate", of.Bare())
}

// uniqueKeys says whether no object in a value has a key twice.
func uniqueKeys(v *json.Value) bool {
	seen := make(map[string]bool, len(v.Keys))
	for _, key := range v.Keys {
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	for i := range v.Items {
		if !uniqueKeys(&v.Items[i]) {
			return false
		}
	}
	return true
}
