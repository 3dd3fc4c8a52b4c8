package json

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/json"
)

// jsonRowsFunctions give the parts of a document as rows.
var jsonRowsFunctions = slices.Concat(jsonRows("json", pg.JSON), jsonRows("jsonb", pg.JSONB))

// jsonRows makes the overloads for one of the two types.
func jsonRows(name string, t types.OID) []*expr.Function {
	pair := func(value types.OID) []expr.OutColumn {
		return []expr.OutColumn{{Name: "key", Type: pg.Text}, {Name: "value", Type: value}}
	}
	single := func(value types.OID) []expr.OutColumn { return []expr.OutColumn{{Name: "value", Type: value}} }
	in := []string{"from_json"}
	return []*expr.Function{
		{Name: name + "_each", Args: pg.Sig{t}, Params: in, Result: types.OIDRecord, Out: pair(t), Doc: "Members of an object.", Rows: members(name+"_each", sameJSON)},
		{Name: name + "_each_text", Args: pg.Sig{t}, Params: in, Result: types.OIDRecord, Out: pair(pg.Text), Doc: "Members of an object as texts.", Rows: members(name+"_each_text", jsonAsText)},
		{Name: name + "_array_elements", Args: pg.Sig{t}, Params: in, Result: t, Out: single(t), Doc: "Elements of an array.", Rows: elements(name+"_array_elements", scanJSON, sameJSON)},
		{Name: name + "_array_elements_text", Args: pg.Sig{t}, Params: in, Result: pg.Text, Out: single(pg.Text), Doc: "Elements of an array as texts.", Rows: elements(name+"_array_elements_text", readJSON, jsonAsText)},
		{Name: name + "_object_keys", Args: pg.Sig{t}, Result: pg.Text, Doc: "Keys of an object.", Rows: objectKeys(name + "_object_keys")},
	}
}

// fillRow puts the item with a number into a row.
type fillRow = func(c *expr.Context, row types.Row, j *json.Value, i int) error

// rowsOf reads a document, checks it, and yields a row for each of its items.
func rowsOf(width int, read func(*expr.Context, types.Value) (*json.Value, error), check func(*json.Value) error,
	fill fillRow) func(*expr.Context, []types.Value) expr.Set {
	return func(c *expr.Context, args []types.Value) expr.Set {
		return func(yield func(types.Row, error) bool) {
			j, err := read(c, args[0])
			if err == nil {
				err = check(j)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			row := make(types.Row, width)
			for i := range j.Items {
				if err := fill(c, row, j, i); !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

func members(name string, value func(*expr.Context, *json.Value) (types.Value, error)) func(*expr.Context,
	[]types.Value) expr.Set {
	check := func(j *json.Value) error {
		switch {
		case j.Kind == json.Object:
			return nil
		case j.Raw == "":
			return badJSON("cannot call %s on a non-object", name)
		case isScalar(j):
			return badJSON("cannot deconstruct a scalar")
		}
		return badJSON("cannot deconstruct an array as an object")
	}
	return rowsOf(2, readJSON, check, func(c *expr.Context, row types.Row, j *json.Value, i int) (err error) {
		row[0] = types.NewText(j.Keys[i])
		row[1], err = value(c, &j.Items[i])
		return err
	})
}

func elements(name string, read func(*expr.Context, types.Value) (*json.Value, error),
	value func(*expr.Context, *json.Value) (types.Value, error)) func(*expr.Context, []types.Value) expr.Set {
	check := func(j *json.Value) error {
		switch {
		case j.Kind == json.Array:
			return nil
		case j.Raw == "" && isScalar(j):
			return badJSON("cannot extract elements from a scalar")
		case j.Raw == "":
			return badJSON("cannot extract elements from an object")
		case isScalar(j):
			return badJSON("cannot call %s on a scalar", name)
		}
		return badJSON("cannot call %s on a non-array", name)
	}
	return rowsOf(1, read, check, func(c *expr.Context, row types.Row, j *json.Value, i int) (err error) {
		row[0], err = value(c, &j.Items[i])
		return err
	})
}

func objectKeys(name string) func(*expr.Context, []types.Value) expr.Set {
	check := func(j *json.Value) error {
		switch {
		case j.Kind == json.Object:
			return nil
		case isScalar(j):
			return badJSON("cannot call %s on a scalar", name)
		}
		return badJSON("cannot call %s on an array", name)
	}
	return rowsOf(1, readJSON, check, func(_ *expr.Context, row types.Row, j *json.Value, i int) error {
		row[0] = types.NewText(j.Keys[i])
		return nil
	})
}
