package interpret

import (
	"strings"

	"zproxy/plpgsql"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Within adds to an error where it came up.
func Within(err error, where string) error {
	e := Caught(err)
	if e == nil {
		return err
	}
	c := *e
	if c.Query == "" {
		c.Position = 0
	}
	if c.Where != "" {
		where = c.Where + "\n" + where
	}
	c.Where = where
	return &c
}

func (f *frame) text(d *plpgsql.Dynamic, each func(Row) (bool, error)) (int64, error) {
	text, using, err := dynamic(f, d)
	if err != nil {
		return 0, err
	}
	return f.engine.Text(text, using, each)
}

// dynamic is the text of a statement, and the values of its parameters.
func dynamic(f *frame, d *plpgsql.Dynamic) (text string, using []Value, err error) {
	v, err := f.eval(d.Text)
	if err != nil {
		return "", nil, err
	}
	if v.V.IsNull() {
		return "", nil, sqlerr.New(sqlerr.NullValueNotAllowed, "query string argument of EXECUTE is null")
	}
	for _, u := range d.Using {
		arg, err := f.eval(u)
		if err != nil {
			return "", nil, err
		}
		using = append(using, arg)
	}
	return f.engine.Print(v), using, nil
}

// into keeps the first row of a statement for INTO.
type into struct {
	first Row
	rows  int64
	most  int64 // rows that are looked at
}

func (i *into) each(row Row) (bool, error) {
	if i.rows++; i.rows == 1 {
		i.first = Row{row.Names, row.Types, append(types.Row(nil), row.Values...)}
	}
	return i.rows < i.most, nil
}

func (f *frame) execute(s *plpgsql.Execute) error {
	i := into{most: 1 << 62}
	lower := strings.ToLower(s.SQL.Text)
	reads := strings.HasPrefix(lower, "select") || strings.HasPrefix(lower, "with")
	if s.Into != nil && reads {
		if i.most = 1; s.Strict {
			i.most = 2
		}
	}
	count, err := f.engine.Query(s.SQL, &f.Frame, i.each)
	if err != nil {
		return err
	}
	f.count = max(count, i.rows)
	f.found(f.count > 0)
	if s.Into == nil {
		if i.rows > 0 && !s.Perform || i.first.Names != nil && !s.Perform && reads {
			e := sqlerr.New(sqlerr.SyntaxError, "query has no destination for result data")
			if reads {
				e = e.WithHint("If you want to discard the results of a SELECT, use PERFORM instead.")
			}
			return e
		}
		return nil
	}
	return f.takeInto(s.Into, s.Strict || !reads && i.rows > 1, &i)
}

func (f *frame) takeInto(targets []plpgsql.Target, strict bool, i *into) error {
	if strict && i.rows == 0 {
		return sqlerr.New("P0002", "query returned no rows")
	}
	if strict && i.rows > 1 {
		return sqlerr.New("P0003", "query returned more than one row").
			WithHint("Make sure the query returns a single row, or use LIMIT 1.")
	}
	return f.assignRow(targets, i.first)
}

func (f *frame) executeText(s *plpgsql.ExecuteText) error {
	i := into{most: 1 << 62}
	count, err := f.text(s.Text, i.each)
	if err != nil {
		return err
	}
	f.count = max(count, i.rows)
	if s.Into == nil {
		return nil
	}
	return f.takeInto(s.Into, s.Strict, &i)
}

func (f *frame) raise(s *plpgsql.Raise) error {
	if s.Again {
		if len(f.caught) == 0 {
			return sqlerr.New("0Z002", "RAISE without parameters cannot be used outside an exception handler")
		}
		return located{f.caught[len(f.caught)-1], f} // it has its context from where it came up
	}
	e := &sqlerr.Error{Code: "P0001", Severity: strings.ToUpper(s.Level)}
	switch s.Level {
	case "exception":
		e.Severity = ""
	case "warning":
		e.Code = sqlerr.Warning
	case "notice", "info", "log", "debug":
		e.Code = sqlerr.SuccessfulCompletion
	}
	if s.Condition != "" {
		c, err := code(s.Condition)
		if err != nil {
			return err
		}
		e.Code, e.Message = c, strings.TrimPrefix(s.Condition, "%")
	}
	if s.Formatted {
		message, err := f.format(s)
		if err != nil {
			return err
		}
		e.Message = message
	}
	for _, o := range s.Options {
		if err := f.option(e, o); err != nil {
			return err
		}
	}
	if e.Message == "" {
		e.Message = string(e.Code)
	}
	if s.Level == "exception" {
		return e
	}
	where := s.Where()
	located := Within(e, "PL/pgSQL function "+f.Name+" line "+itoa(where.Line)+" at RAISE")
	return f.engine.Tell(located.(*sqlerr.Error))
}

// format puts the arguments of RAISE into its message.
func (f *frame) format(s *plpgsql.Raise) (string, error) {
	var b strings.Builder
	args := s.Args
	for i := 0; i < len(s.Message); i++ {
		if c := s.Message[i]; c != '%' {
			b.WriteByte(c)
			continue
		}
		if i+1 < len(s.Message) && s.Message[i+1] == '%' {
			b.WriteByte('%')
			i++
			continue
		}
		v, err := f.eval(args[0])
		if err != nil {
			return "", err
		}
		args = args[1:]
		if v.V.IsNull() {
			b.WriteString("<NULL>")
		} else {
			b.WriteString(f.engine.Print(v))
		}
	}
	return b.String(), nil
}

func (f *frame) option(e *sqlerr.Error, o plpgsql.RaiseOption) error {
	v, err := f.eval(o.Value)
	if err != nil {
		return err
	}
	if v.V.IsNull() {
		return sqlerr.New("22004", "RAISE statement option cannot be null")
	}
	text := f.engine.Print(v)
	switch o.Name {
	case "message":
		e.Message = text
	case "detail":
		e.Detail = text
	case "hint":
		e.Hint = text
	case "errcode":
		e.Code = sqlerr.Code(text)
		if len(text) != 5 || strings.ToUpper(text) != text {
			if e.Code, err = code(text); err != nil {
				return err
			}
		}
	case "column":
		e.Column = text
	case "constraint":
		e.Constraint = text
	case "table":
		e.Table = text
	case "schema":
		e.Schema = text
	case "datatype":
		e.DataType = text
	default:
		return sqlerr.New(sqlerr.SyntaxError, "unrecognized RAISE statement option at or near \"%s\"", o.Name)
	}
	return nil
}

func (f *frame) assert(s *plpgsql.Assert) error {
	if ok, err := f.isTrue(s.Condition); err != nil || ok {
		return err
	}
	message := "assertion failed"
	if s.Message != nil {
		v, err := f.eval(s.Message)
		if err != nil {
			return err
		}
		if !v.V.IsNull() {
			message = f.engine.Print(v)
		}
	}
	return sqlerr.New("P0004", "%s", message)
}

func (f *frame) diagnostics(s *plpgsql.Diagnostics) error {
	if s.Stacked && len(f.caught) == 0 {
		return sqlerr.New("0Z002", "GET STACKED DIAGNOSTICS cannot be used outside an exception handler")
	}
	for _, item := range s.Items {
		v := Value{types.NewText(""), types.Text}
		if !s.Stacked {
			switch item.Item {
			case "row_count":
				v = Value{types.NewInt(f.count), types.Int8}
			case "pg_context":
				v.V = types.NewText("PL/pgSQL function " + f.Name + " line " + itoa(s.Line) + " at GET DIAGNOSTICS")
			}
		} else {
			e := f.caught[len(f.caught)-1]
			text := map[string]string{"returned_sqlstate": string(e.Code), "message_text": e.Message,
				"pg_exception_detail": e.Detail, "pg_exception_hint": e.Hint, "pg_exception_context": e.Where,
				"column_name": e.Column, "constraint_name": e.Constraint, "pg_datatype_name": e.DataType,
				"table_name": e.Table, "schema_name": e.Schema}
			v.V = types.NewText(text[item.Item])
		}
		if err := f.assign(item.Target, v); err != nil {
			return err
		}
	}
	return nil
}
