package optimizer

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
)

// interleavedJoin reads the rows of a parent and of its child, which come behind them, in one scan, if that
// reads less than to read the child on its own.
//
//	Join on (p.id = c.id)       Join interleaved (id = id)
//	├─ Scan p              →    ├─ Index Scan using p_pkey on p
//	└─ Scan c                   └─ Interleaved Scan on c
func (o *Options) interleavedJoin(j sized) (plan.Node, bool) {
	parent, child, ok := interleaved(j.Join)
	if !ok {
		return nil, false
	}
	m, ok := interleavedKeys(j.Join, parent, child)
	if !ok {
		return nil, false
	}
	// The spans must be those of the rows themselves, in the order of their keys.
	paths := o.Paths
	paths.ZOrder, paths.Merge, paths.Skip = true, true, true
	a := access.Choose(parent, o.Store, paths, o.Env)
	if _, spans := a.Spans(); !spans || a.Index() != nil || a.Lookup != nil || a.Merge != nil || a.Reverse {
		return nil, false
	}
	within := child // what the ranges leave of it
	within.Filter = keyConditions(parent, m.Keys)
	child.Filter = without(child.Filter, within.Filter)
	behind := o.scanned(within)
	within.Filter = slices.Concat(within.Filter, child.Filter)
	looked := j.left * (cost.RangeRows + o.scanned(within).Rows/math.Max(a.Estimate.Rows, 1))
	separate := cost.Rows(o.scanned(parent)) + math.Min(looked, cost.Rows(o.scanned(child)))
	if cost.Rows(a.Estimate)+behind.Rows > separate {
		return nil, false
	}
	matches := o.rows(child)
	child.Access = &plan.Access{Path: plan.Behind{Entries: plan.Entries{Filter: child.Filter}},
		Estimate: plan.Estimate{Rows: behind.Rows, Matches: matches}}
	a.Rechosen, a.Repriced = false, false
	a.Estimate = cost.WithBehind(a.Estimate, behind)
	parent.Access = &a
	j.Left, j.Right, j.Method = parent, child, &m
	return j.Join, true
}

// interleaved are the sides of a join of a table with one whose rows lie behind its rows.
func interleaved(j plan.Join) (parent, child plan.Scan, ok bool) {
	parent, isScan := j.Left.(plan.Scan)
	if !isScan || parent.Access != nil || parent.Write || parent.Marked > 0 || len(parent.Hints) > 0 {
		return parent, child, false
	}
	child, isScan = j.Right.(plan.Scan)
	if !isScan || child.Access != nil || child.Write || child.Marked > 0 || len(child.Hints) > 0 {
		return parent, child, false
	}
	in, above := child.Table.Space.In, parent.Table.Space.In
	ok = in != nil && in.Parent == parent.Table.ID && j.Kind != plan.RightJoin && j.Kind != plan.FullJoin
	// Where columns are told by their names, those of both must differ.
	return parent, child, ok && (above == nil || above.Prefix != in.Prefix)
}

// behindEachOther says whether the rows of one table lie behind those of the other.
func behindEachOther(a, b plan.Scan) bool {
	behind := func(child, parent plan.Scan) bool {
		in := child.Table.Space.In
		return in != nil && in.Parent == parent.Table.ID
	}
	return behind(a, b) || behind(b, a)
}

// interleavedKeys has the equalities of the key of the parent as its keys, if the join has all of them; what
// else it has is the residual.
func interleavedKeys(j plan.Join, parent, child plan.Scan) (m plan.JoinMethod, ok bool) {
	m = plan.JoinMethod{Strategy: plan.Interleaved}
	width := plan.Width(parent)
	own := child.Table.Primary.Columns()
	rest := slices.Clone(j.Method.Keys)
	for i, id := range parent.Table.Primary.Columns() {
		at := slices.IndexFunc(rest, func(k plan.JoinKey) bool {
			return reads(k.Left, parent, id) && reads(k.Right, child, own[i])
		})
		if at < 0 {
			return m, false
		}
		m.Keys, rest = append(m.Keys, rest[at]), slices.Delete(rest, at, at+1)
	}
	conds := expr.Conjuncts(j.Method.Residual)
	for _, k := range rest {
		right := expr.Shift(k.Right, width)
		if k.NullsEqual {
			conds = append(conds, expr.Distinct{Left: k.Left, Right: right, Not: true})
		} else {
			conds = append(conds, expr.Compare{Op: expr.EQ, Left: k.Left, Right: right})
		}
	}
	m.Residual = expr.Conjoin(conds)
	return m, true
}

// reads says whether a value is a column of the table of a scan.
func reads(e expr.Expr, s plan.Scan, id uint32) bool {
	c, ok := e.(expr.Column)
	return ok && s.Table.Columns[s.Reads[c.Index]].ID == id
}

// keyConditions are what the conditions of the parent say of the keys of the child.
func keyConditions(parent plan.Scan, keys []plan.JoinKey) (out []expr.Expr) {
	own := map[int]int{}
	for _, k := range keys {
		own[k.Left.(expr.Column).Index] = k.Right.(expr.Column).Index
	}
	for _, cond := range parent.Filter {
		column, _, ok := transferable(cond)
		if to, isKey := own[column]; ok && isKey {
			out = append(out, expr.Renumber(cond, func(int) int { return to }))
		}
	}
	return out
}

// without leaves out conditions that are met already.
func without(conds, met []expr.Expr) []expr.Expr {
	return slices.DeleteFunc(slices.Clone(conds), func(c expr.Expr) bool { return among(met, c) })
}
