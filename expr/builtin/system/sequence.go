package system

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
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
var sequenceFunctions = []*expr.Function{
	{Name: "nextval", Args: pg.Sig{pg.Regclass}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Next number of a sequence.", Fn1: nextval},
	{Name: "currval", Args: pg.Sig{pg.Regclass}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Number that the session was given last by a sequence.", Fn1: currval},
	{Name: "lastval", Args: pg.Sig{}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Number that the session was given last by any sequence.", Fn0: lastval},
	{Name: "setval", Args: pg.Sig{pg.Regclass, pg.Int8}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Makes a sequence go on behind a number.", Fn2: setval},
	{Name: "setval", Args: pg.Sig{pg.Regclass, pg.Int8, pg.Boolean}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Makes a sequence go on behind a number, or if the last argument is false with it.", FnN: setvalCalled},
	{Name: "pg_sequence_last_value", Args: pg.Sig{pg.Regclass}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Number that a sequence gave last, NULL when it gave none.", Fn1: sequenceLastValue},
	{Name: "pg_get_serial_sequence", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Name of the sequence that a table's column owns.", Fn2: serialSequence},
}

// SequenceRow is the function whose only row is that of a sequence in FROM.
var SequenceRow = &expr.Function{
	Name: "sequence", Args: pg.Sig{pg.Regclass}, Result: types.OIDRecord, Volatility: expr.Volatile,
	Out: []expr.OutColumn{{Name: "last_value", Type: pg.Int8}, {Name: "log_cnt", Type: pg.Int8},
		{Name: "is_called", Type: pg.Boolean}},
	Rows: func(c *expr.Context, args []types.Value) expr.Set {
		return func(yield func(types.Row, error) bool) {
			n, called, err := sequenceState(c, args[0])
			yield(types.Row{types.NewInt(n), types.NewInt(0), types.NewBool(called)}, err)
		}
	},
}

func sequenceState(c *expr.Context, sequence types.Value) (int64, bool, error) {
	s, err := sequences(c)
	if err != nil {
		return 0, false, err
	}
	return s.State(uint32(sequence.Int()))
}

func sequenceLastValue(c *expr.Context, a types.Value) (types.Value, error) {
	n, called, err := sequenceState(c, a)
	if err != nil || !called {
		return types.Null, err
	}
	return types.NewInt(n), nil
}

func sequences(c *expr.Context) (Sequences, error) {
	if hostOf(c).Sequences == nil {
		return nil, sqlerr.Unsupported("a sequence here")
	}
	return hostOf(c).Sequences, nil
}

func number(n int64, err error) (types.Value, error) { return types.NewInt(n), err }

func nextval(c *expr.Context, a types.Value) (types.Value, error) {
	s, err := sequences(c)
	if err != nil {
		return types.Null, err
	}
	return number(s.Next(uint32(a.Int()), false))
}

// NextIdentity is nextval for an identity column.
var NextIdentity = &expr.Function{Name: "nextval", Args: pg.Sig{pg.Regclass}, Result: pg.Int8,
	Volatility: expr.Volatile, Fn1: nextIdentity}

func nextIdentity(c *expr.Context, a types.Value) (types.Value, error) {
	s, err := sequences(c)
	if err != nil {
		return types.Null, err
	}
	return number(s.Next(uint32(a.Int()), true))
}

func currval(c *expr.Context, a types.Value) (types.Value, error) {
	s, err := sequences(c)
	if err != nil {
		return types.Null, err
	}
	return number(s.Current(uint32(a.Int())))
}

func lastval(c *expr.Context) (types.Value, error) {
	s, err := sequences(c)
	if err != nil {
		return types.Null, err
	}
	return number(s.Last())
}

func setval(c *expr.Context, a, n types.Value) (types.Value, error) {
	return setvalCalled(c, []types.Value{a, n, types.NewBool(true)})
}

func setvalCalled(c *expr.Context, args []types.Value) (types.Value, error) {
	s, err := sequences(c)
	if err != nil {
		return types.Null, err
	}
	return args[1], s.Set(uint32(args[0].Int()), args[1].Int(), args[2].Bool())
}

// serialSequence gives the name as PostgreSQL does, always with its schema.
func serialSequence(c *expr.Context, table, column types.Value) (types.Value, error) {
	s, err := sequences(c)
	if err != nil {
		return types.Null, err
	}
	name, err := s.Serial(table.Text(), column.Text())
	if err != nil || name == "" {
		return types.Null, err
	}
	return types.NewText(name), nil
}
