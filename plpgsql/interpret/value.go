package interpret

import (
	"slices"

	"zproxy/plpgsql"
	"zproxy/sqlerr"
	"zproxy/types"
)

// eval computes an expression, which must give one value.
func (f *frame) eval(e *plpgsql.SQL) (out Value, err error) {
	rows := 0
	_, err = f.engine.Query(e, &f.Frame, func(row Row) (bool, error) {
		if rows++; rows > 1 {
			return false, sqlerr.New(sqlerr.CardinalityViolation, "query returned more than one row")
		}
		if len(row.Values) != 1 {
			return false, sqlerr.New(sqlerr.SyntaxError, "query returned %d columns", len(row.Values))
		}
		out = Value{row.Values[0], row.Types[0]}
		return true, nil
	})
	return out, err
}

func (f *frame) isTrue(e *plpgsql.SQL) (bool, error) {
	v, err := f.eval(e)
	if err != nil || v.V.IsNull() {
		return false, err
	}
	b, err := f.engine.Convert(v, types.Bool)
	return err == nil && b.IsTrue(), err
}

// assign gives a variable, or what a path in it leads to, a value.
func (f *frame) assign(t plpgsql.Target, v Value) error {
	slot := t.Var.Slot
	switch {
	case t.Path != nil:
		return paths{f, t.Var}.assign(t.Path, v)
	case f.Declared[slot].OID == types.OIDRecord:
		if v.V.IsNull() {
			f.Values[slot] = types.Null
			return nil
		}
		if !v.T.IsComposite() {
			return sqlerr.New(sqlerr.DatatypeMismatch, "cannot assign non-composite value to a record variable")
		}
		r := v.V.Record()
		f.Types[slot].Def = &types.Definition{Names: r.Names, Types: r.Types}
		f.Values[slot] = v.V
		return nil
	}
	out, err := f.engine.Convert(v, f.Types[slot])
	if err != nil {
		return err
	}
	if t.Var.NotNull && out.IsNull() {
		return sqlerr.New("22004", "null value cannot be assigned to variable \"%s\" declared NOT NULL", t.Var.Name)
	}
	f.Values[slot] = out
	return nil
}

func unassigned(v *plpgsql.Var) error {
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "record \"%s\" is not assigned yet", v.Name).
		WithDetail("The tuple structure of a not-yet-assigned record is indeterminate.")
}

// assignRow gives variables the columns of a row, or NULL where there is none. One record takes all.
func (f *frame) assignRow(into []plpgsql.Target, row Row) error {
	if len(into) == 1 && into[0].Path == nil && f.Types[into[0].Var.Slot].IsComposite() {
		slot := into[0].Var.Slot
		if f.Declared[slot].OID != types.OIDRecord {
			return f.assignComposite(into[0], row)
		}
		if row.Names == nil {
			f.Values[slot] = types.Null
			return nil
		}
		if row.Values == nil {
			row.Values = make(types.Row, len(row.Names))
		}
		f.Types[slot].Def = &types.Definition{Names: row.Names, Types: row.Types}
		f.Values[slot] = types.NewRecord(&types.RecordValue{Names: row.Names, Types: row.Types,
			Values: slices.Clone(row.Values)})
		return nil
	}
	for i, t := range into {
		v := Value{types.Null, types.Unknown}
		if i < len(row.Values) {
			v = Value{row.Values[i], row.Types[i]}
		}
		if err := f.assign(t, v); err != nil {
			return err
		}
	}
	return nil
}

// assignComposite gives a variable of a row type the columns of a row, in their order.
func (f *frame) assignComposite(t plpgsql.Target, row Row) error {
	slot := t.Var.Slot
	if row.Values == nil {
		f.Values[slot] = types.Null
		return nil
	}
	if len(row.Values) == 1 && row.Types[0].OID == f.Types[slot].OID {
		f.Values[slot] = row.Values[0]
		return nil
	}
	of := f.Types[slot].Def
	record := &types.RecordValue{Names: of.Names, Types: of.Types, Values: make([]types.Value, len(of.Names))}
	for i := range of.Names {
		if i >= len(row.Values) {
			break
		}
		var err error
		if record.Values[i], err = f.engine.Convert(Value{row.Values[i], row.Types[i]}, of.Types[i]); err != nil {
			return err
		}
	}
	f.Values[slot] = types.NewRecord(record)
	return nil
}
