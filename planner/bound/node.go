package bound

import (
	"zproxy/expr/builtin/pgproc"
	"zproxy/types"
)

// Node is an expression as PostgreSQL has it after its analysis: every name is resolved, and
// every cast is there, also those that were not written.
type Node interface{ typ() types.T }

// TypeOf is the type of an expression.
func TypeOf(n Node) types.T { return n.typ() }

// Form says how a cast or a call was written, and so whether it is printed.
type Form uint8

// How a cast or a call was written.
const (
	ExplicitCall Form = iota
	explicitCast
	ImplicitCast
	SQLSyntax
)

// CastKind is what a cast is to PostgreSQL.
type CastKind uint8

// The kinds of casts.
const (
	relabelCast CastKind = iota
	textCast             // by the text format
	arrayCast            // item by item
	FunctionCast
)

// The expressions.
type (
	// Variable is a column of a relation; the whole row where column is -1.
	Variable struct {
		Rel    *Relation
		Column int
		t      types.T
	}
	// Merged is a column of a join's USING that belongs to no side.
	Merged struct {
		Name *string
		t    types.T
	}
	Constant struct {
		Value types.Value
		T     types.T
	}
	Call struct {
		Proc     *pgproc.Proc
		Args     []Node
		Names    []string
		t        types.T
		Form     Form
		Variadic bool
	}
	Operation struct {
		Sign string
		Args []Node
		t    types.T
	}
	Distinct struct{ Left, Right Node }
	NullIf   struct {
		Args []Node
		t    types.T
	}
	ArrayOperation struct {
		Sign        string
		Any         bool
		Left, Right Node
	}
	Cast struct {
		Arg  Node
		T    types.T
		Form Form
		Kind CastKind
	}
	Logic struct {
		Op   string // AND, OR, NOT
		Args []Node
	}
	CaseExpr struct {
		Arg   Node
		Whens []When
		Else  Node
		t     types.T
	}
	When     struct{ Cond, Result Node }
	CaseTest struct{ t types.T }
	Array    struct {
		Items []Node
		T     types.T
	}
	Row struct {
		Args []Node
		T    types.T // zero: a record
	}
	RowCompare struct {
		Sign        string
		Left, Right []Node
	}
	// Function is what the grammar has as an expression of its own: COALESCE, GREATEST, LEAST.
	Function struct {
		Name string
		Args []Node
		t    types.T
	}
	ValueFunction struct {
		Text string
		t    types.T
	}
	NullTest struct {
		Arg Node
		Not bool
	}
	BoolTest struct {
		Arg  Node
		Text string
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
		t        types.T
		Over     *Window // a window function, too
	}
	Subscript struct {
		Arg     Node
		Indexes []Index
		t       types.T
	}
	Index struct {
		Slice     bool
		Low, High Node
	}
	Field struct {
		Arg  Node
		Name string
		t    types.T
	}
	Collate struct {
		Arg  Node
		Name string
	}
	Subquery struct {
		Kind  SubqueryKind
		Query *Query
		Sign  string
		Left  []Node
		t     types.T
	}
)

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
	Expr       Node
	Desc       bool
	NullsFirst bool
	Place      int // in the select list of a set operation, from 1
}

func (n *Variable) typ() types.T       { return n.t }
func (n *Merged) typ() types.T         { return n.t }
func (n *Constant) typ() types.T       { return n.T }
func (n *Call) typ() types.T           { return n.t }
func (n *Operation) typ() types.T      { return n.t }
func (n *Distinct) typ() types.T       { return types.Bool }
func (n *NullIf) typ() types.T         { return n.t }
func (n *ArrayOperation) typ() types.T { return types.Bool }
func (n *Cast) typ() types.T           { return n.T }
func (n *Logic) typ() types.T          { return types.Bool }
func (n *CaseExpr) typ() types.T       { return n.t }
func (n *CaseTest) typ() types.T       { return n.t }
func (n *Array) typ() types.T          { return n.T }
func (n *Row) typ() types.T {
	if n.T.Row != nil {
		return n.T
	}
	return types.Record
}
func (n *RowCompare) typ() types.T    { return types.Bool }
func (n *Function) typ() types.T      { return n.t }
func (n *ValueFunction) typ() types.T { return n.t }
func (n *NullTest) typ() types.T      { return types.Bool }
func (n *BoolTest) typ() types.T      { return types.Bool }
func (n *Aggregate) typ() types.T     { return n.t }
func (n *Subscript) typ() types.T     { return n.t }
func (n *Field) typ() types.T         { return n.t }
func (n *Collate) typ() types.T       { return n.Arg.typ() }
func (n *Subquery) typ() types.T      { return n.t }
