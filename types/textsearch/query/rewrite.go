package query

import (
	"cmp"
	"slices"

	"zproxy/types/checksum"
	"zproxy/types/form"
)

// tree is a query whose parts are put in one order: And and Or have all of their parts as children, sorted.
type tree struct {
	*Node
	children []*tree
	done     bool // it was put there instead of something else
}

// treeOf is a query as a tree. With sort its parts are joined and put in order, so that equal queries are equal trees.
func treeOf(n *Node, sort bool) *tree {
	t := &tree{Node: n}
	if n.Right == nil {
		return t
	}
	t.children = []*tree{treeOf(n.Right, sort)}
	if n.Left != nil {
		t.children = append(t.children, treeOf(n.Left, sort))
	}
	if sort && t.open() {
		t.flatten()
		slices.SortStableFunc(t.children, compareTrees)
	}
	return t
}

// open says that the children may have any order and number.
func (t *tree) open() bool { return t.Op == And || t.Op == Or }

// flatten takes the children of children with the same operator.
func (t *tree) flatten() {
	var all []*tree
	for _, c := range t.children {
		if c.Op == t.Op {
			all = append(all, c.children...)
		} else {
			all = append(all, c)
		}
	}
	t.children = all
}

func (t *tree) sort() {
	for _, c := range t.children {
		c.sort()
	}
	if t.open() {
		slices.SortStableFunc(t.children, compareTrees)
	}
}

// compareTrees is PostgreSQL's order of trees: operators before words, larger numbers first.
func compareTrees(a, b *tree) int {
	if a.Op == Word || b.Op == Word {
		if a.Op != b.Op {
			return cmp.Compare(b.Op, a.Op)
		}
		return cmp.Or(cmp.Compare(int32(checksum.Of(b.Lexeme)), int32(checksum.Of(a.Lexeme))),
			cmp.Compare(a.Lexeme, b.Lexeme))
	}
	if c := cmp.Or(cmp.Compare(b.Op, a.Op), cmp.Compare(len(b.children), len(a.children))); c != 0 {
		return c
	}
	return cmp.Or(slices.CompareFunc(a.children, b.children, compareTrees), cmp.Compare(b.Distance, a.Distance))
}

// Rewrite puts a query for each part of n that equals another one; nil takes the part away. Children of And and Or that
// are some of those of n are such a part, too.
func (n *Node) Rewrite(part, by *Node, work form.Work) (*Node, error) {
	if n == nil || part == nil {
		return n, nil
	}
	r := rewriter{part: treeOf(part, true), work: work}
	if by != nil {
		r.by = treeOf(by, false)
	}
	out, err := r.rewrite(treeOf(n, true))
	if err != nil || out == nil {
		return nil, err
	}
	all := out.node()
	return all, all.check()
}

type rewriter struct {
	part, by *tree
	work     form.Work
}

// put is what is there instead of a part; nil: nothing.
func (r *rewriter) put() *tree {
	if r.by == nil {
		return nil
	}
	return &tree{Node: r.by.Node, children: r.by.children, done: true}
}

// rewrite looks at a tree and then, unless it is replaced, at its children.
func (r *rewriter) rewrite(t *tree) (*tree, error) {
	if err := form.Tick(r.work, 16*(len(t.children)+1)); err != nil {
		return nil, err
	}
	if t.Op == r.part.Op {
		if compareTrees(t, r.part) == 0 {
			return r.put(), nil
		}
		r.replaceSome(t)
	}
	kept := t.children[:0]
	for _, c := range t.children {
		if !c.done {
			var err error
			if c, err = r.rewrite(c); err != nil {
				return nil, err
			}
		}
		if c != nil {
			kept = append(kept, c)
		}
	}
	if t.Op == Word {
		return t, nil
	}
	t.children = kept
	switch {
	case len(kept) == 0:
		return nil, nil
	case len(kept) == 1 && t.Op != Not:
		return kept[0], nil
	}
	return t, nil
}

// replaceSome replaces children that are all children of the part.
func (r *rewriter) replaceSome(t *tree) {
	if !t.open() || len(t.children) <= len(r.part.children) {
		return
	}
	wanted := r.part.children
	rest := make([]*tree, 0, len(t.children))
	for _, c := range t.children {
		if len(wanted) > 0 && compareTrees(c, wanted[0]) == 0 {
			wanted = wanted[1:]
			continue
		}
		rest = append(rest, c)
	}
	if len(wanted) > 0 {
		return
	}
	if by := r.put(); by != nil {
		rest = append(rest, by)
	}
	t.children = rest
	t.sort()
}

// node is the query of a tree. The order in which children are joined is PostgreSQL's.
func (t *tree) node() *Node {
	if t.Op == Word {
		return t.Node
	}
	out, rest := t.children[0].node(), t.children[1:]
	for i := range rest {
		next := rest[(len(rest)-i)%len(rest)] // the first one, then from the last one on
		out = Join(t.Op, next.node(), out, t.Distance)
	}
	if t.Op == Not {
		return NewNot(out)
	}
	return out
}
