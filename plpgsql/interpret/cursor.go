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
	return f.bound(s.Cursor, s.Args, false)
}

// bound opens a bound cursor with values of its arguments, perhaps for a loop.
func (f cursors) bound(v *plpgsql.Var, args []*plpgsql.SQL, loop bool) error {
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
	return f.begin(v, Opening{Query: v.Cursor.Query, Frame: &f.Frame, Scroll: v.Cursor.Scroll, Loop: loop})
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
func (f cursors) loop(s *plpgsql.ForCursor) (flow, error) {
	if err := f.free(s.Cursor); err != nil {
		return next, err
	}
	unnamed := f.Values[s.Cursor.Slot].IsNull()
	if err := f.bound(s.Cursor, s.Args, true); err != nil {
		return next, err
	}
	// The body may move the cursor, so no rows are read ahead.
	out, err := f.each(reading{f.name(s.Cursor), []plpgsql.Target{{Var: s.Var}}, s.Label, s.Body, 1})
	if err == nil && unnamed {
		f.set(s.Cursor, types.Null)
	}
	return out, err
}

// reading is a loop over the rows of a cursor.
type reading struct {
	cursor string
	into   []plpgsql.Target
	label  string
	body   []plpgsql.Statement
	ahead  int64 // rows that are read at once
}

// rowsAhead is how many rows of a query a loop reads at once, as in PostgreSQL.
const rowsAhead = 50

// each runs a loop over the rows of a cursor, and closes that.
func (f cursors) each(l reading) (out flow, err error) {
	defer f.engine.Leave(l.cursor)
	found, ahead := false, Position{Direction: plpgsql.Forward, Number: l.ahead}
	var rows []Row
	for on := true; on; {
		rows = rows[:0]
		shape, _, err := f.engine.Fetch(l.cursor, ahead, func(r Row) (bool, error) {
			rows = append(rows, r)
			return true, nil
		})
		if err != nil {
			return next, err
		}
		if len(rows) == 0 {
			if !found {
				err = f.assignRow(l.into, shape)
			}
			if err != nil {
				return next, err
			}
			break
		}
		found = true
		for i := 0; i < len(rows) && on; i++ {
			if err := f.assignRow(l.into, rows[i]); err != nil {
				return next, err
			}
			body, err := f.statements(l.body)
			if err != nil {
				return next, err
			}
			on, out = f.again(l.label, body)
		}
	}
	f.found(found)
	return out, nil
}
