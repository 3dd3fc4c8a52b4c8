package json

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/types"
	"zproxy/types/json"
)

// Aggregates make JSON of the values of a group.
var Aggregates = []*expr.Aggregate{
	{Name: "json_agg", Args: pg.Sig{types.OIDAnyElement}, Result: pg.JSON, Doc: "Values as an array.", Keeps: true, New: newJSONAgg},
	{Name: "jsonb_agg", Args: pg.Sig{types.OIDAnyElement}, Result: pg.JSONB, Doc: "Values as an array.", Keeps: true, New: newJSONBAgg},
	{Name: "json_object_agg", Args: pg.Sig{types.OIDAny, types.OIDAny}, Result: pg.JSON, Doc: "Keys and values as an object.", Keeps: true, New: newJSONObjectAgg},
	{Name: "jsonb_object_agg", Args: pg.Sig{types.OIDAny, types.OIDAny}, Result: pg.JSONB, Doc: "Keys and values as an object.", Keeps: true, New: newJSONBObjectAgg},
	// what JSON_OBJECTAGG WITH UNIQUE KEYS calls, which PostgreSQL has since 16
	{Name: "json_object_agg_unique", OID: 9584, Args: pg.Sig{types.OIDAny, types.OIDAny}, Result: pg.JSON, Doc: "Keys, none of them twice, and values as an object.", Keeps: true, New: newUniqueAgg(false)},
	{Name: "json_object_agg_unique_strict", OID: 9585, Args: pg.Sig{types.OIDAny, types.OIDAny}, Result: pg.JSON, Doc: "Keys, none of them twice, and values that are not NULL as an object.", Keeps: true, New: newUniqueAgg(true)},
	{Name: "jsonb_object_agg_unique", OID: 9586, Args: pg.Sig{types.OIDAny, types.OIDAny}, Result: pg.JSONB, Doc: "Keys, none of them twice, and values as an object.", Keeps: true, New: newUniqueBAgg(false)},
	{Name: "jsonb_object_agg_unique_strict", OID: 9587, Args: pg.Sig{types.OIDAny, types.OIDAny}, Result: pg.JSONB, Doc: "Keys, none of them twice, and values that are not NULL as an object.", Keeps: true, New: newUniqueBAgg(true)},
}

// jsonAgg writes a json as the values come.
type jsonAgg struct {
	of      []types.T
	out     []byte
	charged int // bytes of out
}

func newJSONAgg(of []types.T) expr.Accumulator { return &jsonAgg{of: of} }

// Add implements Accumulator. Arrays and records begin a line.
func (a *jsonAgg) Add(c *expr.Context, args []types.Value) error {
	switch kind := a.of[0].Kind(); {
	case a.out == nil:
		a.out = append(a.out, '[')
	case !args[0].IsNull() && (kind == types.KindArray || kind == types.KindRecord):
		a.out = append(a.out, ", \n "...)
	default:
		a.out = append(a.out, ", "...)
	}
	a.out = types.AppendAsJSON(a.out, args[0], a.of[0], c.Env)
	return a.added(c)
}

// added charges what was appended, which is whole unless the statement is to end.
func (a *jsonAgg) added(c *expr.Context) error {
	if err := work.CheckLength(len(a.out)); err != nil {
		return err
	}
	more := len(a.out) - a.charged
	if more <= work.PieceBytes {
		return nil
	}
	a.charged = len(a.out)
	if err := c.Env.Ended(); err != nil {
		return err
	}
	return c.Make(int64(more)) // beside what the caller charges for the arguments
}

// Result implements Accumulator.
func (a *jsonAgg) Result(c *expr.Context) (types.Value, error) { return a.closed(c, "]") }

// closed is a copy, since more may be added.
func (a *jsonAgg) closed(c *expr.Context, end string) (types.Value, error) {
	if a.out == nil {
		return types.Null, nil
	}
	out := c.Text(len(a.out) + len(end))
	out.AddBytes(a.out)
	out.Add(end)
	v, err := out.Value()
	return types.NewJSON(v.Text()), err
}

type jsonObjectAgg struct{ jsonAgg }

func newJSONObjectAgg(of []types.T) expr.Accumulator { return &jsonObjectAgg{jsonAgg{of: of}} }

// Add implements Accumulator.
func (a *jsonObjectAgg) Add(c *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return badJSON("field name must not be null")
	}
	key, err := jsonKey(c, args[0], a.of[0])
	if err != nil {
		return err
	}
	if a.out == nil {
		a.out = append(a.out, "{ "...)
	} else {
		a.out = append(a.out, ", "...)
	}
	a.out = append(json.AppendString(a.out, key), " : "...)
	a.out = types.AppendAsJSON(a.out, args[1], a.of[1], c.Env)
	return a.added(c)
}

// Result implements Accumulator.
func (a *jsonObjectAgg) Result(c *expr.Context) (types.Value, error) { return a.closed(c, " }") }

// jsonbAgg keeps the values; with keys they make an object.
type jsonbAgg struct {
	of     []types.T
	object bool
	any    bool
	keys   work.List[string]
	Values work.List[json.Value]
}

func newJSONBAgg(of []types.T) expr.Accumulator { return &jsonbAgg{of: of} }

func newJSONBObjectAgg(of []types.T) expr.Accumulator { return &jsonbAgg{of: of, object: true} }

// Add implements Accumulator.
func (a *jsonbAgg) Add(c *expr.Context, args []types.Value) error {
	a.any = true
	last := len(args) - 1
	if a.object {
		if args[0].IsNull() {
			return badJSON("field name must not be null")
		}
		key, err := jsonKey(c, args[0], a.of[0])
		if err != nil {
			return err
		}
		a.keys.Add(key)
	}
	item, err := types.AsJSONB(args[last], a.of[last], c.Env)
	if err == nil {
		err = c.Grow(jsonBytes)
	}
	if err == nil {
		a.Values.Add(*item)
	}
	return err
}

// Result implements Accumulator. It leaves what was added, which may become more.
func (a *jsonbAgg) Result(c *expr.Context) (types.Value, error) {
	if !a.any {
		return types.Null, nil
	}
	items, err := a.Values.All(c)
	if err != nil {
		return types.Null, err
	}
	if !a.object {
		return jsonArray(items)
	}
	keys, err := a.keys.All(c)
	if err != nil {
		return types.Null, err
	}
	return newObject(c, slices.Clone(keys), slices.Clone(items)) // it reorders them
}
