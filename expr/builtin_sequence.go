package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
)

// Sequences gives out the numbers of sequences, which are named by their OIDs.
type Sequences interface {
	// Next is a number that no caller was given before. Who may write to an identity column may
	// take the numbers of its own sequence.
	Next(sequence uint32, own bool) (int64, error)
	// Current is the number that the session was given last by a sequence.
	Current(sequence uint32) (int64, error)
	// Last is the number that the session was given last.
	Last() (int64, error)
	// Set makes a sequence go on behind a number, or with it when it is not called.
	Set(sequence uint32, n int64, called bool) error
	// State is the number that a sequence gave last, or gives first when it is not called.
	State(sequence uint32) (n int64, called bool, err error)
	// Serial is the whole name of the sequence that a column of a table owns, empty when
	// there is none.
	Serial(table, column string) (string, error)
}

// sequenceFunctions read and move sequences.
var sequenceFunctions = []*Function{
	{Name: "nextval", Args: sig{regclass}, Result: int8, Volatility: Volatile, Doc: "Next number of a sequence.", Fn1: nextval},
	{Name: "currval", Args: sig{regclass}, Result: int8, Volatility: Volatile, Doc: "Number that the session was given last by a sequence.", Fn1: currval},
	{Name: "lastval", Args: sig{}, Result: int8, Volatility: Volatile, Doc: "Number that the session was given last by any sequence.", Fn0: lastval},
	{Name: "setval", Args: sig{regclass, int8}, Result: int8, Volatility: Volatile, Doc: "Makes a sequence go on behind a number.", Fn2: setval},
	{Name: "setval", Args: sig{regclass, int8, boolean}, Result: int8, Volatility: Volatile, Doc: "Makes a sequence go on behind a number, or if the last argument is false with it.", FnN: setvalCalled},
	{Name: "pg_sequence_last_value", Args: sig{regclass}, Result: int8, Volatility: Volatile, Doc: "Number that a sequence gave last, NULL when it gave none.", Fn1: sequenceLastValue},
	{Name: "pg_get_serial_sequence", Args: sig{text, text}, Result: text, Volatility: Stable, Doc: "Name of the sequence that a table's column owns.", Fn2: serialSequence},
}

// SequenceRow is the function whose only row is that of a sequence in FROM.
var SequenceRow = &Function{
	Name: "sequence", Args: sig{regclass}, Result: types.OIDRecord, Volatility: Volatile,
	Out: []OutColumn{{"last_value", int8}, {"log_cnt", int8}, {"is_called", boolean}},
	Rows: func(c *Context, args []types.Value) Set {
		return func(yield func(types.Row, error) bool) {
			n, called, err := sequenceState(c, args[0])
			yield(types.Row{types.NewInt(n), types.NewInt(0), types.NewBool(called)}, err)
		}
	},
}

func sequenceState(c *Context, sequence types.Value) (int64, bool, error) {
	s, err := c.sequences()
	if err != nil {
		return 0, false, err
	}
	return s.State(uint32(sequence.Int()))
}

func sequenceLastValue(c *Context, a types.Value) (types.Value, error) {
	n, called, err := sequenceState(c, a)
	if err != nil || !called {
		return types.Null, err
	}
	return types.NewInt(n), nil
}

func (c *Context) sequences() (Sequences, error) {
	if hostOf(c).Sequences == nil {
		return nil, sqlerr.Unsupported("a sequence here")
	}
	return hostOf(c).Sequences, nil
}

func number(n int64, err error) (types.Value, error) { return types.NewInt(n), err }

func nextval(c *Context, a types.Value) (types.Value, error) {
	s, err := c.sequences()
	if err != nil {
		return types.Null, err
	}
	return number(s.Next(uint32(a.Int()), false))
}

// NextIdentity is nextval for an identity column.
var NextIdentity = &Function{Name: "nextval", Args: sig{regclass}, Result: int8, Volatility: Volatile, Fn1: nextIdentity}

func nextIdentity(c *Context, a types.Value) (types.Value, error) {
	s, err := c.sequences()
	if err != nil {
		return types.Null, err
	}
	return number(s.Next(uint32(a.Int()), true))
}

func currval(c *Context, a types.Value) (types.Value, error) {
	s, err := c.sequences()
	if err != nil {
		return types.Null, err
	}
	return number(s.Current(uint32(a.Int())))
}

func lastval(c *Context) (types.Value, error) {
	s, err := c.sequences()
	if err != nil {
		return types.Null, err
	}
	return number(s.Last())
}

func setval(c *Context, a, n types.Value) (types.Value, error) {
	return setvalCalled(c, []types.Value{a, n, types.NewBool(true)})
}

func setvalCalled(c *Context, args []types.Value) (types.Value, error) {
	s, err := c.sequences()
	if err != nil {
		return types.Null, err
	}
	return args[1], s.Set(uint32(args[0].Int()), args[1].Int(), args[2].Bool())
}

// serialSequence gives the name as PostgreSQL does, always with its schema.
func serialSequence(c *Context, table, column types.Value) (types.Value, error) {
	s, err := c.sequences()
	if err != nil {
		return types.Null, err
	}
	name, err := s.Serial(table.Text(), column.Text())
	if err != nil || name == "" {
		return types.Null, err
	}
	return types.NewText(name), nil
}
