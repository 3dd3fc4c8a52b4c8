package json

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// jsonRecordFunctions make rows of objects, of the type that an argument or the query says.
var jsonRecordFunctions = slices.Concat(jsonRecords("json", pg.JSON), jsonRecords("jsonb", pg.JSONB))

func jsonRecords(name string, t types.OID) []*expr.Function {
	one := recordReader{name: name + "_populate_record", base: true}
	set := recordReader{name: name + "_populate_recordset", base: true, set: true}
	toOne, toSet := recordReader{name: name + "_to_record"}, recordReader{name: name + "_to_recordset", set: true}
	args, params, defaults := pg.Sig{types.OIDAnyElement, t}, []string{"base", "from_json"}, []string(nil)
	if t == pg.JSON {
		args, params, defaults = append(args, pg.Boolean), append(params, "use_json_as_text"), []string{"'false'"}
	}
	return []*expr.Function{
		{Name: one.name, Args: args, Params: params, Defaults: defaults, Result: types.OIDAnyElement, NotStrict: true, Volatility: expr.Stable, Doc: "Row with the members of an object in place of the fields of their names.", Typed: one.value, RowsAs: one.rows},
		{Name: set.name, Args: args, Params: params, Defaults: defaults, Result: types.OIDAnyElement, NotStrict: true, Volatility: expr.Stable, Doc: "Rows with the members of each object of an array in place of the fields of their names.", Rows: set.ofBase, RowsAs: set.rows},
		{Name: toOne.name, Args: pg.Sig{t}, Result: types.OIDRecord, Volatility: expr.Stable, Doc: "Members of an object as a row with the columns that the query defines.", Fn1: toOne.noContext, RowsAs: toOne.rows},
		{Name: toSet.name, Args: pg.Sig{t}, Result: types.OIDRecord, NotStrict: true, Volatility: expr.Stable, Doc: "Members of each object of an array as rows with the columns that the query defines.", Rows: toSet.unknown, RowsAs: toSet.rows},
	}
}

// recordReader is one of the functions that make rows of JSON: of an object or of an array of
// them, perhaps over a row that has the other fields.
type recordReader struct {
	name      string
	base, set bool
}

func (r recordReader) noContext(*expr.Context, types.Value) (types.Value, error) {
	return types.Null, r.undetermined()
}

// unknown is the set of a call whose type is not said.
func (r recordReader) unknown(*expr.Context, []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) { yield(nil, r.undetermined()) }
}

// ofBase is the set of a call whose type is that of the row it is given: rows in one column.
func (r recordReader) ofBase(c *expr.Context, args []types.Value) expr.Set {
	if args[0].IsNull() {
		return r.unknown(c, args)
	}
	return func(yield func(types.Row, error) bool) {
		if args[0].Kind() != types.KindRecord {
			yield(nil, r.noRow())
			return
		}
		row := definitionOf(args[0])
		for fields, err := range r.rows(row)(c, args) {
			var v types.Value
			if err == nil {
				v, err = types.MakeRecord(&types.RecordValue{Names: row.Names, Types: row.Types, Values: fields})
			}
			if !yield(types.Row{v}, err) {
				return
			}
		}
	}
}

func definitionOf(row types.Value) *types.Definition {
	r := row.Record()
	return &types.Definition{Names: r.Names, Types: r.Types}
}

// baseType is the type of the rows that a call makes, of the names that the row it is given has for its fields. That
// row must be as the query says.
func baseType(base types.Value, row *types.Definition) (*types.Definition, error) {
	if base.IsNull() {
		return row, nil
	}
	given := definitionOf(base)
	wrong := sqlerr.New(sqlerr.DatatypeMismatch, "function return row and query-specified return row do not match")
	if n := len(given.Types); n != len(row.Types) {
		attributes := "attributes"
		if n == 1 {
			attributes = "attribute"
		}
		return nil, wrong.WithDetail("Returned row contains %d %s, but query expects %d.", n, attributes,
			len(row.Types))
	}
	for i, t := range given.Types {
		if t.OID != row.Types[i].OID {
			return nil, wrong.WithDetail("Returned type %s at ordinal position %d, but query expects %s.", t.Bare(), i+1,
				row.Types[i].Bare())
		}
	}
	return &types.Definition{Names: given.Names, Types: row.Types}, nil
}

func (r recordReader) noRow() error {
	return sqlerr.New(sqlerr.DatatypeMismatch, "first argument of %s must be a row type", r.name)
}

func (r recordReader) undetermined() error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "could not determine row type for result of %s", r.name).
		WithHint("Provide a non-null record argument, or call the function in the FROM clause using a column definition list.")
}

// value is the row of a function that returns one.
func (r recordReader) value(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if !of[0].IsComposite() {
		return types.Null, r.noRow()
	}
	row := of[0].Def
	if row == nil && !args[0].IsNull() {
		row = definitionOf(args[0])
	}
	switch {
	case row == nil:
		return types.Null, r.undetermined()
	case args[1].IsNull():
		return args[0], nil
	}
	j, err := readJSON(c, args[1])
	if err == nil {
		err = wantObject(j)
	}
	if err != nil {
		return types.Null, err
	}
	values, err := fill(c, j, row, args[0])
	return types.NewRecord(&types.RecordValue{Names: row.Names, Types: row.Types, Values: values}), err
}

// rows are those of a call whose type is known.
func (r recordReader) rows(row *types.Definition) func(*expr.Context, []types.Value) expr.Set {
	return func(c *expr.Context, args []types.Value) expr.Set {
		base := types.Null
		if r.base {
			base = args[0]
			args = args[1:]
		}
		return func(yield func(types.Row, error) bool) {
			if args[0].IsNull() {
				if !r.set {
					yield(baseRow(base, row), nil)
				}
				return
			}
			row, err := baseType(base, row)
			if err != nil {
				yield(nil, err)
				return
			}
			objects, err := r.objects(c, args[0])
			for i := 0; err == nil && i < len(objects); i++ {
				var values types.Row
				if values, err = r.object(c, &objects[i], row, base); err == nil && !yield(values, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
}

// objects are what the rows are made of.
func (r recordReader) objects(c *expr.Context, v types.Value) ([]json.Value, error) {
	j, err := readJSON(c, v)
	switch {
	case err != nil:
		return nil, err
	case !r.set:
		return []json.Value{*j}, wantObject(j)
	case j.Kind == json.Array:
		return j.Items, nil
	case j.Raw == "":
		return nil, badJSON("cannot call %s on a non-array", r.name)
	case isScalar(j):
		return nil, badJSON("cannot call %s on a scalar", r.name)
	}
	return nil, badJSON("cannot call %s on an object", r.name)
}

func (r recordReader) object(c *expr.Context, j *json.Value, row *types.Definition, base types.Value) (types.Row,
	error) {
	if j.Kind != json.Object {
		return nil, badJSON("argument of %s must be an array of objects", r.name)
	}
	return fill(c, j, row, base)
}

// wantObject calls the function as PostgreSQL does.
func wantObject(j *json.Value) error {
	switch {
	case j.Kind == json.Object:
		return nil
	case isScalar(j):
		return badJSON("cannot call populate_composite on a scalar")
	}
	return badJSON("cannot call populate_composite on an array")
}

// baseRow is the fields of a row, NULLs where it is NULL.
func baseRow(base types.Value, row *types.Definition) types.Row {
	out := make(types.Row, len(row.Types))
	if !base.IsNull() {
		copy(out, base.Record().Values)
	}
	return out
}

// fill puts the members of an object into the fields of their names.
func fill(c *expr.Context, j *json.Value, row *types.Definition, base types.Value) (types.Row, error) {
	out := baseRow(base, row)
	for i, name := range row.Names {
		member := j.Member(name)
		if member == nil {
			continue
		}
		var err error
		if out[i], err = fromJSON(c, member, slot{row.Types[i], name, out[i]}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// slot is what a value of JSON is read for: a type, the key for errors, and the value that is there by now.
type slot struct {
	t    types.T
	key  string
	base types.Value
}

// fromJSON is a value of JSON as one of a type.
func fromJSON(c *expr.Context, j *json.Value, to slot) (types.Value, error) {
	t, key := to.t, to.key
	switch {
	case j.Kind == json.Null:
		return types.Null, nil
	case t.OID == pg.JSON || t.OID == pg.JSONB:
		return types.ParseText(string(json.Append(nil, j, nil)), t, c.Env)
	case j.Kind != json.String && t.IsComposite() && t.Def != nil:
		if err := wantObject(j); err != nil {
			return types.Null, err
		}
		values, err := fill(c, j, t.Def, to.base)
		return types.NewRecord(&types.RecordValue{Names: t.Def.Names, Types: t.Def.Types, Values: values}), err
	case t.Kind() == types.KindArray && j.Kind == json.Array:
		return arrayFromJSON(c, j, t, key)
	case t.Kind() == types.KindArray && j.Kind != json.String:
		return types.Null, sqlerr.New(sqlerr.InvalidTextRepresentation,
			"expected JSON array").WithHint("See the value of key \"%s\".", key)
	}
	text, err := jsonAsText(c, j)
	if err != nil {
		return types.Null, err
	}
	v, err := types.ParseText(text.Text(), t, c.Env)
	if err != nil || t.Mod < 0 {
		return v, err
	}
	return types.ApplyMod(v, t, false, c.Env)
}

func arrayFromJSON(c *expr.Context, j *json.Value, t types.T, key string) (types.Value, error) {
	element, ok := types.ElementOf(t)
	if !ok {
		return types.Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected JSON array")
	}
	items := make([]types.Value, len(j.Items))
	for i := range j.Items {
		of := element
		if j.Items[i].Kind == json.Array && element.OID != pg.JSON && element.OID != pg.JSONB {
			of = t // an array of arrays
		}
		var err error
		if j.Items[0].Kind == json.Array && j.Items[i].Kind != json.Array && j.Items[i].Kind != json.Null &&
			of.OID != pg.JSON && of.OID != pg.JSONB {
			return types.Null, sqlerr.New(sqlerr.InvalidTextRepresentation,
				"expected JSON array").WithHint("See the array element [%d] of key \"%s\".", i, key)
		}
		if items[i], err = fromJSON(c, &j.Items[i], slot{t: of, key: key}); err != nil {
			return types.Null, err
		}
	}
	ragged := func(v types.Value) bool {
		return len(items) > 0 && (v.Kind() == types.KindArray) != (items[0].Kind() == types.KindArray)
	}
	out, err := types.ArrayOfItems(element.OID, items, c.Env)
	if err != nil || slices.ContainsFunc(items, ragged) {
		err = sqlerr.New(sqlerr.InvalidTextRepresentation, "malformed JSON array").
			WithDetail("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	return out, err
}
