package interpret

import (
	"errors"
	"strconv"

	"zproxy/plpgsql"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Caught is an error that a handler may catch, nil for one that ends the statement whatever it does.
func Caught(err error) *sqlerr.Error {
	var e *sqlerr.Error
	if errors.Is(err, store.ErrConflict) || !errors.As(err, &e) {
		return nil
	}
	return sqlerr.From(err)
}

func (f *frame) returnValue(s *plpgsql.Return) (flow, error) {
	if s.Value == nil {
		if !f.Void && f.Outputs == nil && !f.Set {
			return next, sqlerr.New(sqlerr.SyntaxError, "missing expression at or near \";\"")
		}
		return returns, nil
	}
	switch {
	case f.Set:
		return next, sqlerr.New(sqlerr.DatatypeMismatch, "RETURN cannot have a parameter in function returning set").
			WithHint("Use RETURN NEXT or RETURN QUERY.")
	case f.Void:
		return next, sqlerr.New(sqlerr.DatatypeMismatch, "RETURN cannot have a parameter in function returning void")
	case f.Outputs != nil:
		return next, sqlerr.New(sqlerr.DatatypeMismatch, "RETURN cannot have a parameter in function with OUT parameters")
	}
	var err error
	f.value, err = f.eval(s.Value)
	return returns, err
}

// emit gives a row of a set.
func (f *frame) emit(row types.Row) error {
	more, err := f.Emit(row)
	f.done = err == nil && !more
	return err
}

func (f *frame) returnNext(s *plpgsql.ReturnNext) error {
	if !f.Set {
		return sqlerr.New(sqlerr.DatatypeMismatch, "cannot use RETURN NEXT in a non-SETOF function")
	}
	if s.Value == nil {
		return f.emit(f.outputs())
	}
	v, err := f.eval(s.Value)
	if err != nil {
		return err
	}
	if f.Row != nil && f.Outputs != nil && v.T.IsComposite() && !v.V.IsNull() {
		return f.emit(append(types.Row(nil), v.V.Record().Values...))
	}
	out, err := f.engine.Convert(v, f.Result)
	if err != nil {
		return err
	}
	return f.emit(types.Row{out})
}

func (f *frame) returnQuery(s *plpgsql.ReturnQuery) error {
	if !f.Set {
		return sqlerr.New(sqlerr.DatatypeMismatch, "cannot use RETURN QUERY in a non-SETOF function")
	}
	rows := int64(0)
	each := func(row Row) (bool, error) {
		rows++
		out, err := f.asResult(row)
		if err == nil {
			err = f.emit(out)
		}
		return !f.done, err
	}
	var err error
	if s.Text != nil {
		_, err = f.text(s.Text, each)
	} else {
		_, err = f.engine.Query(s.Query, &f.Frame, each)
	}
	f.count = rows
	f.found(rows > 0)
	return err
}

// asResult is a row of a query as the function returns it.
func (f *frame) asResult(row Row) (types.Row, error) {
	want := []types.T{f.Result}
	if f.Row != nil {
		want = f.Row.Types
	}
	wrong := func(detail string, args ...any) error {
		return sqlerr.New(sqlerr.DatatypeMismatch, "structure of query does not match function result type").
			WithDetail(detail, args...)
	}
	if len(row.Values) != len(want) {
		return nil, wrong("Number of returned columns (%d) does not match expected column count (%d).", len(row.Values),
			len(want))
	}
	for i, t := range row.Types {
		if t.OID != want[i].OID && t.OID != types.OIDUnknown && want[i].OID != types.OIDRecord {
			return nil, wrong("Returned type %s does not match expected type %s in column %d.", t.Bare(), want[i].Bare(), i+1)
		}
	}
	if f.Row == nil || f.Outputs != nil {
		return row.Values, nil
	}
	return types.Row{types.NewRecord(&types.RecordValue{Names: f.Row.Names, Types: f.Row.Types,
		Values: append([]types.Value(nil), row.Values...)})}, nil
}
