package json

import (
	"slices"
	"unsafe"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// jsonChangeFunctions make a changed jsonb of another.
var jsonChangeFunctions = []*expr.Function{
	{Name: "jsonb_concat", Operator: "||", Args: pg.Sig{pg.JSONB, pg.JSONB}, Result: pg.JSONB, Doc: "Members of both objects, or elements of both arrays.", Fn2: jsonbConcat},
	{Name: "jsonb_delete", Operator: "-", Args: pg.Sig{pg.JSONB, pg.Text}, Result: pg.JSONB, Doc: "Document without a key, or without the strings that are a text.", Fn2: jsonbDelete},
	{Name: "jsonb_delete", Operator: "-", Args: pg.Sig{pg.JSONB, pg.Int4}, Result: pg.JSONB, Doc: "Array without an element.", Fn2: jsonbDeleteElement},
	{Name: "jsonb_delete", Operator: "-", Args: pg.Sig{pg.JSONB, pg.TextArray}, Result: pg.JSONB, Doc: "Document without some keys, or without the strings that are texts of these.", Fn2: jsonbDeleteAll},
	{Name: "jsonb_delete_path", Operator: "#-", Args: pg.Sig{pg.JSONB, pg.TextArray}, Result: pg.JSONB, Doc: "Document without what is at a path.", Fn2: jsonbDeletePath},
	{
		Name: "jsonb_set", Args: pg.Sig{pg.JSONB, pg.TextArray, pg.JSONB, pg.Boolean}, Result: pg.JSONB,
		Doc: "Document with another value at a path.", FnN: jsonbSet,
		Params: []string{"jsonb_in", "path", "replacement", "create_if_missing"}, Defaults: []string{"true"},
	},
	{
		Name: "jsonb_set_lax", Args: pg.Sig{pg.JSONB, pg.TextArray, pg.JSONB, pg.Boolean, pg.Text}, Result: pg.JSONB,
		NotStrict: true,
		Doc:       "Document with another value at a path; the last argument says what NULL means.", FnN: jsonbSetLax,
		Params:   []string{"jsonb_in", "path", "replacement", "create_if_missing", "null_value_treatment"},
		Defaults: []string{"true", "'use_json_null'"},
	},
	{
		Name: "jsonb_insert", Args: pg.Sig{pg.JSONB, pg.TextArray, pg.JSONB, pg.Boolean}, Result: pg.JSONB,
		Doc: "Document with a value inserted at a path.", FnN: jsonbInsert,
		Params: []string{"jsonb_in", "path", "replacement", "insert_after"}, Defaults: []string{"false"},
	},
	{Name: "jsonb_strip_nulls", Args: pg.Sig{pg.JSONB}, Result: pg.JSONB, Doc: "Document whose objects have no members that are null.", Fn1: jsonbStripNulls},
	{Name: "json_strip_nulls", Args: pg.Sig{pg.JSON}, Result: pg.JSON, Doc: "Document whose objects have no members that are null.", Fn1: jsonStripNulls},
	{Name: "jsonb_pretty", Args: pg.Sig{pg.JSONB}, Result: pg.Text, Doc: "Text of a document in indented lines.", Fn1: jsonbPretty},
}

func jsonbConcat(c *expr.Context, a, b types.Value) (types.Value, error) {
	x, y := a.JSONB(), b.JSONB()
	if err := makeMembers(c, len(x.Items)+len(y.Items)+1); err != nil {
		return types.Null, err
	}
	switch object := json.Object; {
	case x.Kind == object && y.Kind == object:
		return newObject(c, slices.Concat(x.Keys, y.Keys), slices.Concat(x.Items, y.Items))
	case x.Kind == object && y.Kind != object:
		return jsonArray(append([]json.Value{*x}, elementsOf(y).Items...))
	case y.Kind == object:
		return jsonArray(append(slices.Clone(elementsOf(x).Items), *y))
	}
	return jsonArray(slices.Concat(elementsOf(x).Items, elementsOf(y).Items))
}

// jsonBytes is what a member of a document takes at least.
const jsonBytes = int(unsafe.Sizeof(json.Value{}))

// makeMembers is Make for the members of an object or an array.
func makeMembers(c *expr.Context, n int) error { return c.Make(int64(n * jsonBytes)) }

func newObject(c *expr.Context, keys []string, items []json.Value) (types.Value, error) {
	j, err := json.MakeObject(keys, items, c.Env)
	if err != nil {
		return types.Null, err
	}
	return types.MakeJSONB(j)
}

func jsonArray(items []json.Value) (types.Value, error) {
	return types.MakeJSONB(&json.Value{Kind: json.Array, Items: items})
}

func jsonbDelete(c *expr.Context, a, b types.Value) (types.Value, error) {
	return deleteKeys(c, a, 1, func(s string) bool { return s == b.Text() })
}

func jsonbDeleteAll(c *expr.Context, a, b types.Value) (types.Value, error) {
	if len(b.Array().Dims) > 1 {
		return types.Null, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	return deleteKeys(c, a, 1+len(b.Array().Items), func(s string) bool {
		return slices.ContainsFunc(b.Array().Items, func(v types.Value) bool { return !v.IsNull() && v.Text() == s })
	})
}

// deleteKeys drops keys and strings, each of which is compared with so many.
func deleteKeys(c *expr.Context, a types.Value, many int, drop func(string) bool) (types.Value, error) {
	j := a.JSONB()
	if isScalar(j) {
		return types.Null, badJSON("cannot delete from scalar")
	}
	if err := makeMembers(c, len(j.Items)); err != nil {
		return types.Null, err
	}
	out := &json.Value{Kind: j.Kind}
	for i, item := range j.Items {
		if err := c.Tick(many * work.CompareUnits); err != nil {
			return types.Null, err
		}
		switch {
		case j.Kind == json.Array && item.Kind == json.String && drop(item.Text):
		case j.Kind == json.Array:
			out.Items = append(out.Items, item)
		case !drop(j.Keys[i]):
			out.Keys, out.Items = append(out.Keys, j.Keys[i]), append(out.Items, item)
		}
	}
	return types.NewJSONB(out), nil
}

func jsonbDeleteElement(c *expr.Context, a, b types.Value) (types.Value, error) {
	j, i := a.JSONB(), b.Int()
	switch {
	case isScalar(j):
		return types.Null, badJSON("cannot delete from scalar")
	case j.Kind == json.Object:
		return types.Null, badJSON("cannot delete from object using integer index")
	case i < 0:
		i += int64(len(j.Items))
	}
	if i < 0 || i >= int64(len(j.Items)) {
		return a, nil
	}
	if err := makeMembers(c, len(j.Items)); err != nil {
		return types.Null, err
	}
	return jsonArray(slices.Delete(slices.Clone(j.Items), int(i), int(i)+1))
}

// jsonChange is what happens at the end of a path.
type jsonChange uint8

const (
	jsonReplace jsonChange = 1 << iota
	jsonCreate             // replaces, or adds what is not there
	jsonRemove
	jsonBefore
	jsonAfter
	jsonAdds = jsonCreate | jsonBefore | jsonAfter
)

// jsonEdit makes one change in a document. The documents share what is not changed.
type jsonEdit struct {
	c      *expr.Context
	path   []types.Value
	change jsonChange
	value  *json.Value
}

func editJSON(a types.Value, e jsonEdit, scalar string) (types.Value, error) {
	j := a.JSONB()
	switch {
	case isScalar(j):
		return types.Null, badJSON("%s", scalar)
	case len(e.path) == 0, len(j.Items) == 0 && e.change&jsonAdds == 0:
		return a, nil
	}
	out, err := e.at(*j, 0)
	if err != nil {
		return types.Null, err
	}
	return types.MakeJSONB(&out)
}

// pathOf is the texts of a path, which has one dimension.
func pathOf(v types.Value) ([]types.Value, error) {
	if len(v.Array().Dims) > 1 {
		return nil, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts")
	}
	return v.Array().Items, nil
}

func (e jsonEdit) at(j json.Value, level int) (json.Value, error) {
	if e.path[level].IsNull() {
		return j, sqlerr.New(sqlerr.NullValueNotAllowed, "path element at position %d is null", level+1)
	}
	if err := makeMembers(e.c, len(j.Items)+1); err != nil { // of the copy
		return j, err
	}
	switch j.Kind {
	case json.Object:
		return e.inObject(j, level)
	case json.Array:
		return e.inArray(j, level)
	}
	return j, nil
}

func (e jsonEdit) inObject(j json.Value, level int) (json.Value, error) {
	last, key := level == len(e.path)-1, e.path[level].Text()
	i := slices.Index(j.Keys, key)
	switch {
	case i < 0 && last && e.change&jsonAdds != 0:
		v, err := newObject(e.c, append(slices.Clone(j.Keys), key), append(slices.Clone(j.Items), *e.value))
		if err != nil {
			return j, err
		}
		return *v.JSONB(), nil
	case i < 0:
		return j, nil
	case last && e.change&(jsonBefore|jsonAfter) != 0:
		return j, sqlerr.New(sqlerr.InvalidParameterValue, "cannot replace existing key").
			WithHint("Try using the function jsonb_set to replace key value.")
	case last && e.change == jsonRemove:
		return json.Value{
			Kind: j.Kind, Keys: slices.Delete(slices.Clone(j.Keys), i, i+1),
			Items: slices.Delete(slices.Clone(j.Items), i, i+1),
		}, nil
	}
	return e.below(j, i, level)
}

// below puts the changed item i into a copy.
func (e jsonEdit) below(j json.Value, i, level int) (json.Value, error) {
	item, err := j.Items[i], error(nil)
	if level == len(e.path)-1 {
		item = *e.value
	} else if item, err = e.at(item, level+1); err != nil {
		return j, err
	}
	items := slices.Clone(j.Items)
	items[i] = item
	return json.Value{Kind: j.Kind, Keys: j.Keys, Items: items}, nil
}

func (e jsonEdit) inArray(j json.Value, level int) (json.Value, error) {
	text, n := e.path[level].Text(), int64(len(j.Items))
	i, ok := pathIndex(text)
	if !ok {
		return j, sqlerr.New(sqlerr.InvalidTextRepresentation, "path element at position %d is not an integer: \"%s\"",
			level+1, text)
	}
	if i < 0 {
		i += n
	}
	last := level == len(e.path)-1
	switch {
	case i >= 0 && i < n && !last:
		return e.below(j, int(i), level)
	case i < 0 || i >= n: // at the end that is nearer, if it is added
		if last && e.change&jsonAdds != 0 {
			return insertJSON(j, max(0, min(i, n)), *e.value), nil
		}
		return j, nil
	}
	switch e.change {
	case jsonRemove:
		return json.Value{Kind: j.Kind, Items: slices.Delete(slices.Clone(j.Items), int(i), int(i)+1)}, nil
	case jsonBefore:
		return insertJSON(j, i, *e.value), nil
	case jsonAfter:
		return insertJSON(j, i+1, *e.value), nil
	}
	return e.below(j, int(i), level)
}

// insertJSON is an array with an element more.
func insertJSON(j json.Value, at int64, v json.Value) json.Value {
	return json.Value{Kind: j.Kind, Items: slices.Insert(slices.Clone(j.Items), int(at), v)}
}

func jsonbDeletePath(c *expr.Context, a, b types.Value) (types.Value, error) {
	path, err := pathOf(b)
	if err != nil {
		return types.Null, err
	}
	return editJSON(a, jsonEdit{c: c, path: path, change: jsonRemove}, "cannot delete path in scalar")
}

func jsonbSet(c *expr.Context, args []types.Value) (types.Value, error) {
	path, err := pathOf(args[1])
	if err != nil {
		return types.Null, err
	}
	change := jsonReplace
	if args[3].Bool() {
		change = jsonCreate
	}
	return editJSON(args[0], jsonEdit{c, path, change, args[2].JSONB()}, "cannot set path in scalar")
}

func jsonbInsert(c *expr.Context, args []types.Value) (types.Value, error) {
	path, err := pathOf(args[1])
	if err != nil {
		return types.Null, err
	}
	change := jsonBefore
	if args[3].Bool() {
		change = jsonAfter
	}
	return editJSON(args[0], jsonEdit{c, path, change, args[2].JSONB()}, "cannot set path in scalar")
}

func jsonbSetLax(c *expr.Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() || args[1].IsNull() || args[3].IsNull() {
		return types.Null, nil
	}
	if args[4].IsNull() {
		return types.Null, wrongTreatment()
	}
	if !args[2].IsNull() {
		return jsonbSet(c, args)
	}
	switch treatment := args[4].Text(); treatment {
	case "raise_exception":
		return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "JSON value must not be null").
			WithDetail("Exception was raised because null_value_treatment is \"raise_exception\".").
			WithHint("To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.")
	case "use_json_null":
		return jsonbSet(c, []types.Value{args[0], args[1], types.NewJSONB(&json.Value{}), args[3]})
	case "delete_key":
		return jsonbDeletePath(c, args[0], args[1])
	case "return_target":
		return args[0], nil
	}
	return types.Null, wrongTreatment()
}

func wrongTreatment() error {
	return badJSON("null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"")
}

func jsonbStripNulls(c *expr.Context, a types.Value) (types.Value, error) {
	j, err := stripNulls(c, *a.JSONB())
	return types.NewJSONB(&j), err
}

func jsonStripNulls(c *expr.Context, a types.Value) (types.Value, error) {
	j, err := json.ParseRaw(a.Text(), c.Env)
	if err != nil {
		return types.Null, err
	}
	kept, err := stripNulls(c, *j)
	if err != nil {
		return types.Null, err
	}
	out := c.Text(0)
	out.AddBytes(json.AppendCompact(nil, &kept, c))
	v, err := out.Value()
	return types.NewJSON(v.Text()), err
}

func stripNulls(c *expr.Context, j json.Value) (json.Value, error) {
	if isScalar(&j) {
		return j, nil
	}
	if err := makeMembers(c, len(j.Items)); err != nil {
		return j, err
	}
	out := json.Value{Kind: j.Kind}
	for i, item := range j.Items {
		if j.Kind == json.Object {
			if item.Kind == json.Null {
				continue
			}
			out.Keys = append(out.Keys, j.Keys[i])
		}
		kept, err := stripNulls(c, item)
		if err != nil {
			return j, err
		}
		out.Items = append(out.Items, kept)
		if err := c.Tick(work.CompareUnits); err != nil {
			return j, err
		}
	}
	return out, nil
}

// jsonEnds are the signs around an object or an array.
func jsonEnds(j *json.Value) string {
	if j.Kind == json.Object {
		return "{}"
	}
	return "[]"
}

func jsonbPretty(c *expr.Context, a types.Value) (types.Value, error) {
	out := c.Text(0)
	addPretty(out, a.JSONB(), 0)
	return out.Value()
}

// addPretty writes every element and member in a line of its own.
func addPretty(out *work.Text, j *json.Value, depth int) {
	if isScalar(j) {
		out.AddBytes(json.Append(nil, j, nil))
		return
	}
	ends := jsonEnds(j)
	out.Add(ends[:1])
	for i := range j.Items {
		if i > 0 {
			out.Add(",")
		}
		addLine(out, depth+1)
		if j.Kind == json.Object {
			out.AddBytes(append(json.AppendString(nil, j.Keys[i]), ": "...))
		}
		if addPretty(out, &j.Items[i], depth+1); out.Err != nil {
			return
		}
	}
	addLine(out, depth)
	out.Add(ends[1:])
}

func addLine(out *work.Text, depth int) {
	out.Add("\n")
	for range depth {
		out.Add("    ")
	}
}
