package expr

import "zproxy/types"

// Function is one overload of a function or an operator. The table of all of them is
// the one source for calls, operators, documentation and, later, pg_proc.
type Function struct {
	Name     string      // int4pl, lower
	Operator string      // +, || ; empty when it has no sign
	Args     []types.OID // for a Variadic function the last one may repeat
	Result   types.OID
	Doc      string // one sentence

	Variadic   bool
	AnyArgs    bool // arguments of any type come as the texts that they are printed as (concat, format)
	NotStrict  bool // is called with NULLs, too; otherwise a NULL argument makes NULL
	Volatility Volatility

	// One of these is set, by the number of arguments.
	Fn0 func(c *Context) (types.Value, error)
	Fn1 func(c *Context, a types.Value) (types.Value, error)
	Fn2 func(c *Context, a, b types.Value) (types.Value, error)
	FnN func(c *Context, args []types.Value) (types.Value, error)
}

// Volatility says when a function may be computed beforehand, as in PostgreSQL.
type Volatility uint8

// The volatilities.
const (
	Immutable Volatility = iota // the same for the same arguments, for ever
	Stable                      // the same within one statement
	Volatile                    // may differ with every call
)

// Functions lists the overloads of a name, nil when there are none.
func Functions(name string) []*Function { return functionsByName[name] }

// Operators lists the overloads of an operator sign with this many operands, without
// the comparisons, which are Compare.
func Operators(sign string, operands int) []*Function {
	return operatorsBySign[operatorKey{sign, operands}]
}

type operatorKey struct {
	sign     string
	operands int
}

var functionsByName, operatorsBySign = indexFunctions(builtins())

func indexFunctions(all []*Function) (map[string][]*Function, map[operatorKey][]*Function) {
	names, signs := map[string][]*Function{}, map[operatorKey][]*Function{}
	for _, f := range all {
		names[f.Name] = append(names[f.Name], f)
		if f.Operator != "" {
			k := operatorKey{f.Operator, len(f.Args)}
			signs[k] = append(signs[k], f)
		}
	}
	return names, signs
}

// Aggregate is one overload of an aggregate function.
type Aggregate struct {
	Name   string
	Args   []types.OID // empty for count(*)
	Any    bool        // takes one argument of any type (count)
	Result types.OID
	Doc    string
	// New makes an accumulator for arguments of these types.
	New func(args []types.T) Accumulator
}

// Accumulator computes one aggregate over the rows of one group.
type Accumulator interface {
	// Add takes the arguments of one row; aggregates that leave out NULLs do so here.
	Add(c *Context, args []types.Value) error
	// Result is the aggregate of what was added.
	Result(c *Context) (types.Value, error)
}

// Aggregates lists the overloads of an aggregate's name, nil when there are none.
func Aggregates(name string) []*Aggregate { return aggregatesByName[name] }

var aggregatesByName = indexAggregates(aggregates())

func indexAggregates(all []*Aggregate) map[string][]*Aggregate {
	names := map[string][]*Aggregate{}
	for _, a := range all {
		names[a.Name] = append(names[a.Name], a)
	}
	return names
}
