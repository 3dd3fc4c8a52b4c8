// Package interpret runs functions in PL/pgSQL: it walks the tree of package plpgsql with the values of its
// variables. What SQL there is in it is planned and run by an Engine, which the session is. Read Engine and Call
// first, then frame.
package interpret

import (
	"fmt"
	"slices"

	"zproxy/plpgsql"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Engine runs the SQL of a function, and has its cursors.
type Engine interface {
	Statements
	Values
	Cursors
}

// Values converts values, and changes them in part.
type Values interface {
	// Convert makes a value of another type, as an assignment does.
	Convert(v Value, to types.T) (types.Value, error)
	// Print is a value as a text.
	Print(v Value) string
	// Element is what a value has at subscripts.
	Element(in Value, at Subscripts) (Value, error)
	// WithElement is a value with another one at subscripts.
	WithElement(in Value, at Subscripts, v Value) (types.Value, error)
}

// Statements runs SQL.
type Statements interface {
	// Query runs an expression or a statement, whose names may be variables of the frame, and counts rows.
	Query(q *plpgsql.SQL, f *Frame, each func(Row) (bool, error)) (int64, error)
	// Text runs a statement of a text with the values of its parameters.
	Text(text string, using []Value, each func(Row) (bool, error)) (int64, error)
	// Undo runs something whose effects are undone if it fails.
	Undo(do func() error) error
	// End ends the transaction, if the call may do that, and begins the next one.
	End(s *plpgsql.End) error
	// Tell tells the client, or ends when the statement must.
	Tell(n *sqlerr.Error) error
}

// Cursors are the cursors of a session, by their names.
type Cursors interface {
	// Open opens one; without a name it makes a name for it, which it gives.
	Open(name string, o Opening) (string, error)
	// IsOpen says whether there is one of a name.
	IsOpen(name string) bool
	// Fetch goes somewhere from the present row, gives the rows there, and counts them. The row without values
	// has their names and types. It fails if there is no cursor of the name.
	Fetch(name string, to Position, each func(Row) (bool, error)) (Row, int64, error)
	// Close closes one; it fails if there is none of the name, or if a loop reads it.
	Close(name string) error
	// Leave closes one that a loop has read.
	Leave(name string)
}

// Opening is what a cursor is opened for: a query in a frame, or a text with the values of its parameters.
type Opening struct {
	Query  *plpgsql.SQL
	Frame  *Frame
	Text   string
	Using  []Value
	Scroll plpgsql.Scroll
	Loop   bool // a loop reads it, in which the transaction may end
	Hidden bool // no statement names it
}

// Position is where a cursor is to go.
type Position struct {
	Direction plpgsql.Direction
	Number    int64
	Move      bool // nothing is read
}

// Value is a value with its type.
type Value struct {
	V types.Value
	T types.T
}

// Row is a row of a query.
type Row struct {
	Names  []string
	Types  []types.T
	Values types.Row
}

// Frame is the values of the variables of a call, by their slots.
type Frame struct {
	Values []types.Value
	Types  []types.T // of a record that of its present row
}

// Call is a call of a function.
type Call struct {
	Function *plpgsql.Function
	Name     string    // with the types of its arguments, for errors
	Declared []types.T // the types of the variables, by their slots
	Args     []types.Value
	Inputs   []int // the slots of Args
	Outputs  []int // the slots of what is returned by parameters; nil: nothing is
	Result   types.T
	Row      *types.Definition // of the rows of the result; nil: it is one value
	Set      bool
	Void     bool
	Emit     func(types.Row) (bool, error)
	// Known are the values of variables of a trigger function, by their names, and Take takes what that returns.
	Known map[string]Value
	Take  func(Value) error
}

// flow is what a statement makes of those behind it.
type flow uint8

const (
	next flow = iota
	exits
	continues
	returns
)

// frame runs one call.
type frame struct {
	Frame
	*Call
	engine Engine
	label  string // that EXIT or CONTINUE goes to; empty: the innermost loop
	count  int64  // of rows of the last statement
	caught []*sqlerr.Error
	value  Value // of RETURN
	done   bool  // no more rows are wanted
}

// Run runs a call.
func Run(e Engine, c *Call) error {
	f := &frame{Call: c, engine: e}
	f.Values, f.Types = make([]types.Value, len(c.Declared)), slices.Clone(c.Declared)
	for i, slot := range c.Inputs {
		f.Values[slot] = c.Args[i]
	}
	for name, v := range c.Known {
		slot := f.Function.Scope.Vars[name].Slot
		if f.Values[slot] = v.V; v.T.Def != nil {
			f.Types[slot] = v.T
		}
	}
	f.set(f.Function.Scope.Vars["found"], types.NewBool(false))
	flow, err := f.block(f.Function.Body)
	if err != nil || f.done {
		return err
	}
	if flow != returns && c.Take != nil {
		return f.within(sqlerr.New("2F005", "control reached end of trigger procedure without RETURN"), "")
	}
	if flow != returns && !c.Void && !c.Set && c.Outputs == nil {
		return f.within(sqlerr.New("2F005", "control reached end of function without RETURN"), "")
	}
	return f.finish()
}

// finish gives the result of a function that returns no set.
func (f *frame) finish() error {
	switch {
	case f.Take != nil:
		if err := f.Take(f.value); err != nil {
			return f.within(err, "during function exit")
		}
		return nil
	case f.Set:
		return nil
	case f.Outputs != nil:
		_, err := f.Emit(f.outputs())
		return err
	case f.Void:
		_, err := f.Emit(types.Row{types.NewText("")})
		return err
	}
	v, err := f.engine.Convert(f.value, f.Result)
	if err != nil {
		return f.within(err, "while casting return value to function's return type")
	}
	_, err = f.Emit(types.Row{v})
	return err
}

// outputs are the values of the parameters that are returned.
func (f *frame) outputs() types.Row {
	row := make(types.Row, len(f.Outputs))
	for i, slot := range f.Outputs {
		row[i] = f.Values[slot]
	}
	return row
}

func (f *frame) set(v *plpgsql.Var, value types.Value) { f.Values[v.Slot] = value }

// within adds to an error where in the function it came up.
func (f *frame) within(err error, where string) error {
	line := "PL/pgSQL function " + f.Name
	if where != "" {
		line += " " + where
	}
	return Within(err, line)
}

func (f *frame) block(b *plpgsql.Block) (flow, error) {
	if b.Handlers == nil {
		return f.body(b)
	}
	var out flow
	err := f.engine.Undo(func() (err error) {
		out, err = f.body(b)
		return err
	})
	if err == nil {
		return out, nil
	}
	e := Caught(err)
	if e == nil {
		return next, err
	}
	for i := range b.Handlers {
		h := &b.Handlers[i]
		ok, failed := catches(h, e.Code)
		if failed != nil {
			return next, f.within(failed, "")
		}
		if !ok {
			continue
		}
		f.set(b.State, types.NewText(string(e.Code)))
		f.set(b.Message, types.NewText(e.Message))
		f.caught = append(f.caught, e)
		flow, err := f.statements(h.Body)
		f.caught = f.caught[:len(f.caught)-1]
		return f.leaves(b.Label, flow), err
	}
	return next, err
}

// leaves is the flow behind a block with a label, which EXIT may have named.
func (f *frame) leaves(label string, out flow) flow {
	if out == exits && label != "" && f.label == label {
		f.label = ""
		return next
	}
	return out
}

func (f *frame) body(b *plpgsql.Block) (flow, error) {
	for _, v := range b.Vars {
		value := types.Null
		f.Types[v.Slot] = f.Declared[v.Slot]
		f.Values[v.Slot] = types.Null
		if v.Default != nil {
			got, err := f.eval(v.Default)
			if err == nil {
				err = f.assign(plpgsql.Target{Var: v}, got)
			}
			if err != nil {
				return next, f.within(err, fmt.Sprintf("line %d during statement block local variable initialization", v.Line))
			}
			value = f.Values[v.Slot]
		}
		if v.NotNull && value.IsNull() {
			return next, f.within(sqlerr.New("22004", "null value cannot be assigned to variable \"%s\" declared NOT NULL",
				v.Name), fmt.Sprintf("line %d during statement block local variable initialization", v.Line))
		}
	}
	out, err := f.statements(b.Body)
	return f.leaves(b.Label, out), err
}

func (f *frame) statements(list []plpgsql.Statement) (flow, error) {
	for _, s := range list {
		out, err := f.statement(s)
		if err != nil {
			return next, err
		}
		if out != next || f.done {
			return out, nil
		}
	}
	return next, nil
}

// located is an error that has been told where it came up in this call.
type located struct {
	error
	in *frame
}

func (l located) Unwrap() error { return l.error }

func (f *frame) statement(s plpgsql.Statement) (flow, error) {
	if b, ok := s.(*plpgsql.Block); ok {
		return f.block(b)
	}
	if err := f.engine.Tell(nil); err != nil {
		return next, err
	}
	out, err := f.run(s)
	if err == nil {
		return out, nil
	}
	if l, ok := err.(located); ok && l.in == f {
		return next, err
	}
	at := s.Where()
	return next, located{f.within(err, fmt.Sprintf("line %d at %s", at.Line, at.Kind)), f}
}

func (f *frame) run(s plpgsql.Statement) (flow, error) {
	switch s := s.(type) {
	case *plpgsql.Assign:
		v, err := f.eval(s.Value)
		if err == nil {
			err = f.assign(s.Target, v)
		}
		return next, err
	case *plpgsql.If:
		for _, b := range s.Branches {
			if ok, err := f.isTrue(b.Conditions[0]); err != nil {
				return next, err
			} else if ok {
				return f.statements(b.Body)
			}
		}
		return f.statements(s.Else)
	case *plpgsql.Case:
		return f.caseOf(s)
	case *plpgsql.Execute:
		return next, f.execute(s)
	case *plpgsql.ExecuteText:
		return next, f.executeText(s)
	case *plpgsql.Raise:
		return next, f.raise(s)
	case *plpgsql.Assert:
		return next, f.assert(s)
	case *plpgsql.Diagnostics:
		return next, f.diagnostics(s)
	case *plpgsql.Exit:
		return f.exit(s)
	case *plpgsql.End:
		return next, f.engine.End(s)
	case *plpgsql.Null:
		return next, nil
	}
	return f.loopOrReturn(s)
}

func (f *frame) loopOrReturn(s plpgsql.Statement) (flow, error) {
	switch s := s.(type) {
	case *plpgsql.Loop:
		return f.loop(s)
	case *plpgsql.ForRange:
		return f.forRange(s)
	case *plpgsql.ForQuery:
		return f.forQuery(s)
	case *plpgsql.ForEach:
		return f.forEach(s)
	case *plpgsql.Return:
		return f.returnValue(s)
	case *plpgsql.ReturnNext:
		return next, f.returnNext(s)
	case *plpgsql.ReturnQuery:
		return next, f.returnQuery(s)
	case *plpgsql.Open:
		return next, cursors{f}.open(s)
	case *plpgsql.Fetch:
		return next, cursors{f}.fetch(s)
	case *plpgsql.Close:
		return next, cursors{f}.close(s)
	case *plpgsql.ForCursor:
		return cursors{f}.loop(s)
	}
	return next, fmt.Errorf("%T is no statement", s)
}

func (f *frame) exit(s *plpgsql.Exit) (flow, error) {
	if s.When != nil {
		if ok, err := f.isTrue(s.When); err != nil || !ok {
			return next, err
		}
	}
	f.label = s.Label
	if s.Continue {
		return continues, nil
	}
	return exits, nil
}

func (f *frame) caseOf(s *plpgsql.Case) (flow, error) {
	for _, b := range s.Branches {
		for _, c := range b.Conditions {
			ok, err := f.isTrue(c)
			if err != nil {
				return next, err
			}
			if ok {
				return f.statements(b.Body)
			}
		}
	}
	if !s.HasElse {
		return next, sqlerr.New("20000", "case not found").WithHint("CASE statement is missing ELSE part.")
	}
	return f.statements(s.Else)
}
