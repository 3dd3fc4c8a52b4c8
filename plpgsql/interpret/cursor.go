package interpret

import (
	"zproxy/plpgsql"
	"zproxy/sqlerr"
	"zproxy/types"
)

// cursors runs the statements about cursors.
type cursors struct{ *frame }

// name is the name of the cursor that a variable has, empty where it has none.
func (f cursors) name(v *plpgsql.Var) string {
	if f.Values[v.Slot].IsNull() {
		return ""
	}
	return f.Values[v.Slot].Text()
}

// named is the name of the cursor that a variable must have.
func (f cursors) named(v *plpgsql.Var) (string, error) {
	if f.Values[v.Slot].IsNull() {
		return "", sqlerr.New(sqlerr.NullValueNotAllowed, "cursor variable \"%s\" is null", v.Name)
	}
	return f.Values[v.Slot].Text(), nil
}

// begin opens the cursor of a variable, which then has its name.
func (f cursors) begin(v *plpgsql.Var, o Opening) error {
	name, err := f.engine.Open(f.name(v), o)
	if err == nil {
		f.set(v, types.NewText(name))
	}
	return err
}

// free refuses a variable whose cursor is open.
func (f cursors) free(v *plpgsql.Var) error {
	if name := f.name(v); name != "" && f.engine.IsOpen(name) {
		return sqlerr.New(sqlerr.DuplicateCursor, "cursor \"%s\" already in use", name)
	}
	return nil
}

func (f cursors) open(s *plpgsql.Open) error {
	if err := f.free(s.Cursor); err != nil {
		return err
	}
	switch {
	case s.Text != nil:
		text, using, err := dynamic(f.frame, s.Text)
		if err != nil {
			return err
		}
		return f.begin(s.Cursor, Opening{Text: text, Using: using, Scroll: s.Scroll})
	case s.Query != nil:
		return f.begin(s.Cursor, Opening{Query: s.Query, Frame: &f.Frame, Scroll: s.Scroll})
	}
	return f.bound(s.Cursor, s.Args)
}

// bound opens a bound cursor with values of its arguments.
func (f cursors) bound(v *plpgsql.Var, args []*plpgsql.SQL) error {
	values := make([]Value, len(args))
	for i, arg := range args {
		var err error
		if values[i], err = f.eval(arg); err != nil {
			return err
		}
	}
	for i, to := range v.Cursor.Args {
		if err := f.assign(plpgsql.Target{Var: to}, values[i]); err != nil {
			return err
		}
	}
	return f.begin(v, Opening{Query: v.Cursor.Query, Frame: &f.Frame, Scroll: v.Cursor.Scroll})
}

func (f cursors) fetch(s *plpgsql.Fetch) error {
	name, err := f.named(s.Cursor)
	if err != nil {
		return err
	}
	if !f.engine.IsOpen(name) {
		return sqlerr.New(sqlerr.InvalidCursorName, "cursor \"%s\" does not exist", name)
	}
	to := Position{s.Direction, s.Number, s.Into == nil}
	if s.Count != nil {
		if to.Number, err = f.number(s.Count); err != nil {
			return err
		}
	}
	var row types.Row
	shape, n, err := f.engine.Fetch(name, to, func(r Row) (bool, error) {
		if row == nil {
			row = append(types.Row{}, r.Values...)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	if s.Into != nil {
		shape.Values = row
		if err := f.assignRow(s.Into, shape); err != nil {
			return err
		}
	}
	f.count = n
	f.found(n > 0)
	return nil
}

// number is how many rows FETCH is about.
func (f cursors) number(e *plpgsql.SQL) (int64, error) {
	v, err := f.eval(e)
	if err != nil {
		return 0, err
	}
	if v.V.IsNull() {
		return 0, sqlerr.New(sqlerr.NullValueNotAllowed, "relative or absolute cursor position is null")
	}
	out, err := f.engine.Convert(v, types.Int4)
	if err != nil {
		return 0, err
	}
	return out.Int(), nil
}

func (f cursors) close(s *plpgsql.Close) error {
	name, err := f.named(s.Cursor)
	if err != nil {
		return err
	}
	return f.engine.Close(name)
}

// loop runs FOR over a cursor, which is open as long as the loop runs.
func (f cursors) loop(s *plpgsql.ForCursor) (out flow, err error) {
	if err := f.free(s.Cursor); err != nil {
		return next, err
	}
	unnamed := f.Values[s.Cursor.Slot].IsNull()
	if err := f.bound(s.Cursor, s.Args); err != nil {
		return next, err
	}
	name, into := f.name(s.Cursor), []plpgsql.Target{{Var: s.Var}}
	found, ahead := false, Position{Direction: plpgsql.Forward, Number: 1}
	for on := true; on; {
		got := false
		shape, _, err := f.engine.Fetch(name, ahead, func(r Row) (bool, error) {
			got, found = true, true
			return true, f.assignRow(into, r)
		})
		if err != nil {
			return next, err
		}
		if !got {
			if !found {
				err = f.assignRow(into, shape)
			}
			if err != nil {
				return next, err
			}
			break
		}
		body, err := f.statements(s.Body)
		if err != nil {
			return next, err
		}
		on, out = f.again(s.Label, body)
	}
	if err := f.engine.Close(name); err != nil {
		return next, err
	}
	if unnamed {
		f.set(s.Cursor, types.Null)
	}
	f.found(found)
	return out, nil
}
