package interpret

import (
	"slices"

	"zproxy/plpgsql"
	"zproxy/sqlerr"
	"zproxy/types"
)

// paths assigns values within the value of a variable.
type paths struct {
	*frame
	of *plpgsql.Var
}

// Subscripts are those of an element, or of a slice, of a value.
type Subscripts struct {
	At    []Bounds
	Slice bool
}

// Bounds are the values in one pair of brackets, without a type where there is none.
type Bounds struct{ Low, High Value }

// assign gives what a path leads to a value.
func (f paths) assign(path []plpgsql.Step, v Value) error {
	slot := f.of.Slot
	t := f.Types[slot]
	if t.OID == types.OIDRecord && t.Def == nil {
		return unassigned(f.of)
	}
	out, err := f.with(Value{f.Values[slot], t}, path, v)
	if err == nil {
		f.Values[slot] = out
	}
	return err
}

// with is a value with another one where a path leads to.
func (f paths) with(in Value, path []plpgsql.Step, v Value) (types.Value, error) {
	if len(path) == 0 {
		return f.engine.Convert(v, in.T)
	}
	if path[0].At == nil {
		return f.withField(in, path, v)
	}
	at, err := f.subscripts(path[0].At)
	if err == nil && len(path) > 1 {
		var inner Value
		if inner, err = f.engine.Element(in, at); err != nil {
			return types.Null, err
		}
		v.V, err = f.with(inner, path[1:], v)
		v.T = inner.T
	}
	if err != nil {
		return types.Null, err
	}
	return f.engine.WithElement(in, at, v)
}

// withField is a row with another value where a path leads to, which begins with a field.
func (f paths) withField(in Value, path []plpgsql.Step, v Value) (types.Value, error) {
	row := in.T.Def
	name := path[0].Field
	if !in.T.IsComposite() || row == nil {
		return types.Null, sqlerr.New(sqlerr.DatatypeMismatch, "cannot assign to field \"%s\" of column \"%s\" "+
			"because its type %s is not a composite type", name, f.of.Name, in.T.Bare())
	}
	at := slices.Index(row.Names, name)
	if at < 0 {
		return types.Null, sqlerr.New(sqlerr.UndefinedColumn, "record \"%s\" has no field \"%s\"", f.of.Name, name)
	}
	out := &types.RecordValue{Names: row.Names, Types: row.Types, Values: make([]types.Value, len(row.Names))}
	if !in.V.IsNull() {
		copy(out.Values, in.V.Record().Values)
	}
	var err error
	out.Values[at], err = f.with(Value{out.Values[at], row.Types[at]}, path[1:], v)
	return types.NewRecord(out), err
}

// subscripts evaluates those of a path.
func (f paths) subscripts(list []plpgsql.Subscript) (out Subscripts, err error) {
	for _, s := range list {
		out.Slice = out.Slice || s.Slice
	}
	for _, s := range list {
		var b Bounds
		if out.Slice && !s.Slice { // as far as the subscript
			b.Low = Value{types.NewInt(1), types.Int4}
		}
		if s.Low != nil {
			b.Low, err = f.eval(s.Low)
		}
		if err == nil && s.High != nil {
			b.High, err = f.eval(s.High)
		}
		if err != nil {
			return out, err
		}
		out.At = append(out.At, b)
	}
	return out, nil
}
