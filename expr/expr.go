// Package expr has typed scalar expressions: names are resolved, every implicit cast is explicit, and what remains
// is structure, text and evaluation. The planner makes expressions from text, and values are in package types. The
// types of functions are here; the functions themselves are in builtin, family by family, which this package does
// not import. Read Expr first, then Context and Function.
package expr

import (
	"slices"
	"time"

	"zproxy/expr/work"
	"zproxy/types"
)

// Expr is a typed scalar expression over the columns of one row. It is a value and
// never changes.
//
//sumtype:decl
type Expr interface {
	// Type is the type of the result.
	Type() types.T
	// Eval computes the result for a row.
	Eval(c *Context, row types.Row) (types.Value, error)
	// Inputs are the expressions below, in the order of WithInputs.
	Inputs() []Expr
	// WithInputs is a copy over other inputs, of the same number and types.
	WithInputs(in []Expr) Expr
	// String is the text that EXPLAIN shows, in PostgreSQL's spelling.
	String() string

	expr()
}

// Context is what an evaluation knows besides the row. One goroutine uses it at a time.
type Context struct {
	work.Meter
	Params      []types.Value
	Env         *types.Env
	Transaction time.Time // now(): when the transaction began
	Statement   time.Time // statement_timestamp()
	// Host is what the functions of a session, a database and a server reach, as they define it.
	// nil: they reach nothing.
	Host   any
	Random *Random  // random(); nil has one of its own
	IDs    *IDClock // uuidv7(); nil has one of its own
	// Outer are the values of Outer expressions, by slot.
	Outer      []types.Value
	Subqueries Subqueries // nil where none can run
	Routines   Routines   // of the catalog; nil where none can run

	Patterns work.Cache // regular expressions that were compiled, and formats of to_char and the like

	results map[int]*subqueryResult // of subqueries that run once, by number
}

// Fork is the context of a goroutine that evaluates what is immutable at the same time.
func (c *Context) Fork() *Context {
	out := &Context{Params: c.Params, Transaction: c.Transaction, Statement: c.Statement, Host: c.Host}
	out.Outer = slices.Clone(c.Outer)
	if c.Env == nil {
		return out
	}
	env := *c.Env
	if out.Env, env.Notices = &env, nil; env.Work != nil {
		env.Work = &out.Meter
	}
	return out
}

// Zone is the session's time zone.
func (c *Context) Zone() *time.Location {
	if c.Env == nil || c.Env.Location == nil {
		return time.UTC
	}
	return c.Env.Location
}

// Beforehand is the context in which constants are computed when no statement runs yet. It
// ends, and is bounded, as what env belongs to.
func Beforehand(env *types.Env) *Context {
	c := &Context{Env: env}
	if env != nil {
		c.Meter = work.Within(env.Work)
	}
	return c
}

// Subqueries runs the plans of subqueries.
type Subqueries interface {
	// Run runs the plan of the subquery with a number.
	Run(number int, p Subplan) Set
	// Keep accounts for a row that an expression keeps until the statement ends.
	Keep(row types.Row) error
}

// Routines runs functions that are not built in.
type Routines interface {
	// Value calls a function that returns a value.
	Value(c *Context, call RoutineCall) (types.Value, error)
	// Rows calls one that returns a set, or rows of the type that the call says.
	Rows(c *Context, call RoutineCall) Set
	// May refuses to call an aggregate that the present role has no right to.
	May(aggregate any) error
}

// RoutineCall is a call of a function that is not built in.
type RoutineCall struct {
	Of     any // Routine of the function
	Args   []types.Value
	Types  []types.T // of Args
	Result types.T
	Row    *types.Definition // what the rows are to be; nil: the function says it
	// For is the aggregate whose function it is, whose owner must have the right to call it. nil: it is of none.
	For any
}

// Const is a constant. Pos is its 1-based place in the statement's text while the
// planner gives a literal its type, for errors; 0 when it has none. BySettings says that a cast
// which settings decide made it: what fails on it belongs to the rows that need it.
type Const struct {
	Value      types.Value
	T          types.T
	Pos        int
	BySettings bool
}

// Param is a parameter, numbered from 0.
type Param struct {
	Number int
	T      types.T
}

// Column is a value of the row by its place. Pos is its 1-based place in the statement's text
// while the planner groups, for errors; 0 when it has none.
type Column struct {
	Index int
	Name  string
	T     types.T
	Pos   int
}

// Call is a function or an operator with its arguments.
type Call struct {
	Fn   *Function
	Args []Expr
	T    types.T
}

// Compare compares two values of one kind. It is NULL when one is NULL.
type Compare struct {
	Op          CompareOp
	Left, Right Expr
}

// CompareOp is a comparison.
type CompareOp uint8

// The comparisons.
const (
	EQ CompareOp = iota
	NE
	LT
	LE
	GT
	GE
)

// Logic is AND or OR of two or more, with SQL's three values.
type Logic struct {
	Or   bool
	Args []Expr
}

// Not is NOT.
type Not struct{ Arg Expr }

// IsNull is IS [NOT] NULL.
type IsNull struct {
	Arg Expr
	Not bool
}

// IsBool is IS [NOT] TRUE or FALSE.
type IsBool struct {
	Arg  Expr
	Want bool
	Not  bool
}

// Distinct is IS [NOT] DISTINCT FROM.
type Distinct struct {
	Left, Right Expr
	Not         bool
}

// In is Arg [NOT] IN (List); all are of one kind.
type In struct {
	Arg  Expr
	List []Expr
	Not  bool
}

// Case is a searched CASE. Else may be nil.
type Case struct {
	Whens []When
	Else  Expr
	T     types.T
}

// When is one branch of a Case.
type When struct{ Cond, Result Expr }

// Coalesce is the first argument that is not NULL.
type Coalesce struct {
	Args []Expr
	T    types.T
}

// NullIf is NULL when both are equal, else Left, or Value, which is Left before a cast that
// only the comparison needs.
type NullIf struct{ Left, Right, Value Expr }

// Extreme is GREATEST or LEAST; NULLs do not count.
type Extreme struct {
	Least bool
	Args  []Expr
	T     types.T
}

// Cast changes the type, and applies the modifier of the new one.
type Cast struct {
	Arg      Expr
	To       types.T
	Fn       CastFunc // nil when only the modifier or the name of the type changes
	Explicit bool     // the modifier may cut a text
}

// CastFunc changes a value that is not NULL.
type CastFunc = func(v types.Value, to types.T, env *types.Env) (types.Value, error)

func (Const) expr()    {}
func (Param) expr()    {}
func (Column) expr()   {}
func (Call) expr()     {}
func (Compare) expr()  {}
func (Logic) expr()    {}
func (Not) expr()      {}
func (IsNull) expr()   {}
func (IsBool) expr()   {}
func (Distinct) expr() {}
func (In) expr()       {}
func (Case) expr()     {}
func (Coalesce) expr() {}
func (NullIf) expr()   {}
func (Extreme) expr()  {}
func (Cast) expr()     {}
