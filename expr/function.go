package expr

import (
	"iter"

	"zproxy/types"
)

// Function is one overload of a function or an operator. The table of all of them is
// the one source for calls, operators, documentation and, later, pg_proc. Arguments and
// results may be of the polymorphic pseudo-types, such as anyarray.
type Function struct {
	Name     string      // int4pl, lower
	Operator string      // +, || ; empty when it has no sign
	Args     []types.OID // for a Variadic function the last one may repeat
	Result   types.OID
	Doc      string // one sentence

	Schema      string   // empty: pg_catalog
	Params      []string // names for named notation, f(days => 1); nil when it has none
	Defaults    []string // what the last arguments are when they are left out: NULL, or as a literal of the type reads
	Variadic    bool
	AnyArgs     bool // arguments of any type come as the texts that they are printed as (concat, format), or that anyelement is cast to
	NoneForNull bool // takes VARIADIC NULL for no arguments
	NotStrict   bool // is called with NULLs, too; otherwise a NULL argument makes NULL
	Volatility  Volatility

	// One of these is set, by the number of arguments.
	Fn0 func(c *Context) (types.Value, error)
	Fn1 func(c *Context, a types.Value) (types.Value, error)
	Fn2 func(c *Context, a, b types.Value) (types.Value, error)
	FnN func(c *Context, args []types.Value) (types.Value, error)
	// Bind is set beside a strict Fn2 that makes a boolean where it pays to prepare it for
	// one second argument and many first ones of a run. The test keeps nothing of those.
	Bind func(c *Context, b types.Value) Test
	// Typed is set instead where the types of the arguments matter, too (pg_typeof).
	Typed func(c *Context, of []types.T, args []types.Value) (types.Value, error)

	// Rows is set, and none of the above, for a function that returns a set. Each row has
	// the columns of Out, or one of type Result when Out is nil.
	Rows func(c *Context, args []types.Value) Set
	Out  []OutColumn
	// Count is about how many rows such a function returns for arguments, none of which is NULL, or of a condition for
	// what share of the rows it is true, by its first argument; nil: that is not known without running it.
	Count func(args []types.Value) float64
	// RowsAs is set of a function that returns rows of a type which the call says: it makes Rows.
	RowsAs func(row *types.Definition) func(c *Context, args []types.Value) Set

	// Routine is what the function is to the context that runs it; nil: it is built in.
	Routine any
	// Via is the operator of the catalog that a call is written with, nil: with none.
	Via *Sign

	// Syntax says that SQL has syntax for it, and pg_proc has nothing.
	Syntax bool
	// OID is the number in pg_proc, 0 of what is not there. The tables give it only to what
	// PostgreSQL does not have, for ever: from 9500, where PostgreSQL has none.
	OID uint32
}

// Sign is an operator of the catalog, which stands for a function.
type Sign struct {
	OID   uint32
	Name  string
	Shell bool // others name the operator, and it stands for no function yet
}

// folds says whether calls with constants are computed when they are planned.
func (f *Function) folds() bool { return f.Volatility == Immutable && f.Routine == nil }

// Test says whether a function of a value that is not NULL is true.
type Test func(a types.Value) (bool, error)

// Set is what a set-returning function delivers. An error is the last thing that it
// yields; a row may be reused for the next one.
type Set = iter.Seq2[types.Row, error]

// SetOf is a set of single values.
func SetOf(items []types.Value) Set {
	return func(yield func(types.Row, error) bool) {
		for i := range items {
			if !yield(types.Row(items[i:i+1]), nil) {
				return
			}
		}
	}
}

// OutColumn is a column of the rows of a set-returning function.
type OutColumn struct {
	Name string
	Type types.OID
}

// OutType is the type of a column of the rows that a call returns. A polymorphic one is the
// type of the rows, or of the elements of the array that the call is given.
func (e Call) OutType(i int) types.T {
	if e.T.Def != nil {
		return e.T.Def.Types[i]
	}
	t := types.Of(e.Fn.Out[i].Type)
	if types.InfoOf(t.OID).Category != types.CategoryPseudo {
		return t
	}
	if e.Fn.Result == types.OIDRecord {
		if element, ok := types.ElementOf(e.Args[0].Type()); ok {
			return element
		}
	}
	return e.T
}

// As is a call of a function that returns rows as one that returns those of a type, field by
// field. One that makes rows of the type itself sees NULLs, too.
func (e Call) As(row *types.Definition) Call {
	fn := *e.Fn
	if fn.RowsAs == nil {
		fn.Rows = fieldsOf(fn.Rows, len(row.Names))
	} else {
		fn.Rows, fn.NotStrict, fn.RowsAs = fn.RowsAs(row), true, nil
	}
	fn.Out = make([]OutColumn, len(row.Names))
	for i, name := range row.Names {
		fn.Out[i] = OutColumn{name, row.Types[i].OID}
	}
	e.Fn, e.T.Def = &fn, row
	return e
}

// fieldsOf makes a set of the fields of records.
func fieldsOf(rows func(*Context, []types.Value) Set, width int) func(*Context, []types.Value) Set {
	return func(c *Context, args []types.Value) Set {
		return func(yield func(types.Row, error) bool) {
			for row, err := range rows(c, args) {
				fields := make(types.Row, width)
				if err == nil && !row[0].IsNull() {
					copy(fields, row[0].Record().Values)
				}
				if !yield(fields, err) || err != nil {
					return
				}
			}
		}
	}
}

// Volatility says when a function may be computed beforehand, as in PostgreSQL.
type Volatility uint8

// The volatilities.
const (
	Immutable Volatility = iota // the same for the same arguments, for ever
	Stable                      // the same within one statement
	Volatile                    // may differ with every call
)

// Aggregate is one overload of an aggregate function.
type Aggregate struct {
	Name   string
	Args   []types.OID // empty for count(*); may be polymorphic
	Result types.OID
	Doc    string
	// Ordered makes it an ordered-set aggregate: the last Sorted of Args are given by
	// WITHIN GROUP (ORDER BY ...), the ones before stand in the parentheses.
	Ordered bool
	Sorted  int
	// Keeps says that what is added is kept, so that memory grows with it: with the arguments, and
	// with what Add makes.
	Keeps bool
	// Hypothetical makes it one that is given as many arguments of any types as WITHIN GROUP
	// has: a row that is thought of as one of those. Its accumulators are Rankers.
	Hypothetical bool
	// Idempotent says that a value which is added once more changes nothing.
	Idempotent bool
	// Parts, if there are any, may be computed for groups first: Whole of what comes of them, one argument for each
	// part, is the aggregate of the rows of all groups, to the last digit. A part is its own only part.
	Parts []*Aggregate
	Whole *Aggregate
	// Routine is what the catalog has of an aggregate of users, nil for one that is built in. Steps are the calls of
	// the functions that it is made of.
	Routine any
	Steps   []Expr
	// New makes an accumulator for arguments of these types.
	New func(args []types.T) Accumulator
	// OID is as that of a Function.
	OID uint32
}

// WindowFunction is one overload of a function that is only for windows. Aggregates are
// window functions, too.
type WindowFunction struct {
	Name   string
	Args   []types.OID // may be polymorphic
	Result types.OID
	Doc    string
	// New makes the function for one partition.
	New func() WindowEval
}

// WindowEval computes a window function for the rows of one partition, in their order.
type WindowEval interface {
	// Value is the result for the present row of the partition.
	Value(c *Context, p Partition) (types.Value, error)
}

// Partition is what a window function sees: the rows of its partition in order.
type Partition interface {
	// Len is how many rows there are.
	Len() int
	// Row is the place of the present row, from 0.
	Row() int
	// Peers are the places of the first row that equals the present one by the window's
	// order, and of the one behind the last.
	Peers() (first, end int)
	// Frame are the places of the first row of the frame and of the one behind its last;
	// excluded rows lie between them and are left out by InFrame.
	Frame() (first, end int)
	// InFrame says whether a row between Frame's places belongs to it.
	InFrame(row int) bool
	// Args are the values of the function's arguments for a row.
	Args(c *Context, row int) ([]types.Value, error)
}

// Accumulator computes one aggregate over the rows of one group.
type Accumulator interface {
	// Add takes the arguments of one row; aggregates that leave out NULLs do so here.
	Add(c *Context, args []types.Value) error
	// Result is the aggregate of what was added.
	Result(c *Context) (types.Value, error)
}

// ranker is an accumulator that must know the order of its rows.
type ranker interface {
	Accumulator
	// OrderBy gives the comparison of the values that the rows are ordered by. It comes
	// before the first row.
	OrderBy(compare func(a, b types.Row) int)
}

// What a Function calls for one and for two arguments.
type (
	Function1 = func(c *Context, a types.Value) (types.Value, error)
	Function2 = func(c *Context, a, b types.Value) (types.Value, error)
)

// Of1 makes a function of one argument of one that needs no context.
func Of1(f func(a types.Value) (types.Value, error)) Function1 {
	return func(_ *Context, a types.Value) (types.Value, error) { return f(a) }
}

// Of2 makes one of two arguments.
func Of2(f func(a, b types.Value) (types.Value, error)) Function2 {
	return func(_ *Context, a, b types.Value) (types.Value, error) { return f(a, b) }
}
