package session

import (
	"zproxy/expr"
	"zproxy/plpgsql/interpret"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Convert implements interpret.Engine: by the cast of an assignment, or else through the text.
func (e *plEngine) Convert(v interpret.Value, to types.T) (types.Value, error) {
	switch {
	case to.Domain != nil && v.T.Number() != to.Number():
		if v.V.IsNull() {
			v.T = to.Base()
		}
	case v.V.IsNull(), v.T.OID == to.OID && to.Mod < 0, to.OID == types.OIDRecord && v.T.IsComposite(),
		to.OID == types.OIDVoid:
		return to.Within(v.V), nil
	case to.OID.IsRow() && v.T.OID == types.OIDRecord:
		return e.asRow(v, to)
	}
	p := e.reach.planner(e.txn.Schema())
	out, ok, err := p.Coerce(expr.Const{Value: v.V, T: v.T}, to, types.Assignment, -1)
	if err != nil {
		return types.Null, err
	}
	if ok {
		return out.Eval(e.reach.context(e.ctx, nil), nil)
	}
	value, err := types.ParseText(e.Print(v), to.Bare(), &e.settings.Env)
	if err == nil && to.Mod >= 0 {
		value, err = types.ApplyMod(value, to, false, &e.settings.Env)
	}
	return value, err
}

// asRow is a record as a row of a type.
func (e *plEngine) asRow(v interpret.Value, to types.T) (types.Value, error) {
	r := v.V.Record()
	if to.Def == nil || len(r.Values) != len(to.Def.Names) {
		n := 0
		if to.Def != nil {
			n = len(to.Def.Names)
		}
		return types.Null, sqlerr.New(sqlerr.DatatypeMismatch,
			"returned record type does not match expected record type").WithDetail(
			"Number of returned columns (%d) does not match expected column count (%d).", len(r.Values), n)
	}
	out := &types.RecordValue{Names: to.Def.Names, Types: to.Def.Types, Values: make([]types.Value, len(r.Values))}
	for i := range r.Values {
		var err error
		if out.Values[i], err = e.Convert(interpret.Value{V: r.Values[i], T: r.Types[i]}, to.Def.Types[i]); err != nil {
			return types.Null, err
		}
	}
	return types.NewRecord(out), nil
}
