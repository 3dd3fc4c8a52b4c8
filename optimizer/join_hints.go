package optimizer

import (
	"slices"
	"strings"

	"zproxy/optimizer/joinorder"
	"zproxy/planner/joinhint"
	"zproxy/planner/plan"
)

// joinHints are hints about joins of some relations, which are numbered.
type joinHints struct {
	hints []*joinhint.Hint
	names []string // of the relations; empty: it has none
}

// hintsOfJoins are those about joins of some inputs.
func hintsOfJoins(inputs []plan.Node) (h joinHints) {
	for _, n := range inputs {
		h.relation(n)
	}
	return h
}

// relation adds a relation of a query: a scan, perhaps below filters and lists, or something without a name.
func (h *joinHints) relation(n plan.Node) {
	scan, ok := bare(n).(plan.Scan)
	h.names = append(h.names, scan.Alias)
	if ok {
		h.add(scan)
	}
}

// bare is what lies below filters, lists and the like, which are no relations of their own.
func bare(n plan.Node) plan.Node {
	for {
		switch n.(type) {
		case plan.Filter, plan.Project, plan.Distinct, plan.Memoize:
			n = n.Inputs()[0]
		default:
			return n
		}
	}
}

// joined are the relations that are joined below a node, or the node itself.
func joined(n plan.Node) []plan.Node {
	if j, ok := bare(n).(plan.Join); ok {
		return append(joined(j.Left), joined(j.Right)...)
	}
	return []plan.Node{n}
}

func (h *joinHints) add(scan plan.Scan) {
	for _, hint := range scan.Hints {
		if hint.Join != nil && !slices.Contains(h.hints, hint.Join) {
			h.hints = append(h.hints, hint.Join)
		}
	}
}

// of are the numbers of some tables; it is not ok if one of them is none of the relations.
func (h *joinHints) of(tables []string) (s joinorder.Set, ok bool) {
	for _, t := range tables {
		i := slices.IndexFunc(h.names, func(name string) bool { return strings.EqualFold(name, t) })
		if i < 0 || i >= joinorder.MaxRelations {
			return s, false
		}
		s |= joinorder.Of(i)
	}
	return s, true
}

// wantedPair is a join that a plan must have.
type wantedPair struct {
	outer, inner joinorder.Set
	free         bool // either side may be the outer one
}

// pairs are the joins that hints ask for.
func (h *joinHints) pairs() (out []wantedPair) {
	for _, hint := range h.hints {
		out = append(out, h.pairsOf(hint)...)
	}
	return out
}

// pairsOf are the joins that one hint asks for, of those whose tables are all among the relations.
func (h *joinHints) pairsOf(hint *joinhint.Hint) (out []wantedPair) {
	for _, p := range hint.Pairs() {
		outer, known := h.of(p.Outer)
		inner, too := h.of(p.Inner)
		if known && too && !outer.Meets(inner) {
			out = append(out, wantedPair{outer, inner, p.Free})
		}
	}
	return out
}

// allows says whether two sets of relations may be joined.
func (w wantedPair) allows(outer, inner joinorder.Set) bool {
	all, both := w.outer|w.inner, outer|inner
	switch {
	case !both.Meets(all):
		return true
	case both == all:
		return outer == w.outer && inner == w.inner || w.free && outer == w.inner && inner == w.outer
	case all.Within(both):
		return all.Within(outer) || all.Within(inner)
	}
	return both.Within(w.outer) || both.Within(w.inner)
}

// joinWays are what hints leave of the ways to join two sides.
type joinWays struct {
	noLoop, noHash, noMerge bool
	directed                bool // the right side is the one that is looked up, or made a hash table of
}

// ways are those for the join of exactly two sets of relations.
func (h *joinHints) ways(l, r joinorder.Set) (w joinWays) {
	if len(h.hints) == 0 {
		return w
	}
	for _, hint := range h.hints {
		if hint.Order != nil {
			continue
		}
		if of, ok := h.of(hint.Tables); !ok || of != l|r {
			continue
		}
		forbids := func(m joinhint.Method) bool { return hint.Forbid == (hint.Method == m) }
		w.noLoop = w.noLoop || forbids(joinhint.Loop)
		w.noHash = w.noHash || forbids(joinhint.Hash)
		w.noMerge = w.noMerge || forbids(joinhint.Merge)
	}
	if w.noLoop && w.noHash && w.noMerge {
		w = joinWays{} // all cannot be followed
	}
	w.directed = slices.Contains(h.pairs(), wantedPair{outer: l, inner: r})
	return w
}

// merges says whether hints ask for a merge of a relation with others.
func (h *joinHints) merges(relation int) bool {
	return slices.ContainsFunc(h.hints, func(hint *joinhint.Hint) bool {
		if hint.Order != nil || hint.Method != joinhint.Merge || hint.Forbid {
			return false
		}
		of, ok := h.of(hint.Tables)
		return ok && of.Meets(joinorder.Of(relation))
	})
}

// unlessMerged says whether a join that is not a merge is one that hints forbid.
func (w joinWays) unlessMerged() bool { return w.noLoop && w.noHash }

// ordered are the joins in the order that hints ask for, which costs least of those that they leave; nil: they ask for
// none, or it cannot be had.
func (m *joinModel) ordered(t *joinorder.Tree) *joinorder.Plan {
	pairs := m.set.hints.pairs()
	if len(pairs) == 0 {
		return nil
	}
	return joinorder.Within(t, m, func(outer, inner joinorder.Set) bool {
		return !slices.ContainsFunc(pairs, func(w wantedPair) bool { return !w.allows(outer, inner) })
	})
}

// waysOf are what hints leave of the ways to join the sides of a join.
func (o *Options) waysOf(j plan.Join) joinWays {
	if !o.hinted {
		return joinWays{}
	}
	h, l, r := relationsOf(j)
	return h.ways(l, r)
}

// relationsOf are the hints about a join, with the relations that it joins on each side; none if they are too many.
func relationsOf(j plan.Join) (h joinHints, l, r joinorder.Set) {
	left := joined(j.Left)
	all := append(left, joined(j.Right)...)
	if len(all) > joinorder.MaxRelations {
		return h, 0, 0
	}
	for i, n := range all {
		h.relation(n)
		if i < len(left) {
			l |= joinorder.Of(i)
		} else {
			r |= joinorder.Of(i)
		}
	}
	return h, l, r
}

// UnmetHints are the hints about joins that a plan does not follow, as they are written.
func UnmetHints(n plan.Node) (out []string) {
	var all joinHints
	for _, scan := range plan.Scans(n) {
		all.add(scan)
	}
	if len(all.hints) == 0 {
		return nil
	}
	met := map[*joinhint.Hint]int{}
	follow(n, met)
	for _, hint := range all.hints {
		if met[hint] < max(1, len(hint.Pairs())) {
			out = append(out, hint.Text)
		}
	}
	return out
}

// follow counts what the joins of a plan do of what hints ask for.
func follow(n plan.Node, met map[*joinhint.Hint]int) {
	for _, in := range n.Inputs() {
		follow(in, met)
	}
	for _, s := range plan.Subqueries(n) {
		follow(s.Plan.(plan.Sub).Node, met)
	}
	j, ok := n.(plan.Join)
	if !ok {
		return
	}
	method, known := methodOf(j)
	h, l, r := relationsOf(j)
	for _, hint := range h.hints {
		has := known && method == hint.Method
		if of, known := h.of(hint.Tables); hint.Order == nil && known && of == l|r && has != hint.Forbid {
			met[hint]++
		}
		for _, w := range h.pairsOf(hint) {
			if w.outer|w.inner == l|r && w.allows(l, r) {
				met[hint]++
			}
		}
	}
}

// methodOf is the method that hints call that of a join. It is not ok if they have no name for it.
func methodOf(j plan.Join) (m joinhint.Method, ok bool) {
	if j.Method == nil {
		return joinhint.Loop, true
	}
	switch j.Method.Strategy {
	case plan.Loop, plan.Lookup:
		return joinhint.Loop, true
	case plan.Hash:
		return joinhint.Hash, true
	case plan.Merged:
		return joinhint.Merge, true
	}
	return m, false
}
