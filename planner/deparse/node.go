package deparse

import (
	"zproxy/expr"
	"zproxy/types"
)

// node is an expression as PostgreSQL has it after its analysis: every name is resolved, and
// every cast is there, also those that were not written.
type node interface{ typ() types.T }

// form says how a cast or a call was written, and so whether it is printed.
type form uint8

const (
	explicitCall form = iota
	explicitCast
	implicitCast
	sqlSyntax
)

// castKind is what a cast is to PostgreSQL.
type castKind uint8

const (
	relabelCast castKind = iota
	textCast             // by the text format
	arrayCast            // item by item
	functionCast
)

type (
	// variable is a column of a relation; the whole row where column is -1.
	variable struct {
		rel    *relation
		column int
		t      types.T
	}
	// merged is a column of a join's USING that belongs to no side.
	merged struct {
		name *string
		t    types.T
	}
	constant struct {
		value types.Value
		t     types.T
	}
	call struct {
		proc     *expr.Proc
		args     []node
		names    []string
		t        types.T
		form     form
		variadic bool
	}
	operation struct {
		sign string
		args []node
		t    types.T
	}
	distinct struct{ left, right node }
	nullIf   struct {
		args []node
		t    types.T
	}
	arrayOperation struct {
		sign        string
		any         bool
		left, right node
	}
	cast struct {
		arg  node
		t    types.T
		form form
		kind castKind
	}
	logic struct {
		op   string // AND, OR, NOT
		args []node
	}
	caseExpr struct {
		arg   node
		whens []when
		els   node
		t     types.T
	}
	when     struct{ cond, result node }
	caseTest struct{ t types.T }
	array    struct {
		items []node
		t     types.T
	}
	row struct {
		args []node
		t    types.T // zero: a record
	}
	rowCompare struct {
		sign        string
		left, right []node
	}
	// function is what the grammar has as an expression of its own: COALESCE, GREATEST, LEAST.
	function struct {
		name string
		args []node
		t    types.T
	}
	valueFunction struct {
		text string
		t    types.T
	}
	nullTest struct {
		arg node
		not bool
	}
	boolTest struct {
		arg  node
		text string
	}
	aggregate struct {
		proc     *expr.Proc
		args     []node // of an ordered set the direct ones
		star     bool
		distinct bool
		variadic bool
		order    []sortItem
		within   []sortItem
		filter   node
		t        types.T
		over     *window // a window function, too
	}
	subscript struct {
		arg     node
		indexes []index
		t       types.T
	}
	index struct {
		slice     bool
		low, high node
	}
	field struct {
		arg  node
		name string
		t    types.T
	}
	collate struct {
		arg  node
		name string
	}
	subquery struct {
		kind  subqueryKind
		query *query
		sign  string
		left  []node
		t     types.T
	}
)

type subqueryKind uint8

const (
	scalarQuery subqueryKind = iota
	existsQuery
	arrayQuery
	anyQuery
	allQuery
	rowQuery
)

// sortItem is an expression of ORDER BY.
type sortItem struct {
	expr       node
	desc       bool
	nullsFirst bool
	place      int // in the select list of a set operation, from 1
}

func (n *variable) typ() types.T       { return n.t }
func (n *merged) typ() types.T         { return n.t }
func (n *constant) typ() types.T       { return n.t }
func (n *call) typ() types.T           { return n.t }
func (n *operation) typ() types.T      { return n.t }
func (n *distinct) typ() types.T       { return types.Bool }
func (n *nullIf) typ() types.T         { return n.t }
func (n *arrayOperation) typ() types.T { return types.Bool }
func (n *cast) typ() types.T           { return n.t }
func (n *logic) typ() types.T          { return types.Bool }
func (n *caseExpr) typ() types.T       { return n.t }
func (n *caseTest) typ() types.T       { return n.t }
func (n *array) typ() types.T          { return n.t }
func (n *row) typ() types.T {
	if n.t.Row != nil {
		return n.t
	}
	return types.Record
}
func (n *rowCompare) typ() types.T    { return types.Bool }
func (n *function) typ() types.T      { return n.t }
func (n *valueFunction) typ() types.T { return n.t }
func (n *nullTest) typ() types.T      { return types.Bool }
func (n *boolTest) typ() types.T      { return types.Bool }
func (n *aggregate) typ() types.T     { return n.t }
func (n *subscript) typ() types.T     { return n.t }
func (n *field) typ() types.T         { return n.t }
func (n *collate) typ() types.T       { return n.arg.typ() }
func (n *subquery) typ() types.T      { return n.t }
