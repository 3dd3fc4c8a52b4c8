package expr

import (
	"slices"

	"zproxy/types"
)

// FieldAssign is what a row becomes when a field of it gets a value: of NULL a row whose other fields are NULL. T is
// the type of the row.
type FieldAssign struct {
	Arg, Value Expr
	Ordinal    int
	Name       string
	T          types.T
}

func (FieldAssign) expr() {}

// Type implements Expr.
func (e FieldAssign) Type() types.T { return e.T }

// Inputs implements Expr.
func (e FieldAssign) Inputs() []Expr { return []Expr{e.Arg, e.Value} }

// WithInputs implements Expr.
func (e FieldAssign) WithInputs(in []Expr) Expr {
	e.Arg, e.Value = in[0], in[1]
	return e
}

// String implements Expr.
func (e FieldAssign) String() string {
	return "((" + e.Arg.String() + ")." + e.Name + " := " + e.Value.String() + ")"
}

// Eval implements Expr.
func (e FieldAssign) Eval(c *Context, row types.Row) (types.Value, error) {
	arg, err := e.Arg.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	value, err := e.Value.Eval(c, row)
	if err != nil {
		return types.Null, err
	}
	r := &types.RecordValue{Names: e.T.Def.Names, Types: e.T.Def.Types}
	if arg.IsNull() {
		r.Values = make([]types.Value, len(r.Types))
	} else {
		r.Values = slices.Clone(arg.Record().Values)
	}
	r.Values[e.Ordinal] = value
	return types.MakeRecord(r)
}
