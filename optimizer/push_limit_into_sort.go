package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// pushLimitIntoSort lets a sort keep only the rows that a Limit above it can pass on. The
// Limit stays, since it also does the skipping.
//
//	Limit 10                Limit 10
//	└─ Project          →   └─ Project
//	   └─ Sort a               └─ Sort a most=10
//
// The sort below a window that lets the first rows of each partition come out keeps no others, nor does the one below
// DISTINCT ON.
//
// It must not fire through a node that drops or adds rows, such as Filter or Distinct: the Limit would count other rows
// than the sort; nor through a Window whose functions look at rows behind. LockRows seldom drops rows, and a Limit with
// ties seldom passes on many more than it counts: a sort below these keeps all, but the first ones are probably enough.
var pushLimitIntoSort = Rule{"PushLimitIntoSort", func(_ *Options, n plan.Node) (plan.Node, bool) {
	switch n := n.(type) {
	case plan.Window:
		return sortedFirst(n)
	case plan.Distinct:
		return sortedOne(n)
	}
	limit, ok := n.(plan.Limit)
	if !ok || limit.Count == nil {
		return n, false
	}
	most := plan.Limit{Count: limit.Count, Offset: limit.Offset}
	limit.Input, ok = limitedSort(limit.Input, most, limit.Ties != nil)
	return limit, ok
}}

// mostOfEach is how many rows of each partition a sort looks through to put one more among them.
const mostOfEach = 1000

// sortedFirst is a window whose sort keeps the rows of each partition that its condition on row_number() lets come out.
func sortedFirst(w plan.Window) (plan.Node, bool) {
	sort, ok := w.Input.(plan.Sort)
	if !ok || sort.Each > 0 || sort.Most != nil {
		return w, false
	}
	for _, cond := range w.Run {
		of := partitionKeys(sort, w.Partition)
		count, function, ok := mostRanked(w, cond)
		if ok && function == "row_number" && of > 0 && 0 < count && count <= mostOfEach {
			sort.Of, sort.Each = of, count
			w.Input = sort
			return w, true
		}
	}
	return w, false
}

// sortedOne is a DISTINCT ON whose sort keeps the row of each group that it lets come out.
func sortedOne(n plan.Distinct) (plan.Node, bool) {
	sort, ok := n.Input.(plan.Sort)
	if !ok || sort.Each > 0 || sort.Most != nil || len(n.On) == 0 {
		return n, false
	}
	of := partitionKeys(sort, n.On)
	if of == 0 {
		return n, false
	}
	sort.Of, sort.Each = of, 1
	n.Input = sort
	return n, true
}

// partitionKeys is how many of the first keys of a sort are those of partitions; 0: not all of these are among them.
func partitionKeys(sort plan.Sort, partition []expr.Expr) int {
	of := 0
	for of < len(sort.Keys) && among(partition, sort.Keys[of].Expr) {
		of++
	}
	for _, e := range partition {
		if !slices.ContainsFunc(sort.Keys[:of], func(k plan.SortKey) bool { return expr.Equal(k.Expr, e) }) {
			return 0
		}
	}
	return of
}

// limitedSort is a node whose sort keeps what a Limit above it may take. Below LockRows and a Limit with ties that is
// not known.
func limitedSort(n plan.Node, most plan.Limit, few bool) (plan.Node, bool) {
	return throughProjects(n, func(below plan.Node) (plan.Node, bool) {
		switch n := below.(type) {
		case plan.LockRows:
			in, ok := limitedSort(n.Input, most, true)
			n.Input = in
			return n, ok
		case plan.Window:
			if len(n.Run) > 0 || !ranksOnly(n) {
				return n, false
			}
			in, ok := limitedSort(n.Input, most, few)
			n.Input = in
			return n, ok
		case plan.Sort:
			if n.Most != nil || n.Few {
				return n, false
			}
			if n.Few = few; !few {
				n.Most = &most
			}
			return n, true
		}
		return below, false
	})
}

// throughProjects rewrites the node below any Projects.
func throughProjects(n plan.Node, f func(plan.Node) (plan.Node, bool)) (plan.Node, bool) {
	p, ok := n.(plan.Project)
	if !ok {
		return f(n)
	}
	in, ok := throughProjects(p.Input, f)
	p.Input = in
	return p, ok
}
