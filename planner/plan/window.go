package plan

import (
	"zproxy/expr"
	"zproxy/types"
)

// Window is the rows of its input, in their order, each with the values of Calls behind
// its own columns. The input is sorted by Partition, in any direction, and then by Order.
type Window struct {
	Input     Node
	Partition []expr.Expr
	Order     []SortKey
	Calls     []WindowCall
	// Run are conditions on calls that rise, over the values of Calls and nothing else. A row for which one of them is
	// not true does not come out, nor do those behind it in its partition.
	Run  []expr.Compare
	Cols []Column
}

// WindowCall is one function over a window: Fn, or an aggregate.
type WindowCall struct {
	Fn        *expr.WindowFunction // nil for an aggregate
	Aggregate *expr.Aggregate
	Args      []expr.Expr
	Filter    expr.Expr // of an aggregate; nil: every row
	Frame     Frame
	Type      types.T
}

// Ranks says whether the value depends only on the rows of the partition that came before, and on the order of the row.
func (c WindowCall) Ranks() bool {
	return c.Fn != nil && (c.Fn.Name == "row_number" || c.Fn.Name == "rank" || c.Fn.Name == "dense_rank")
}

// Rises says whether the value of a row is never below that of a row before it in the partition.
func (c WindowCall) Rises() bool {
	counts := c.Aggregate != nil && c.Aggregate.Name == "count"
	return c.Ranks() || counts && c.Frame.Start.Kind == UnboundedPreceding && c.Frame.Exclude == ExcludeNothing
}

// Frame is the rows of a partition, around a row, that a function looks at.
type Frame struct {
	Mode       FrameMode
	Start, End FrameBound
	Exclude    Exclusion
}

// FrameMode is what the bounds of a frame count: peers by value, rows, or groups of peers.
type FrameMode uint8

// The modes.
const (
	RangeFrame FrameMode = iota
	RowsFrame
	GroupsFrame
)

// FrameBound is one end of a frame. Offset, of Preceding and Following, reads no columns
// and must be neither NULL nor negative. In the mode of ranges Value is the only key of
// the order, of the present row, with the offset added or taken away.
type FrameBound struct {
	Kind   BoundKind
	Offset expr.Expr
	Value  expr.Expr
}

// BoundKind is where a frame begins or ends.
type BoundKind uint8

// The bounds, in the order of the rows.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Exclusion is what a frame leaves out.
type Exclusion uint8

// The exclusions.
const (
	ExcludeNothing Exclusion = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// FunctionScan is the rows of set-returning functions side by side, as many as the longest
// has; with Ordinality their number, from 1, in the last column.
type FunctionScan struct {
	Calls      []expr.Call
	Ordinality bool
	Alias      string
	Cols       []Column
}

// ProjectSet is, for each row of its input, as many rows as the longest of Calls, which
// return sets, delivers: the input's columns, then one for each call, NULL where its rows
// have ended. A row of several columns is a record.
type ProjectSet struct {
	Input Node
	Calls []expr.Call
	Cols  []Column
}

func (Window) node()       {}
func (FunctionScan) node() {}
func (ProjectSet) node()   {}

// Inputs implements Node.
func (n Window) Inputs() []Node { return []Node{n.Input} }

// Inputs implements Node.
func (FunctionScan) Inputs() []Node { return nil }

// Inputs implements Node.
func (n ProjectSet) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n Window) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// WithInputs implements Node.
func (n FunctionScan) WithInputs([]Node) Node { return n }

// WithInputs implements Node.
func (n ProjectSet) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n Window) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n FunctionScan) Columns() []Column { return n.Cols }

// Columns implements Node.
func (n ProjectSet) Columns() []Column { return n.Cols }
