package optimizer

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/joinorder"
	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

// equate adds the equalities that follow from those of inner joins, so that any two inputs with equal columns can be
// joined by them. One of each class of equal columns is then asked of a pair.
func (s *joinSet) equate(t *joinorder.Tree) {
	classes := 0
	for _, block := range innerBlocks(t) {
		s.equateBlock(block, &classes)
	}
}

// innerBlock is inner joins that are joined with each other, the topmost first.
type innerBlock []*joinorder.Tree

// innerBlocks are the inner joins of a tree.
func innerBlocks(t *joinorder.Tree) (out []innerBlock) {
	if t.Left == nil {
		return nil
	}
	var block innerBlock
	var collect func(t *joinorder.Tree)
	collect = func(t *joinorder.Tree) {
		if t.Left == nil || t.Kind != plan.InnerJoin {
			out = append(out, innerBlocks(t)...)
			return
		}
		block = append(block, t)
		collect(t.Left)
		collect(t.Right)
	}
	if t.Kind == plan.InnerJoin {
		collect(t)
		return append(out, block)
	}
	return append(innerBlocks(t.Left), innerBlocks(t.Right)...)
}

// mostClasses is how many classes of equal columns are told from each other.
const mostClasses = joinorder.MaxRelations - 1

func (s *joinSet) equateBlock(block innerBlock, classes *int) {
	var conds []expr.Expr
	for _, t := range block {
		for _, c := range t.Conditions {
			conds = append(conds, s.conds[c.Number].cond)
		}
	}
	equal := rowkey.Equivalences(conds)
	for _, first := range slices.Sorted(maps.Keys(equal)) {
		class := equal[first]
		lowest := slices.MinFunc(class, func(a, b expr.Column) int { return a.Index - b.Index }).Index
		if first != lowest || !s.ofDifferentInputs(class) || *classes == mostClasses {
			continue
		}
		*classes++
		s.equateClass(block, class, *classes)
	}
}

// ofDifferentInputs says whether no two columns are of the same input.
func (s *joinSet) ofDifferentInputs(class []expr.Column) bool {
	inputs := map[int]bool{}
	for _, c := range class {
		inputs[s.inputOf(c.Index)] = true
	}
	return len(inputs) == len(class)
}

// equateClass gives a block a condition for any two columns of a class, unless there is no join for one of them: two
// that are below an outer join are joined there, without it.
func (s *joinSet) equateClass(block innerBlock, class []expr.Column, number int) {
	type equality struct {
		in   *joinorder.Tree
		a, b expr.Column
	}
	var missing []equality
	var there []*joinorder.Condition
	stated, sides := s.equalities(block), sidesOf(block)
	for i, a := range class {
		for _, b := range class[:i] {
			if found := stated[pairOf(a, b)]; len(found) > 0 {
				there = append(there, found...)
				continue
			}
			in := s.between(sides, a, b)
			if in == nil {
				return
			}
			missing = append(missing, equality{in, a, b})
		}
	}
	for _, c := range there {
		c.Class = number
	}
	for _, e := range missing {
		s.addEquality(e.in, e.a, e.b, number)
	}
}

// equalities are the conditions of a block that say that two columns are equal, by these.
func (s *joinSet) equalities(block innerBlock) map[[2]int][]*joinorder.Condition {
	out := map[[2]int][]*joinorder.Condition{}
	for _, t := range block {
		for i := range t.Conditions {
			c := &t.Conditions[i]
			if l, r, ok := rowkey.EqualColumns(s.conds[c.Number].cond); ok {
				out[pairOf(l, r)] = append(out[pairOf(l, r)], c)
			}
		}
	}
	return out
}

func pairOf(a, b expr.Column) [2]int { return [2]int{min(a.Index, b.Index), max(a.Index, b.Index)} }

// between is the join of a block that has one of two columns on each side; nil: there is none.
func (s *joinSet) between(block []twoSides, a, b expr.Column) *joinorder.Tree {
	one, other := joinorder.Of(s.inputOf(a.Index)), joinorder.Of(s.inputOf(b.Index))
	for _, t := range block {
		if one.Within(t.left) && other.Within(t.right) || other.Within(t.left) && one.Within(t.right) {
			return t.Tree
		}
	}
	return nil
}

// twoSides is a join, and the inputs on its sides.
type twoSides struct {
	*joinorder.Tree
	left, right joinorder.Set
}

func sidesOf(block innerBlock) (out []twoSides) {
	for _, t := range block {
		out = append(out, twoSides{t, t.Left.Relations(), t.Right.Relations()})
	}
	return out
}

// addEquality adds one of a class to a join.
func (s *joinSet) addEquality(t *joinorder.Tree, a, b expr.Column, class int) {
	if !joinorder.Of(s.inputOf(a.Index)).Within(t.Left.Relations()) {
		a, b = b, a
	}
	c := s.condition(joinCondition{key: &plan.JoinKey{Left: a, Right: b}})
	c.Class = class
	t.Conditions = append(t.Conditions, c)
}
