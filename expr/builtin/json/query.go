package json

import (
	"slices"

	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// Find finds the item of JSON_EXISTS, JSON_VALUE or JSON_QUERY. What fails for the data is an expr.JSONFailure.
func Find(c *expr.Context, q *expr.JSONQuery, args []types.Value) (types.Value, error) {
	vars, err := variables(c, q, args[2:])
	if err != nil {
		return types.Null, err
	}
	path, root := args[1].JSONPath(), args[0].JSONB()
	run := &pathRun{context: c, strict: path.Strict, lenient: !path.Strict, root: root, current: root, vars: vars,
		zoned: true}
	var items []json.Value
	err = run.eval(path.Root, root, !path.Strict, func(j *json.Value) error {
		items = append(items, *j)
		if q.Op == "JSON_EXISTS" && !path.Strict {
			return errEnough
		}
		return nil
	})
	if failure, ok := err.(pathError); ok {
		return types.Null, expr.JSONFailure{Err: failure.error}
	} else if err != nil && err != errEnough {
		return types.Null, err
	}
	switch {
	case q.Op == "JSON_EXISTS":
		return types.NewBool(len(items) > 0), nil
	case len(items) == 0:
		return types.Null, expr.JSONFailure{Err: nothingFound(q), Empty: true}
	case q.Op == "JSON_VALUE":
		return scalarItem(c, q, items)
	}
	return queryItem(c, q, items)
}

// variables are the values of the variables of a path, as an object.
func variables(c *expr.Context, q *expr.JSONQuery, args []types.Value) (*json.Value, error) {
	items := make([]json.Value, len(args))
	for i, v := range args {
		t := q.Args[i+2].Type().Base()
		j, err := types.AsJSONB(v, t, c.Env)
		if err != nil {
			return nil, err
		}
		items[i] = *j
		for kind, moment := range momentTypes {
			if moment.OID == t.OID && !v.IsNull() {
				items[i].Kind = kind
			}
		}
	}
	return json.MakeObject(slices.Clone(q.Names), items, c.Env)
}

func nothingFound(q *expr.JSONQuery) error {
	const text = "no SQL/JSON item found for specified path"
	if q.Column != "" {
		return sqlerr.New(sqlerr.NoSQLJSONItem, text+" of column %q", q.Column)
	}
	return sqlerr.New(sqlerr.NoSQLJSONItem, text)
}

// wrongItem is a failure of a path that finds what a function cannot return.
func wrongItem(q *expr.JSONQuery, code sqlerr.Code, must string) *sqlerr.Error {
	if q.Column != "" {
		return sqlerr.New(code, "JSON path expression for column %q must return %s", q.Column, must)
	}
	return sqlerr.New(code, "JSON path expression in %s must return %s", q.Op, must)
}

// scalarItem is what JSON_VALUE finds: a text, or JSON where that is to be returned.
func scalarItem(c *expr.Context, q *expr.JSONQuery, items []json.Value) (types.Value, error) {
	const must = "single scalar item"
	j := &items[0]
	switch {
	case len(items) > 1:
		return types.Null, expr.JSONFailure{Err: wrongItem(q, sqlerr.MoreThanOneSQLJSONItem, must)}
	case j.Kind == json.Object || j.Kind == json.Array:
		return types.Null, expr.JSONFailure{Err: wrongItem(q, sqlerr.SQLJSONScalarRequired, must)}
	case j.Kind == json.Null:
		return types.Null, nil
	case q.Whole:
		return types.MakeJSONB(withoutMoment(j))
	case j.Kind == json.Bool && j.Bool:
		return types.NewText("t"), nil
	case j.Kind == json.Bool:
		return types.NewText("f"), nil
	}
	t, isMoment := momentTypes[j.Kind]
	if !isMoment {
		return jsonAsText(c, j)
	}
	v, err := types.ParseText(j.Text, t, c.Env)
	if err != nil {
		return types.Null, err
	}
	return types.NewText(types.FormatText(v, t, c.Env)), nil
}

// withoutMoment is an item as a document has it.
func withoutMoment(j *json.Value) *json.Value {
	if _, is := momentTypes[j.Kind]; is {
		return &json.Value{Kind: json.String, Text: j.Text}
	}
	return j
}

// queryItem is what JSON_QUERY finds, as JSON, or as a text where strings come without quotes.
func queryItem(c *expr.Context, q *expr.JSONQuery, items []json.Value) (types.Value, error) {
	for i := range items {
		items[i] = *withoutMoment(&items[i])
	}
	if q.Wrapper == "UNCONDITIONAL" || q.Wrapper == "CONDITIONAL" && len(items) > 1 {
		return jsonArray(items)
	}
	if len(items) > 1 {
		err := wrongItem(q, sqlerr.MoreThanOneSQLJSONItem, "single item when no wrapper is requested").
			WithHint("Use the WITH WRAPPER clause to wrap SQL/JSON items into an array.")
		return types.Null, expr.JSONFailure{Err: err}
	}
	switch {
	case q.Omits && items[0].Kind == json.Null:
		return types.NewText("null"), nil
	case q.Omits:
		return jsonAsText(c, &items[0])
	}
	return types.MakeJSONB(&items[0])
}

// Populate is a jsonb as a value of a type: arrays and rows are made of its elements and members, others are read from
// its text, in which strings keep their quotes.
func Populate(v types.Value, to types.T, env *types.Env) (types.Value, error) {
	j, c := v.JSONB(), expr.Beforehand(env)
	switch {
	case j.Kind != json.String:
		return fromJSON(c, j, slot{t: to})
	case to.IsComposite():
		return types.Null, badJSON("cannot call populate_composite on a scalar")
	case to.Kind() == types.KindArray:
		return types.Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected JSON array")
	}
	quoted := &json.Value{Kind: json.String, Text: string(json.Append(nil, j, nil))}
	return fromJSON(c, quoted, slot{t: to})
}

// Read is a text or a jsonb as a value of a type, which reads its text.
func Read(v types.Value, to types.T, env *types.Env) (types.Value, error) {
	read := v.Text
	if v.Kind() == types.KindJSONB {
		read = func() string { return types.FormatText(v, types.JSONB, env) }
	}
	out, err := types.ParseText(read(), to, env)
	if err != nil || to.Mod < 0 {
		return out, err
	}
	return types.ApplyMod(out, to, false, env)
}

// tableRows are the items of a path of JSON_TABLE: none where it fails, unless that is to be an error.
func tableRows(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		silent := types.NewBool(!args[3].Bool())
		p, err := newPathCall(c, []types.Value{args[0], args[1], args[2], silent}, true)
		var items []json.Value
		failed := false
		if err == nil {
			failed, err = p.each(func(j *json.Value) error {
				items = append(items, *j)
				return nil
			})
		}
		if failed || err != nil {
			items = nil
		}
		for i := range items {
			v, err := types.MakeJSONB(&items[i])
			if !yield(types.Row{v}, err) || err != nil {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// Exists is what JSON_EXISTS says as a value of a type: as a number, or by its word.
func Exists(v types.Value, to types.T, env *types.Env) (types.Value, error) {
	switch {
	case to.OID == types.OIDInt4 && v.Bool():
		return types.NewInt(1), nil
	case to.OID == types.OIDInt4:
		return types.NewInt(0), nil
	case v.Bool():
		return Read(types.NewText("true"), to, env)
	}
	return Read(types.NewText("false"), to, env)
}
