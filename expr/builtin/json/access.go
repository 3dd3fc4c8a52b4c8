package json

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/text"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// jsonAccessFunctions look into a json or a jsonb.
var jsonAccessFunctions = slices.Concat(jsonAccess("json", pg.JSON), jsonAccess("jsonb", pg.JSONB))

// jsonAccess makes the overloads for one of the two types.
func jsonAccess(name string, t types.OID) []*expr.Function {
	member, element := "_object_field", "_array_element"
	return []*expr.Function{
		{Name: name + member, Operator: "->", Args: pg.Sig{t, pg.Text}, Result: t, Doc: "Value of a key.", Fn2: asJSON(jsonMember)},
		{Name: name + element, Operator: "->", Args: pg.Sig{t, pg.Int4}, Result: t, Doc: "Element of an array, counted from 0, or from -1 at its end.", Fn2: asJSON(jsonElement)},
		{Name: name + member + "_text", Operator: "->>", Args: pg.Sig{t, pg.Text}, Result: pg.Text, Doc: "Value of a key as text.", Fn2: asText(jsonMember)},
		{Name: name + element + "_text", Operator: "->>", Args: pg.Sig{t, pg.Int4}, Result: pg.Text, Doc: "Element of an array as text.", Fn2: asText(jsonElement)},
		{Name: name + "_extract_path", Operator: "#>", Args: pg.Sig{t, pg.TextArray}, Result: t, Doc: "Value at a path of keys and indexes.", Fn2: asJSON(jsonAtPath)},
		{Name: name + "_extract_path_text", Operator: "#>>", Args: pg.Sig{t, pg.TextArray}, Result: pg.Text, Doc: "Value at a path of keys and indexes, as text.", Fn2: asText(jsonAtPath)},
		{Name: name + "_extract_path", Args: pg.Sig{t, pg.Text}, Variadic: true, Result: t, Doc: "Value at a path of keys and indexes.", FnN: jsonAtKeys},
		{Name: name + "_extract_path_text", Args: pg.Sig{t, pg.Text}, Variadic: true, Result: pg.Text, Doc: "Value at a path of keys and indexes, as text.", FnN: jsonTextAtKeys},
		{Name: name + "_array_length", Args: pg.Sig{t}, Result: pg.Int4, Doc: "Number of an array's elements.", Fn1: jsonArrayLength},
		{Name: name + "_typeof", Args: pg.Sig{t}, Result: pg.Text, Doc: "Kind of a value: object, array, string, number, boolean or null.", Fn1: jsonTypeof},
	}
}

// readJSON takes a json apart, or is the tree of a jsonb. A function that reads with it
// serves both types: makeJSON gives back parts as they came.
func readJSON(c *expr.Context, v types.Value) (*json.Value, error) {
	if v.Kind() == types.KindJSON {
		return json.ParseRaw(v.Text(), c.Env)
	}
	return v.JSONB(), nil
}

// scanJSON is readJSON for what does not look into strings.
func scanJSON(c *expr.Context, v types.Value) (*json.Value, error) {
	if v.Kind() == types.KindJSON {
		return json.ScanRaw(v.Text(), c.Env)
	}
	return v.JSONB(), nil
}

func makeJSON(j *json.Value) types.Value {
	switch {
	case j == nil:
		return types.Null
	case j.Raw != "":
		return types.NewJSON(j.Raw)
	}
	return types.NewJSONB(j)
}

// jsonAsText is what ->> and its like make of a value: NULL of null, and a string without
// its quotes.
func jsonAsText(c *expr.Context, j *json.Value) (types.Value, error) {
	switch {
	case j == nil || j.Kind == json.Null:
		return types.Null, nil
	case j.Kind == json.String:
		return types.NewText(j.Text), nil
	}
	return text.Output(types.NewJSONB(j), types.Of(pg.JSONB), c.Env)
}

func sameJSON(_ *expr.Context, j *json.Value) (types.Value, error) { return makeJSON(j), nil }

// asText makes text of the json that a function gives.
func asText(f func(c *expr.Context, a, b types.Value) (*json.Value, error)) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		j, err := f(c, a, b)
		if err != nil {
			return types.Null, err
		}
		return jsonAsText(c, j)
	}
}

func asJSON(f func(c *expr.Context, a, b types.Value) (*json.Value, error)) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		j, err := f(c, a, b)
		return makeJSON(j), err
	}
}

func jsonMember(c *expr.Context, a, b types.Value) (*json.Value, error) {
	j, err := readJSON(c, a)
	if err != nil {
		return nil, err
	}
	return j.Member(b.Text()), nil
}

// jsonElement takes a scalar jsonb for an array of it, as PostgreSQL does.
func jsonElement(c *expr.Context, a, b types.Value) (*json.Value, error) {
	j, err := readJSON(c, a)
	if err != nil {
		return nil, err
	}
	if i := b.Int(); isScalar(j) && j.Raw == "" && (i == 0 || i == -1) {
		return j, nil
	}
	return j.Element(b.Int()), nil
}

func isScalar(j *json.Value) bool { return j.Kind < json.Array }

func jsonAtPath(c *expr.Context, a, b types.Value) (*json.Value, error) {
	return jsonStep(c, a, b.Array().Items)
}

// jsonStep goes down a path of texts.
func jsonStep(c *expr.Context, a types.Value, path []types.Value) (*json.Value, error) {
	j, err := readJSON(c, a)
	if err != nil || slices.ContainsFunc(path, types.Value.IsNull) {
		return nil, err
	}
	for _, step := range path {
		switch i, ok := pathIndex(step.Text()); {
		case j.Kind == json.Object:
			j = j.Member(step.Text())
		case ok:
			j = j.Element(i)
		default:
			return nil, nil
		}
		if j == nil {
			return nil, nil
		}
	}
	return j, nil
}

// pathIndex reads an element's number as C's strtol does.
func pathIndex(s string) (int64, bool) {
	i, err := strconv.ParseInt(strings.TrimLeft(s, " \t\n\v\f\r"), 10, 32)
	return i, err == nil
}

func jsonAtKeys(c *expr.Context, args []types.Value) (types.Value, error) {
	j, err := jsonStep(c, args[0], args[1:])
	return makeJSON(j), err
}

func jsonTextAtKeys(c *expr.Context, args []types.Value) (types.Value, error) {
	j, err := jsonStep(c, args[0], args[1:])
	if err != nil {
		return types.Null, err
	}
	return jsonAsText(c, j)
}

func jsonArrayLength(c *expr.Context, a types.Value) (types.Value, error) {
	j, err := scanJSON(c, a)
	switch {
	case err != nil:
		return types.Null, err
	case j.Kind == json.Array:
		return types.NewInt(int64(len(j.Items))), nil
	case isScalar(j):
		return types.Null, badJSON("cannot get array length of a scalar")
	}
	return types.Null, badJSON("cannot get array length of a non-array")
}

func badJSON(format string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, format, args...)
}

func jsonTypeof(c *expr.Context, a types.Value) (types.Value, error) {
	j, err := scanJSON(c, a)
	if err != nil {
		return types.Null, err
	}
	return types.NewText(j.Kind.String()), nil
}
