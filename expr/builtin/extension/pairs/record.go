package pairs

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// records put values into rows.
var records = []*expr.Function{
	{
		Name: "populate_record", OID: 9836, Operator: "#=", Args: pg.Sig{types.OIDAnyElement, set}, Result: types.OIDAnyElement,
		NotStrict: true, Doc: "Row with the values of the keys that its fields have as names.", Typed: populate,
	},
}

// populate reads the value of each key as a text of its field.
func populate(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if !of[0].IsComposite() {
		return types.Null, sqlerr.New(sqlerr.DatatypeMismatch, "first argument must be a rowtype")
	}
	if args[1].IsNull() {
		return args[0], nil
	}
	var row types.RecordValue
	switch {
	case !args[0].IsNull():
		before := args[0].Record()
		row = types.RecordValue{Names: before.Names, Types: before.Types}
		row.Values = append(row.Values, before.Values...)
	case of[0].Def != nil:
		row = types.RecordValue{Names: of[0].Def.Names, Types: of[0].Def.Types}
		row.Values = make([]types.Value, len(row.Names))
	default:
		return types.Null, unregistered()
	}
	for i, name := range row.Names {
		p, ok, err := find(c, args[1], types.NewText(name))
		if err == nil && ok {
			row.Values[i], err = read(c, theValue(p), row.Types[i])
		}
		if err != nil {
			return types.Null, err
		}
	}
	return types.MakeRecord(&row)
}

// read is a text as a value of a type.
func read(c *expr.Context, text types.Value, t types.T) (types.Value, error) {
	if text.IsNull() {
		return types.Null, nil
	}
	v, err := types.ParseText(text.Text(), t, c.Env)
	if err != nil {
		return types.Null, err
	}
	return types.ApplyMod(v, t, false, c.Env)
}

func unregistered() error {
	return sqlerr.New(sqlerr.WrongObjectType, "record type has not been registered")
}
