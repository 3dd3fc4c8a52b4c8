package bound

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pgproc"
	"zproxy/planner/analyze"
	"zproxy/planner/clause"
	"zproxy/types"
)

// Node is an expression as PostgreSQL has it after its analysis: every name is resolved, and
// every cast is there, also those that were not written.
type Node = analyze.Typed

// typed is the type of a node.
type typed struct{ T types.T }

// Type implements analyze.Typed.
func (n typed) Type() types.T { return n.T }

// truth is the type of a node that is true or false.
type truth struct{}

// Type implements analyze.Typed.
func (truth) Type() types.T { return types.Bool }

// CastKind is what a cast is to PostgreSQL.
type CastKind uint8

// The kinds of casts.
const (
	relabelCast CastKind = iota
	textCast             // by the text format
	arrayCast            // item by item
	FunctionCast
)

// The forms of expressions that run, too.
type (
	Logic        = analyze.Logic[Node]
	IsNull       = analyze.IsNull[Node]
	IsBool       = analyze.IsBool[Node]
	Alternatives = analyze.Alternatives[Node]
	Case         = analyze.Case[Node]
	Array        = analyze.Array[Node]
	Subscript    = analyze.Subscript[Node]
	Row          = analyze.Row[Node]
	Collate      = analyze.Collate[Node]
)

// tableOID stands for tableoid among the numbers of columns.
const tableOID = -2

// Whole says whether a variable is the whole row.
func (v *Variable) Whole() bool { return v.Column == -1 }

// The expressions that are only printed.
type (
	// Variable is a column of a relation; the whole row where column is -1, tableoid where it is tableOID.
	Variable struct {
		Rel    *Relation
		Column int
		typed
	}
	// Merged is a column of a join's USING that belongs to no side.
	Merged struct {
		Name *string
		typed
	}
	Constant struct {
		Value types.Value
		typed
	}
	Call struct {
		Proc  *pgproc.Proc
		Fn    *expr.Function // nil for a cast that is called by its name
		Args  []Node
		Names []string
		typed
		Syntax   bool // in SQL's own syntax, where there is one
		Variadic bool
	}
	Operation struct {
		Sign string
		Via  *expr.Sign // the operator of the catalog, nil for one that is built in
		Args []Node
		typed
	}
	Distinct struct {
		Left, Right Node
		truth
	}
	NullIf struct {
		Args []Node
		typed
	}
	ArrayOperation struct {
		Sign        string
		Via         *expr.Sign // as of Operation
		Any         bool
		Left, Right Node
		truth
	}
	Cast struct {
		Arg Node
		typed
		Implicit bool // it was not written
		Kind     CastKind
	}
	CaseTest   struct{ typed }
	RowCompare struct {
		Sign        string
		Left, Right []Node
		truth
	}
	ValueFunction struct {
		Text string
		typed
	}
	Aggregate struct {
		Proc     *pgproc.Proc
		Args     []Node // of an ordered set the direct ones
		Star     bool
		Distinct bool
		Variadic bool
		Order    []SortItem
		Within   []SortItem
		Filter   Node
		typed
		Over *Window // a window function, too
	}
	Field struct {
		Arg  Node
		Name string
		typed
	}
	Subquery struct {
		Kind  SubqueryKind
		Query *Query
		Sign  string
		Left  []Node
		typed
	}
)

// Relabels says whether a cast leaves values as they are.
func (c *Cast) Relabels() bool { return c.Kind == relabelCast }

// SubqueryKind is what an expression makes of the rows of a query.
type SubqueryKind uint8

// The kinds of subqueries.
const (
	ScalarQuery SubqueryKind = iota
	ExistsQuery
	ArrayQuery
	AnyQuery
	AllQuery
	RowQuery
)

// SortItem is an expression of ORDER BY.
type SortItem struct {
	clause.Sort[Node]
	Ordinal int // in the select list of a set operation, from 1
}
