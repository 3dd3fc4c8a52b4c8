package optimizer

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// pruneColumns lets scans read only the columns that something above them uses.
//
//	Project a                    Project a
//	└─ Sort b                →   └─ Sort b
//	   └─ Scan t reads=a,b,c        └─ Scan t reads=a,b
//
// It must not fire below what hands on whole rows to be compared or written: DISTINCT, a
// set operation, a write.
var pruneColumns = Rule{"PruneColumns", func(_ *Options, n plan.Node) (plan.Node, bool) {
	used := map[int]bool{}
	switch top := n.(type) {
	case plan.Project:
		columnsOf(used, top.Exprs...)
	case plan.Aggregate, plan.GroupingSets:
		ownColumns(top, used)
	default:
		return n, false
	}
	return new(narrowing).below(n, used)
}}

// narrowing leaves out what is not used.
type narrowing struct {
	joins   bool // joins, too, that add nothing to the rows
	removed int  // of these
}

// below narrows the input of a node, which uses some of its columns.
func (w *narrowing) below(n plan.Node, used map[int]bool) (plan.Node, bool) {
	in, ordinals, ok := w.narrow(n.Inputs()[0], used)
	if !ok {
		return n, false
	}
	out, _ := plan.MapExprs(n, moveColumns(ordinals))
	return out.WithInputs([]plan.Node{in}), true
}

// ownColumns adds the columns of its input that a node reads itself.
func ownColumns(n plan.Node, used map[int]bool) {
	plan.MapExprs(n, func(e expr.Expr) (expr.Expr, bool) {
		columnsOf(used, e)
		return e, false
	})
}

// narrow makes a plan deliver only the used columns. It says where each column is now,
// and false when all are as they were.
func (w *narrowing) narrow(n plan.Node, used map[int]bool) (plan.Node, map[int]int, bool) {
	switch n := n.(type) {
	case plan.Scan:
		return w.narrowScan(n, used)
	case plan.Virtual:
		return narrowVirtual(n, used)
	case plan.Values:
		return narrowValues(n, used)
	case plan.Join:
		return w.narrowJoin(n, used)
	case plan.Project:
		return w.narrowProject(n, used)
	case plan.Append:
		return w.narrowAppend(n, used)
	case plan.Aggregate:
		return w.narrowGroups(n, used)
	case plan.Window, plan.ProjectSet:
		return w.narrowBehind(n, used)
	case plan.Filter, plan.Sort, plan.Limit, plan.LockRows, plan.Barrier:
		return w.narrowThrough(n, used)
	case plan.Distinct:
		if n.On != nil {
			return w.narrowThrough(n, used)
		}
	}
	return n, nil, false
}

// narrowThrough narrows the input of a node that hands on its columns.
func (w *narrowing) narrowThrough(n plan.Node, used map[int]bool) (plan.Node, map[int]int, bool) {
	ownColumns(n, used)
	in, ordinals, ok := w.narrow(n.Inputs()[0], used)
	if !ok {
		return n, nil, false
	}
	out, _ := plan.MapExprs(n, moveColumns(ordinals))
	return out.WithInputs([]plan.Node{in}), ordinals, true
}

// narrowScan keeps the columns that the conditions of a scan read aside: an index that decides
// those need not have them.
func (w *narrowing) narrowScan(s plan.Scan, used map[int]bool) (plan.Node, map[int]int, bool) {
	if s.Write || s.Access != nil {
		return s, nil, false
	}
	above := maps.Clone(used)
	columnsOf(used, s.Filter...)
	ordinals := compacted(used)
	var aside []int
	for i := range s.Reads {
		if used[i] && !above[i] && !w.joins { // until all conditions are where they belong
			aside = append(aside, ordinals[i])
		}
	}
	if len(used) == len(s.Reads) && slices.Equal(aside, s.Aside) {
		return s, nil, false
	}
	s.Reads, s.Cols, s.Aside = pick(s.Reads, used), pick(s.Cols, used), aside
	out, _ := plan.MapExprs(s, moveColumns(ordinals))
	return out, ordinals, true
}

func narrowVirtual(v plan.Virtual, used map[int]bool) (plan.Node, map[int]int, bool) {
	if len(used) == len(v.Reads) {
		return v, nil, false
	}
	v.Reads, v.Cols = pick(v.Reads, used), pick(v.Cols, used)
	return v, compacted(used), true
}

// narrowValues leaves out expressions of a single row, which stands for a projection. What is volatile is computed all
// the same.
func narrowValues(v plan.Values, used map[int]bool) (plan.Node, map[int]int, bool) {
	if len(v.Rows) != 1 {
		return v, nil, false
	}
	keepVolatile(used, v.Rows[0])
	if len(used) == len(v.Rows[0]) {
		return v, nil, false
	}
	v.Rows, v.Cols = [][]expr.Expr{pick(v.Rows[0], used)}, pick(v.Cols, used)
	return v, compacted(used), true
}

// keepVolatile counts what is volatile as used.
func keepVolatile(used map[int]bool, exprs []expr.Expr) {
	for i, e := range exprs {
		if volatile(e) {
			used[i] = true
		}
	}
}

// narrowJoin narrows both sides by what is used above and in the join itself.
func (w *narrowing) narrowJoin(j plan.Join, used map[int]bool) (plan.Node, map[int]int, bool) {
	if j.Method != nil {
		return j, nil, false
	}
	if w.joins {
		if kept := needless(j, used); kept != neither {
			return w.narrowKept(j, kept, used)
		}
	}
	ownColumns(j, used)
	width := plan.Width(j.Left)
	ofLeft, ofRight := splitColumns(used, width)
	l, leftOrdinals, leftOK := w.narrow(j.Left, ofLeft)
	r, rightOrdinals, rightOK := w.narrow(j.Right, ofRight)
	if !leftOK && !rightOK {
		return j, nil, false
	}
	ordinals := map[int]int{}
	for i := range width {
		if p, ok := moved(leftOrdinals, i, leftOK); ok {
			ordinals[i] = p
		}
	}
	for i := range j.Right.Columns() {
		if p, ok := moved(rightOrdinals, i, rightOK); ok {
			ordinals[width+i] = plan.Width(l) + p
		}
	}
	j.Left, j.Right = l, r
	out, _ := plan.MapExprs(j, moveColumns(ordinals))
	return out, ordinals, true
}

// narrowKept narrows the side of a join that is kept, without the other one.
func (w *narrowing) narrowKept(j plan.Join, kept side, used map[int]bool) (plan.Node, map[int]int, bool) {
	w.removed++
	ofSide, ofRight := splitColumns(used, plan.Width(j.Left))
	of, from := j.Left, 0
	if kept == right {
		ofSide, of, from = ofRight, j.Right, plan.Width(j.Left)
	}
	of, below, ok := w.narrow(of, ofSide)
	ordinals := map[int]int{}
	for i := range ofSide {
		if at, known := moved(below, i, ok); known {
			ordinals[from+i] = at
		}
	}
	return of, ordinals, true
}

// narrowAppend narrows all inputs alike: each keeps what any of them reads itself, so that their columns are the same
// ones. It leaves all as they are if one cannot be narrowed.
func (w *narrowing) narrowAppend(a plan.Append, used map[int]bool) (plan.Node, map[int]int, bool) {
	ownColumns(a, used)
	removed := w.removed
	for _, in := range a.In {
		w.narrow(in, used) // which adds what it reads
	}
	w.removed = removed
	ordinals := compacted(used)
	out, changed := eachInput(a, func(in plan.Node) (plan.Node, bool) {
		in, _, ok := w.narrow(in, maps.Clone(used))
		return in, ok
	})
	narrowed := out.(plan.Append)
	if !changed || slices.ContainsFunc(narrowed.In, func(in plan.Node) bool { return plan.Width(in) != len(used) }) {
		w.removed = removed
		return a, nil, false
	}
	narrowed.Cols = pick(a.Cols, used)
	out, _ = plan.MapExprs(narrowed, moveColumns(ordinals))
	return out, ordinals, true
}

// moved is where a column is now, where there have been moves at all.
func moved(ordinals map[int]int, i int, any bool) (int, bool) {
	if !any {
		return i, true
	}
	p, ok := ordinals[i]
	return p, ok
}

// narrowProject leaves out expressions. What is volatile is computed all the same.
func (w *narrowing) narrowProject(p plan.Project, used map[int]bool) (plan.Node, map[int]int, bool) {
	keepVolatile(used, p.Exprs)
	if len(used) == len(p.Exprs) {
		return p, nil, false
	}
	p.Exprs, p.Cols = pick(p.Exprs, used), pick(p.Cols, used)
	if !w.joins {
		return p, compacted(used), true
	}
	below := map[int]bool{}
	columnsOf(below, p.Exprs...)
	out, _ := w.below(p, below)
	return out, compacted(used), true
}

// narrowGroups leaves out groups that others decide, and aggregates.
func (w *narrowing) narrowGroups(a plan.Aggregate, used map[int]bool) (plan.Node, map[int]int, bool) {
	if a.By == nil {
		return a, nil, false
	}
	for _, at := range a.By {
		used[at] = true
	}
	keepVolatile(used, a.Groups)
	for i := range a.Calls {
		used[len(a.Groups)+i] = true
	}
	if len(used) == plan.Width(a) {
		return a, nil, false
	}
	ordinals := compacted(used)
	a.Groups, a.Cols, a.By = pick(a.Groups, used), pick(a.Cols, used), slices.Clone(a.By)
	for i, at := range a.By {
		a.By[i] = ordinals[at]
	}
	if len(a.By) == len(a.Groups) {
		a.By = nil
	}
	return a, ordinals, true
}

// narrowBehind narrows the input of a node that puts columns of its own behind those of its input. It keeps all of
// its own.
func (w *narrowing) narrowBehind(n plan.Node, used map[int]bool) (plan.Node, map[int]int, bool) {
	input := n.Inputs()[0]
	width := plan.Width(input)
	below := map[int]bool{}
	for i := range used {
		if i < width {
			below[i] = true
		}
	}
	ownColumns(n, below)
	in, ordinals, ok := w.narrow(input, below)
	if !ok {
		return n, nil, false
	}
	own := n.Columns()[width:]
	for i := range own {
		ordinals[width+i] = plan.Width(in) + i
	}
	cols := slices.Concat(in.Columns(), own)
	out, _ := plan.MapExprs(n, moveColumns(ordinals))
	switch out := out.(type) {
	case plan.Window:
		out.Input, out.Cols = in, cols
		return out, ordinals, true
	case plan.ProjectSet:
		out.Input, out.Cols = in, cols
		return out, ordinals, true
	}
	return n, nil, false
}

// compacted numbers the used columns in their order.
func compacted(used map[int]bool) map[int]int {
	ordinals := map[int]int{}
	for i := 0; len(ordinals) < len(used); i++ {
		if used[i] {
			ordinals[i] = len(ordinals)
		}
	}
	return ordinals
}

// pick keeps the items at the used ordinals.
func pick[T any](list []T, used map[int]bool) []T {
	out := []T{}
	for i, x := range list {
		if used[i] {
			out = append(out, x)
		}
	}
	return out
}

func moveColumns(ordinals map[int]int) func(expr.Expr) (expr.Expr, bool) {
	return func(e expr.Expr) (expr.Expr, bool) {
		return expr.Renumber(e, func(i int) int { return ordinals[i] }), true
	}
}
