package json

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/types"
	"zproxy/types/json"
)

// jsonContainFunctions say whether a jsonb has something in it.
var jsonContainFunctions = []*expr.Function{
	{Name: "jsonb_contains", Operator: "@>", Args: pg.Sig{pg.JSONB, pg.JSONB}, Result: pg.Boolean, Doc: "Whether the first document contains the second.", Fn2: jsonbContains},
	{Name: "jsonb_contained", Operator: "<@", Args: pg.Sig{pg.JSONB, pg.JSONB}, Result: pg.Boolean, Doc: "Whether the second document contains the first.", Fn2: jsonbContained},
	{Name: "jsonb_exists", Operator: "?", Args: pg.Sig{pg.JSONB, pg.Text}, Result: pg.Boolean, Doc: "Whether a text is a key of an object or an element of an array.", Fn2: jsonbExists},
	{Name: "jsonb_exists_any", Operator: "?|", Args: pg.Sig{pg.JSONB, pg.TextArray}, Result: pg.Boolean, Doc: "Whether any of the texts is a key or an element.", Fn2: jsonbExistsAny},
	{Name: "jsonb_exists_all", Operator: "?&", Args: pg.Sig{pg.JSONB, pg.TextArray}, Result: pg.Boolean, Doc: "Whether all of the texts are keys or elements.", Fn2: jsonbExistsAll},
}

func jsonbContains(c *expr.Context, a, b types.Value) (types.Value, error) {
	x, y := a.JSONB(), b.JSONB()
	if isScalar(x) && y.Kind == json.Array {
		return types.NewBool(false), nil
	}
	found, err := contains(c, elementsOf(x), elementsOf(y))
	return types.NewBool(found), err
}

func jsonbContained(c *expr.Context, a, b types.Value) (types.Value, error) {
	return jsonbContains(c, b, a)
}

// elementsOf takes a scalar document for an array of it.
func elementsOf(j *json.Value) *json.Value {
	if isScalar(j) {
		return &json.Value{Kind: json.Array, Items: []json.Value{*j}}
	}
	return j
}

// contains says whether every member or element of y is in x. A container is in another
// when that contains it.
func contains(c *expr.Context, x, y *json.Value) (bool, error) {
	if err := c.Tick(work.CompareUnits); err != nil || x.Kind != y.Kind {
		return false, err
	}
	if isScalar(y) {
		return json.Compare(x, y) == 0, nil
	}
	for i := range y.Items {
		found, err := has(c, x, y, i)
		if err != nil || !found {
			return false, err
		}
	}
	return true, nil
}

// has says whether x contains one member or element of y.
func has(c *expr.Context, x, y *json.Value, at int) (bool, error) {
	if y.Kind == json.Object {
		m := x.Member(y.Keys[at])
		if m == nil {
			return false, nil
		}
		return contains(c, m, &y.Items[at])
	}
	for i := range x.Items {
		if found, err := contains(c, &x.Items[i], &y.Items[at]); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

func jsonbExists(c *expr.Context, a, b types.Value) (types.Value, error) {
	found, err := exists(c, a.JSONB(), b.Text())
	return types.NewBool(found), err
}

// exists says whether a text is a key of an object, or an element.
func exists(c *expr.Context, j *json.Value, s string) (bool, error) {
	if j.Kind == json.Object {
		return j.Member(s) != nil, c.Tick(work.CompareUnits)
	}
	items := elementsOf(j).Items
	for i := range items {
		if err := c.Tick(work.CompareUnits); err != nil {
			return false, err
		}
		if items[i].Kind == json.String && items[i].Text == s {
			return true, nil
		}
	}
	return false, nil
}

func jsonbExistsAny(c *expr.Context, a, b types.Value) (types.Value, error) {
	return existence(c, a, b, true)
}

func jsonbExistsAll(c *expr.Context, a, b types.Value) (types.Value, error) {
	return existence(c, a, b, false)
}

// existence is one answer as soon as a text exists for which it is the answer, and the other
// if there is none.
func existence(c *expr.Context, a, b types.Value, answer bool) (types.Value, error) {
	for _, s := range b.Array().Items {
		if s.IsNull() {
			continue
		}
		if found, err := exists(c, a.JSONB(), s.Text()); err != nil || found == answer {
			return types.NewBool(answer), err
		}
	}
	return types.NewBool(!answer), nil
}
