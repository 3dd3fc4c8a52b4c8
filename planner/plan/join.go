package plan

import (
	"slices"

	"zproxy/expr"
)

// Join is the pairs of a row of Left and a row of Right for which On is true, with the
// columns of both; an outer join also has the rows without a partner, with NULLs in place
// of the other's columns. Semi and Anti have only the columns of Left: the rows with, or
// without, a partner. Rows come in the order of Left, but for those of Right without a
// partner, which come last.
type Join struct {
	Kind        JoinKind
	Left, Right Node
	On          expr.Expr // over the columns of Left, then those of Right; nil: true
	// Slots are values of the left row that Right reads as expr.Outer, so that Right runs
	// once for each left row: LATERAL. Only Inner, Left, Semi and Anti joins can have any.
	Slots  []Slot
	Method *JoinMethod // nil until one is chosen; then it stands for On
	ordering
	// Second, of the uppermost of joins that were ordered, says for EXPLAIN (WHY) which order was the second.
	Second string
}

// JoinKind says which rows a Join has.
type JoinKind uint8

// The kinds of joins.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
)

// Strengthened is the join that is left where conditions above drop the rows with NULLs for a column of one side, or
// of the other: each says which columns of the conditions are of that side.
func (k JoinKind) Strengthened(above []expr.Expr, left, right func(int) bool) JoinKind {
	rejects := func(side func(int) bool) bool {
		return slices.ContainsFunc(above, func(c expr.Expr) bool { return expr.RejectsNull(c, side) })
	}
	keepLeft := (k == LeftJoin || k == FullJoin) && !rejects(right)
	keepRight := (k == RightJoin || k == FullJoin) && !rejects(left)
	switch {
	case keepLeft && keepRight:
		return FullJoin
	case keepLeft:
		return LeftJoin
	case keepRight:
		return RightJoin
	}
	return InnerJoin
}

// ordering is what the search for an order of joins wants of one.
type ordering struct {
	Keeps  bool    // rows are to come in the order of Left
	Merges bool    // Right comes in that order, too, so that both can be merged
	Share  float64 // of the rows that is thought to be wanted; 0: all of them
}

// Slot is a value, over a row outside, that an inner plan reads as expr.Outer.
type Slot struct {
	Number int
	Value  expr.Expr
}

// JoinMethod is how a Join finds partners.
type JoinMethod struct {
	Strategy Strategy
	Keys     []JoinKey // equalities that must all hold
	Residual expr.Expr // over both rows: what Keys do not say; nil: nothing
	// BuildLeft makes the hash table of the rows of Left instead of those of Right. Rows
	// then come in the order of Right.
	BuildLeft bool
	// Shares says that scans below it, of which one Leads, read by the same requests.
	Shares bool
	// Slots, of Lookup: values of left rows that the bounds of Right, a Scan, read. Right is
	// read for many left rows at once, by all their bounds; Keys then find the partners, so
	// every condition with such a value is among Keys or in Residual, and none in the
	// filters of Right.
	Slots []Slot
}

// Driving is the input whose rows are joined one after the other, in their order, with those of the other one, which is
// a hash table or is looked up. It also gives the inputs in front of it. It says false where rows of the other one may
// come out without a partner, or the join reads in another way.
func (n Join) Driving() (in Node, before []Node, ok bool) {
	m := n.Method
	switch {
	case m == nil || n.Slots != nil || n.Kind == FullJoin:
		return nil, nil, false
	case m.Strategy == Hash && m.BuildLeft:
		return n.Right, []Node{n.Left}, n.Kind == InnerJoin || n.Kind == RightJoin
	case m.Strategy == Hash, m.Strategy == Lookup && !m.BuildLeft:
		return n.Left, nil, n.Kind != RightJoin
	}
	return nil, nil, false
}

// Strategy is a way to join.
type Strategy uint8

// The strategies.
const (
	// Loop compares every left row with the rows of Right.
	Loop Strategy = iota
	// Hash finds partners in a hash table of one side.
	Hash
	// Lookup reads the partners of a batch of left rows through an index of Right.
	Lookup
	// Interleaved reads the rows of a parent, Left, and of its child, Right, in one scan. The rows of the child come
	// behind their parent: Keys are the key of the parent.
	Interleaved
	// Merged goes through both sides at once, which come in the order of Keys: ascending, NULLs last. Rows of Right
	// without a partner come where their keys are.
	Merged
)

// JoinKey is an equality between a value of the left row and one of the right row, each
// over its own side's columns.
type JoinKey struct {
	Left, Right expr.Expr
	NullsEqual  bool // IS NOT DISTINCT FROM
}

// Append is the rows of all its inputs, one after the other. With By, columns by which each input comes in order, so
// does what comes out, of equal rows those of the earlier input first.
type Append struct {
	In      []Node
	Cols    []Column
	By      []SortKey
	Removed int // inputs that were left out by values of the run
}

// SetOp is INTERSECT or EXCEPT of rows, where NULLs equal each other: each different row
// of Left once if it is, or is not, in Right; with All as often as the counts of both
// say. Rows come in the order of Left.
type SetOp struct {
	Except      bool
	All         bool
	Left, Right Node
	Cols        []Column
}

// With is the rows of Input, in which Refs with its Number stand for the rows of Query.
// Query runs once, when the first of them is read; one that writes runs whole, at the latest behind the input. All
// parts of a statement whose WITH writes see the rows as they were before it, and none changes a row that another one
// has changed.
type With struct {
	Number int // unique in a statement
	Name   string
	Always bool // MATERIALIZED: it runs on its own though it is read only once
	Query  Node
	Input  Node
}

// Ref is the rows of the With or the Recursion of its Number, in their order.
type Ref struct {
	Number int
	Name   string
	Alias  string // as the statement calls it here
	Cols   []Column
}

// Recursion is WITH RECURSIVE: the rows of Base, then those of Step, in which a Ref of its
// Number stands for the rows that came last, until none come. With Distinct a row that
// came before does not count.
type Recursion struct {
	Number     int
	Name       string
	Base, Step Node
	Distinct   bool
	Cols       []Column
}

func (Join) node()      {}
func (Append) node()    {}
func (SetOp) node()     {}
func (With) node()      {}
func (Ref) node()       {}
func (Recursion) node() {}

// Inputs implements Node.
func (n Join) Inputs() []Node { return []Node{n.Left, n.Right} }

// Inputs implements Node.
func (n Append) Inputs() []Node { return n.In }

// Inputs implements Node.
func (n SetOp) Inputs() []Node { return []Node{n.Left, n.Right} }

// Inputs implements Node.
func (n With) Inputs() []Node { return []Node{n.Query, n.Input} }

// Inputs implements Node.
func (Ref) Inputs() []Node { return nil }

// Inputs implements Node.
func (n Recursion) Inputs() []Node { return []Node{n.Base, n.Step} }

// WithInputs implements Node.
func (n Join) WithInputs(in []Node) Node { n.Left, n.Right = in[0], in[1]; return n }

// WithInputs implements Node.
func (n Append) WithInputs(in []Node) Node { n.In = in; return n }

// WithInputs implements Node.
func (n SetOp) WithInputs(in []Node) Node { n.Left, n.Right = in[0], in[1]; return n }

// WithInputs implements Node.
func (n With) WithInputs(in []Node) Node { n.Query, n.Input = in[0], in[1]; return n }

// WithInputs implements Node.
func (n Ref) WithInputs([]Node) Node { return n }

// WithInputs implements Node.
func (n Recursion) WithInputs(in []Node) Node { n.Base, n.Step = in[0], in[1]; return n }

// Columns implements Node.
func (n Join) Columns() []Column {
	if n.Kind == SemiJoin || n.Kind == AntiJoin {
		return n.Left.Columns()
	}
	return appendColumns(nil, n)
}

// appendColumns appends the columns of a node. Of a thousand joins those of the first are copied once.
func appendColumns(dst []Column, n Node) []Column {
	j, ok := n.(Join)
	if !ok || j.Kind == SemiJoin || j.Kind == AntiJoin {
		return append(dst, n.Columns()...)
	}
	return appendColumns(appendColumns(dst, j.Left), j.Right)
}

// Width is how many columns a node has. It counts those of a thousand joins without a copy of them.
func Width(n Node) int {
	switch n := n.(type) {
	case Join:
		if n.Kind == SemiJoin || n.Kind == AntiJoin {
			return Width(n.Left)
		}
		return Width(n.Left) + Width(n.Right)
	case Filter:
		return Width(n.Input)
	case Sort:
		return Width(n.Input)
	case Nearest:
		return Width(n.All)
	case Limit:
		return Width(n.Input)
	case Distinct:
		return Width(n.Input)
	case Memoize:
		return Width(n.Input)
	case Gather:
		return Width(n.Input)
	case With:
		return Width(n.Input)
	}
	return len(n.Columns())
}

// Columns implements Node.
func (n Append) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n SetOp) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n With) Columns() []Column { return n.Input.Columns() }

// Columns implements Node.
func (n Ref) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n Recursion) Columns() []Column { return n.Cols }

// Sub is the plan of a subquery in an expression.
type Sub struct {
	Node      Node
	Optimized bool // by the optimizer, which leaves it alone then
}

// Width implements expr.Subplan.
func (s Sub) Width() int { return Width(s.Node) }
