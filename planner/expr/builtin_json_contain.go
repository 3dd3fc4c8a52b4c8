package expr

import (
	"slices"

	"zproxy/types"
)

// jsonContainFunctions say whether a jsonb has something in it.
var jsonContainFunctions = []*Function{
	{Name: "jsonb_contains", Operator: "@>", Args: sig{jsonb, jsonb}, Result: boolean, Doc: "Whether the first document contains the second.", Fn2: jsonbContains},
	{Name: "jsonb_contained", Operator: "<@", Args: sig{jsonb, jsonb}, Result: boolean, Doc: "Whether the second document contains the first.", Fn2: jsonbContained},
	{Name: "jsonb_exists", Operator: "?", Args: sig{jsonb, text}, Result: boolean, Doc: "Whether a text is a key of an object or an element of an array.", Fn2: jsonbExists},
	{Name: "jsonb_exists_any", Operator: "?|", Args: sig{jsonb, textArray}, Result: boolean, Doc: "Whether any of the texts is a key or an element.", Fn2: jsonbExistsAny},
	{Name: "jsonb_exists_all", Operator: "?&", Args: sig{jsonb, textArray}, Result: boolean, Doc: "Whether all of the texts are keys or elements.", Fn2: jsonbExistsAll},
}

func jsonbContains(_ *Context, a, b types.Value) (types.Value, error) {
	x, y := a.JSONB(), b.JSONB()
	if isScalar(x) && y.Kind == types.JSONArray {
		return types.NewBool(false), nil
	}
	return types.NewBool(contains(elementsOf(x), elementsOf(y))), nil
}

func jsonbContained(c *Context, a, b types.Value) (types.Value, error) {
	return jsonbContains(c, b, a)
}

// elementsOf takes a scalar document for an array of it.
func elementsOf(j *types.JSONValue) *types.JSONValue {
	if isScalar(j) {
		return &types.JSONValue{Kind: types.JSONArray, Items: []types.JSONValue{*j}}
	}
	return j
}

// contains says whether every member or element of y is in x. A container is in another
// when that contains it.
func contains(x, y *types.JSONValue) bool {
	if x.Kind != y.Kind {
		return false
	}
	if isScalar(y) {
		return types.CompareJSON(x, y) == 0
	}
	for i := range y.Items {
		item := &y.Items[i]
		if y.Kind == types.JSONObject {
			if m := x.Member(y.Keys[i]); m == nil || !contains(m, item) {
				return false
			}
			continue
		}
		if !slices.ContainsFunc(x.Items, func(of types.JSONValue) bool { return contains(&of, item) }) {
			return false
		}
	}
	return true
}

func jsonbExists(_ *Context, a, b types.Value) (types.Value, error) {
	return types.NewBool(exists(a.JSONB(), b.Text())), nil
}

func exists(j *types.JSONValue, s string) bool {
	if j.Kind == types.JSONObject {
		return j.Member(s) != nil
	}
	return slices.ContainsFunc(elementsOf(j).Items, isString(s))
}

func isString(s string) func(types.JSONValue) bool {
	return func(j types.JSONValue) bool { return j.Kind == types.JSONString && j.Text == s }
}

func jsonbExistsAny(_ *Context, a, b types.Value) (types.Value, error) {
	for _, s := range b.Array().Items {
		if !s.IsNull() && exists(a.JSONB(), s.Text()) {
			return types.NewBool(true), nil
		}
	}
	return types.NewBool(false), nil
}

func jsonbExistsAll(_ *Context, a, b types.Value) (types.Value, error) {
	for _, s := range b.Array().Items {
		if !s.IsNull() && !exists(a.JSONB(), s.Text()) {
			return types.NewBool(false), nil
		}
	}
	return types.NewBool(true), nil
}
