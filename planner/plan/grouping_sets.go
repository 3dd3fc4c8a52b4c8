package plan

import "zproxy/expr"

// GroupingSets is, for each of several sets of Groups, one row for each group of rows of its input that are equal in
// those of the set, as an Aggregate over the set has them: the values of all Groups, NULL for those that are not in the
// set, then the aggregates, then for each of Asked which of the Groups that it lists are not in the set, one bit for
// each, the last one for the last. A set of no Groups has exactly one row. The rows of the sets come in no order.
type GroupingSets struct {
	Input  Node
	Groups []expr.Expr
	Sets   [][]int // numbers of Groups
	Calls  []AggregateCall
	Asked  [][]int // numbers of Groups
	Cols   []Column
}

func (GroupingSets) node() {}

// Inputs implements Node.
func (n GroupingSets) Inputs() []Node { return []Node{n.Input} }

// WithInputs implements Node.
func (n GroupingSets) WithInputs(in []Node) Node { n.Input = in[0]; return n }

// Columns implements Node.
func (n GroupingSets) Columns() []Column { return n.Cols }

// Set is the groups of one set.
func (n GroupingSets) Set(i int) Aggregate {
	out := Aggregate{Input: n.Input, Calls: n.Calls}
	for _, at := range n.Sets[i] {
		out.Groups, out.Cols = append(out.Groups, n.Groups[at]), append(out.Cols, n.Cols[at])
	}
	out.Cols = append(out.Cols, n.Cols[len(n.Groups):len(n.Groups)+len(n.Calls)]...)
	return out
}

// GroupingText is a call of GROUPING as EXPLAIN shows it.
func GroupingText(args []expr.Expr) string { return "GROUPING(" + texts(args) + ")" }
