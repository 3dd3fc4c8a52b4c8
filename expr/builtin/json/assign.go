package json

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// jsonAssignFunctions are what SET document['a']['b'] = value calls.
var jsonAssignFunctions = []*expr.Function{
	{
		Name: "jsonb_subscript_assign", Syntax: true, NotStrict: true, FnN: jsonbAssign,
		Args: pg.Sig{pg.JSONB, pg.TextArray, pg.JSONB, pg.Boolean}, Result: pg.JSONB,
		Doc: "Document with another value at a path, which is made where it is missing; of NULL a new one, an array if the last argument is true.",
	},
}

// jsonbAssign puts a value at a path. Keys and elements that are missing are made, with nulls before them in arrays.
func jsonbAssign(c *expr.Context, args []types.Value) (types.Value, error) {
	at := assignment{c: c, value: &json.Value{}}
	for _, v := range args[1].Array().Items {
		if v.IsNull() {
			return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "jsonb subscript in assignment must not be null")
		}
		at.path = append(at.path, v.Text())
	}
	if !args[2].IsNull() {
		at.value = args[2].JSONB()
	}
	from := json.Value{Kind: json.Object}
	switch {
	case !args[0].IsNull():
		from = *args[0].JSONB()
	case args[3].Bool():
		from.Kind = json.Array
	}
	out, err := at.in(&from, 0)
	if err != nil {
		return types.Null, err
	}
	return types.MakeJSONB(&out)
}

// assignment puts a value at a path.
type assignment struct {
	c     *expr.Context
	path  []string
	value *json.Value
}

// in makes the value at a level of another one that is there; nil: nothing is.
func (a *assignment) in(from *json.Value, level int) (json.Value, error) {
	if level == len(a.path) {
		return *a.value, nil
	}
	if from == nil {
		from = &json.Value{Kind: json.Object}
		if _, ok := pathIndex(a.path[level]); ok {
			from.Kind = json.Array
		}
	}
	if err := makeMembers(a.c, len(from.Items)+1); err != nil { // of the copy
		return json.Value{}, err
	}
	switch from.Kind {
	case json.Object:
		return a.inObject(from, level)
	case json.Array:
		return a.inArray(from, level)
	}
	return json.Value{}, sqlerr.New(sqlerr.InvalidParameterValue, "cannot replace existing key").
		WithDetail("The path assumes key is a composite object, but it is a scalar value.")
}

func (a *assignment) inObject(from *json.Value, level int) (json.Value, error) {
	at := slices.Index(from.Keys, a.path[level])
	var before *json.Value
	if at >= 0 {
		before = &from.Items[at]
	}
	item, err := a.in(before, level+1)
	if err != nil {
		return item, err
	}
	if at >= 0 {
		items := slices.Clone(from.Items)
		items[at] = item
		return json.Value{Kind: from.Kind, Keys: from.Keys, Items: items}, nil
	}
	v, err := newObject(a.c, append(slices.Clone(from.Keys), a.path[level]), append(slices.Clone(from.Items), item))
	if err != nil {
		return item, err
	}
	return *v.JSONB(), nil
}

func (a *assignment) inArray(from *json.Value, level int) (json.Value, error) {
	i, ok := pathIndex(a.path[level])
	n := int64(len(from.Items))
	switch {
	case !ok:
		return json.Value{}, sqlerr.New(sqlerr.InvalidTextRepresentation,
			"path element at position %d is not an integer: \"%s\"", level+1, a.path[level])
	case i < -n:
		return json.Value{}, sqlerr.New(sqlerr.InvalidParameterValue, "path element at position %d is out of range: %d",
			level+1, i)
	case i < 0:
		i += n
	}
	var before *json.Value
	if i < n {
		before = &from.Items[i]
	}
	item, err := a.in(before, level+1)
	if err != nil {
		return item, err
	}
	if err := makeMembers(a.c, int(max(i-n, 0))); err != nil {
		return item, err
	}
	items := slices.Clone(from.Items)
	for int64(len(items)) <= i {
		items = append(items, json.Value{})
	}
	items[i] = item
	return json.Value{Kind: from.Kind, Items: items}, nil
}
