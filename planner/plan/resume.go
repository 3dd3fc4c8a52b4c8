package plan

import (
	"fmt"

	"zproxy/expr"
	"zproxy/types"
)

// Resumable is a plan whose rows have one column more, the last: the mark of the place in the store that the row came
// from. Behind the marks of the rows that were delivered another run of the plan can go on. Passed is how many rows
// earlier runs delivered, which count for a Limit, and from the number of the scan that the last of them came from.
// The scans are those that the marks are of, by their numbers. Only a plan that makes each row from one entry of one
// scan, in the order of the scan, or of scans one behind the other or merged, is resumable; for others the text says
// what the plan does that prevents it.
func Resumable(n Node, passed int64, from int) (out Node, scans []Scan, prevents string) {
	r := resuming{passed: passed, from: from}
	out, prevents = r.node(n, true)
	return out, r.scans, prevents
}

// resuming makes a plan resumable.
type resuming struct {
	passed int64
	from   int
	scans  []Scan
}

// node makes a node resumable; limits says whether a Limit may follow, since no rows are dropped above.
func (r *resuming) node(n Node, limits bool) (Node, string) {
	var prevents string
	switch n := n.(type) {
	case Scan:
		return r.scan(n)
	case Filter:
		n.Input, prevents = r.node(n.Input, false)
		return n, prevents
	case Project:
		if n.Input, prevents = r.node(n.Input, limits); prevents != "" {
			return nil, prevents
		}
		n.Exprs = append(n.Exprs[:len(n.Exprs):len(n.Exprs)], expr.Column{Index: Width(n.Input) - 1, T: types.Bytea})
		n.Cols = marked(n.Cols)
		return n, ""
	case Limit:
		if n.Ties != nil || !limits {
			return nil, "a limit that needs rows before it"
		}
		n.Passed, n.Marked = r.passed, true
		n.Input, prevents = r.node(n.Input, false)
		return n, prevents
	case Append:
		return r.append(n)
	}
	return nil, preventing(n)
}

// append makes an Append resumable. Of inputs that come one behind the other those before the one that the last row
// came from are left out. Where inputs are merged that says nothing of the others, so none may be such a sequence.
func (r *resuming) append(n Append) (Node, string) {
	var in []Node
	for _, input := range n.In {
		_, nested := input.(Append)
		if nested && n.By != nil {
			return nil, preventing(n)
		}
		next, prevents := r.node(input, false)
		if prevents != "" {
			return nil, prevents
		}
		if n.By != nil || len(r.scans) > r.from {
			in = append(in, next)
		}
	}
	n.In, n.Cols = in, marked(n.Cols)
	return n, ""
}

// preventing says what a node does that keeps its plan from being resumed.
func preventing(n Node) string {
	switch n.(type) {
	case LockRows:
		return "a lock of rows"
	case Sort, Nearest:
		return "a sort"
	case Aggregate, GroupingSets:
		return "an aggregate"
	case Distinct:
		return "a removal of duplicates"
	case Join:
		return "a join"
	case Append, SetOp:
		return "a combination of several queries"
	case Window:
		return "a window function"
	case ProjectSet, FunctionScan:
		return "a function that returns rows"
	case Virtual:
		return "a relation of the system"
	case Values:
		return "rows that are in no table"
	}
	return fmt.Sprintf("a node of the kind %T", n)
}

// scan marks the rows of a scan.
func (r *resuming) scan(n Scan) (Node, string) {
	if _, merged := n.Access.Keys(); merged {
		return nil, "a merge of indexes"
	}
	r.scans = append(r.scans, n)
	n.Marked = len(r.scans)
	n.Cols = marked(n.Cols)
	return n, ""
}

// marked are columns with that of the mark.
func marked(columns []Column) []Column {
	return append(columns[:len(columns):len(columns)], Column{Type: types.Bytea})
}
