package joinorder

import "zproxy/planner/plan"

// Tree is the joins of a statement as they are written. A tree without a Left is a relation.
type Tree struct {
	Relation    int           // its number, below MaxRelations
	Kind        plan.JoinKind // Inner, Left, Semi or Anti
	Left, Right *Tree
	Conditions  []Condition
	// Depends, of a lateral join, are relations of Left by whose rows its right side runs, which is one relation.
	// Empty: it is not lateral.
	Depends Set
}

// Condition is one that a join asks of its pairs.
type Condition struct {
	Number  int
	Reads   Set // the relations whose columns it reads
	Rejects Set // those of which it is not true when all of their columns are NULL
	// Class, if it is not 0, is the number of a class of equal columns, any two of which have a condition. One of
	// each class is asked of a pair: all columns of the class on one side then equal those on the other one.
	Class int
}

// Relations is the set of all relations below a tree.
func (t *Tree) Relations() Set {
	if t.Left == nil {
		return Of(t.Relation)
	}
	return t.Left.Relations() | t.Right.Relations()
}

// edge is a condition, or a join with all of its conditions, that connects relations.
type edge struct {
	kind        plan.JoinKind
	lateral     bool // the right side is one relation that runs by rows of the left one
	directed    bool // its sides are the left and the right side of its join, and not the other way round
	either      bool // each of its relations may be on either side
	left, right Set  // relations that must be on each side: together its total eligibility set
	rules       []rule
	conditions  []int
	class       int
}

// rule says that an edge cannot join relations of which one is in the set if, unless all of the set then are, too.
type rule struct{ when, all Set }

func (e *edge) all() Set { return e.left | e.right }

// allowed says whether the rules of an edge let it join a set of relations.
func (e *edge) allowed(s Set) bool {
	for _, r := range e.rules {
		if r.when.Meets(s) && !r.all.Within(s) {
			return false
		}
	}
	return true
}

// edges are those of a tree. What an edge must have on its sides comes from conflicts with the joins below it: CD-C of
// Moerkotte, Fender and Eich, "On the correct and complete enumeration of the core search space" (2013).
func (t *Tree) edges() []edge {
	if t.Left == nil {
		return nil
	}
	out := append(t.Left.edges(), t.Right.edges()...)
	rules, needs := t.conflicts(), needed(out)
	whole := edge{kind: t.Kind, rules: rules, lateral: t.Depends != 0}
	reads := t.Depends
	if whole.lateral {
		reads |= t.Right.Relations()
	}
	if t.Kind != plan.InnerJoin {
		for _, c := range t.Conditions {
			whole.conditions, reads = append(whole.conditions, c.Number), reads|c.Reads
		}
	}
	if t.Kind != plan.InnerJoin || whole.lateral || len(t.Conditions) == 0 {
		whole = t.eligible(whole, reads, needs)
		out = append(out, whole)
	}
	if t.Kind != plan.InnerJoin {
		return out
	}
	if whole.lateral {
		needs = append(needs, rule{whole.right, whole.all()})
	}
	for _, c := range t.Conditions {
		e := edge{kind: t.Kind, rules: rules, conditions: []int{c.Number}, class: c.Class}
		out = append(out, t.eligible(e, c.Reads, needs))
	}
	return out
}

// needed are the rules that lateral joins make for those above them: their right sides come in by their edges.
func needed(edges []edge) (rules []rule) {
	for i := range edges {
		if e := &edges[i]; e.lateral {
			rules = append(rules, rule{e.right, e.all()})
		}
	}
	return rules
}

// eligible says what an edge must have on its sides: what its conditions read, and what that needs, and what its rules
// then ask for. A side of which nothing is read must be there as a whole.
func (t *Tree) eligible(e edge, reads Set, needs []rule) edge {
	l, r := t.Left.Relations(), t.Right.Relations()
	reads = grown(reads, needs)
	asked := reads
	if !reads.Meets(l) {
		reads |= l
	}
	if !reads.Meets(r) {
		reads |= r
	}
	reads = grown(reads, needs, e.rules)
	var open []rule
	for _, rule := range e.rules {
		if !rule.all.Within(reads) {
			open = append(open, rule)
		}
	}
	e.left, e.right, e.rules = reads&l, reads&r, open
	e.directed = e.kind != plan.InnerJoin || e.lateral
	e.either = !e.directed && reads.Count() > 2
	if reads != asked {
		e.class = 0 // columns may be together before they are equal
	}
	return e
}

// grown is a set with what rules ask for.
func grown(s Set, lists ...[]rule) Set {
	for before := Set(0); before != s; {
		before = s
		for _, rules := range lists {
			for _, r := range rules {
				if r.when.Meets(s) {
					s |= r.all
				}
			}
		}
	}
	return s
}

// conflicts are the rules that the joins below a join make for it. None comes of (e1 a e2) b e3, where b asks nothing
// of e2: it is (e1 b e3) a e2 for all kinds that a tree has.
func (t *Tree) conflicts() (rules []rule) {
	t.Left.joins(func(below *Tree) {
		l, r := below.Left.Relations(), below.Right.Relations()
		if !associates(below, t, r) {
			rules = append(rules, rule{r, l})
		}
	})
	t.Right.joins(func(below *Tree) {
		l, r := below.Left.Relations(), below.Right.Relations()
		if !associates(t, below, l) {
			rules = append(rules, rule{l, r})
		}
		if t.Kind != plan.InnerJoin || below.Kind != plan.InnerJoin { // e1 a (e2 b e3) is not e2 b (e1 a e3)
			rules = append(rules, rule{r, l})
		}
	})
	return rules
}

// joins calls visit with each join of a tree.
func (t *Tree) joins(visit func(*Tree)) {
	if t.Left == nil {
		return
	}
	visit(t)
	t.Left.joins(visit)
	t.Right.joins(visit)
}

// associates says whether (e1 a e2) b e3 is e1 a (e2 b e3), where b asks nothing of e1.
func associates(a, b *Tree, e2 Set) bool {
	switch a.Kind {
	case plan.InnerJoin:
		return true
	case plan.LeftJoin:
		return b.Kind == plan.LeftJoin && b.rejects(e2)
	}
	return false
}

// rejects says whether a join finds no partner for a row in which all columns of some relations are NULL.
func (t *Tree) rejects(s Set) bool {
	for _, c := range t.Conditions {
		if c.Rejects.Meets(s) {
			return true
		}
	}
	return false
}
