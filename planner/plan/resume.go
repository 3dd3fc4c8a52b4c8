package plan

import (
	"fmt"

	"zproxy/expr"
	"zproxy/types"
)

// Resumable is a plan whose rows have one column more, the last: the mark of the place in the store that the row came
// from. Behind the marks of the rows that were delivered another run of the plan can go on. Passed is how many rows
// earlier runs delivered, which count for a Limit. The scan is the one that the marks are of. Only a plan that makes
// each row from one entry of one scan, in the order of the scan, is resumable; for others the text says what the
// plan does that prevents it.
func Resumable(n Node, passed int64) (out Node, scan Scan, prevents string) {
	return resumable(n, passed, true)
}

// resumable is Resumable; limits says whether a Limit may follow, since no rows are dropped above.
func resumable(n Node, passed int64, limits bool) (Node, Scan, string) {
	switch n := n.(type) {
	case Scan:
		return resumableScan(n)
	case Filter:
		in, scan, prevents := resumable(n.Input, passed, false)
		n.Input = in
		return n, scan, prevents
	case Project:
		in, scan, prevents := resumable(n.Input, passed, limits)
		if prevents != "" {
			return nil, scan, prevents
		}
		n.Exprs = append(n.Exprs[:len(n.Exprs):len(n.Exprs)], expr.Column{Index: Width(n.Input), T: types.Bytea})
		n.Cols = marked(n.Cols)
		n.Input = in
		return n, scan, ""
	case Limit:
		if n.Ties != nil || !limits {
			return nil, Scan{}, "a limit that needs rows before it"
		}
		in, scan, prevents := resumable(n.Input, passed, false)
		n.Input, n.Passed = in, passed
		return n, scan, prevents
	case Sort, Nearest:
		return nil, Scan{}, "a sort"
	case Aggregate:
		return nil, Scan{}, "an aggregate"
	case Distinct:
		return nil, Scan{}, "a removal of duplicates"
	case Join:
		return nil, Scan{}, "a join"
	case Append, SetOp:
		return nil, Scan{}, "a combination of several queries"
	case Window:
		return nil, Scan{}, "a window function"
	case ProjectSet, FunctionScan:
		return nil, Scan{}, "a function that returns rows"
	case Virtual:
		return nil, Scan{}, "a relation of the system"
	case Values:
		return nil, Scan{}, "rows that are in no table"
	}
	return nil, Scan{}, fmt.Sprintf("a node of the kind %T", n)
}

func resumableScan(n Scan) (Node, Scan, string) {
	switch _, merged := n.Access.Keys(); {
	case merged:
		return nil, n, "a merge of indexes"
	case n.Lock || n.Write:
		return nil, n, "a lock of rows"
	}
	n.Marked = true
	n.Cols = marked(n.Cols)
	return n, n, ""
}

// marked are columns with that of the mark.
func marked(columns []Column) []Column {
	return append(columns[:len(columns):len(columns)], Column{Type: types.Bytea})
}
