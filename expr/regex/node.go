package regex

// op is what a node of the syntax tree is.
type op uint8

const (
	opEmpty   op = iota
	opSet        // one character of a set
	opConcat     // the nodes in turn
	opAlt        // one of the nodes
	opRepeat     // the node min to max times
	opGroup      // a group that captures
	opBackref    // what a group has captured, min to max times
	opAssert     // a condition on the place
	opLook       // a condition on the text ahead or behind
)

// preference says whether the longest or the shortest match is wanted of a part, as
// quantifiers make it.
type preference uint8

const (
	noPreference preference = iota
	longest
	shortest
)

// infinite is the max of a repetition without one.
const infinite = -1

// node is a part of an expression. The tree has the shape of Henry Spencer's, since that
// decides which part gets how much of a text: a concatenation has two nodes, of which
// the second is all the rest.
type node struct {
	op       op
	subs     []*node
	set      *set
	min, max int
	group    int
	assert   assertion
	behind   bool // opLook
	negate   bool // opLook
	prefers  preference
	captures bool // a group is in it
	refers   bool // a back reference is in it
	within   bool // opBackref in parentheses, whose quantifier is not its own
	prog     *program
}

// assertion is a condition on a place.
type assertion uint8

const (
	textStart assertion = iota
	textEnd
	lineStart
	lineEnd
	wordStart
	wordEnd
	wordBorder
	notWordBorder
)

// item is one atom of a branch with its quantifier.
type item struct {
	node   *node
	simple bool // neither parentheses nor a back reference
}

func newNode(op op, subs ...*node) *node {
	n := &node{op: op, subs: subs}
	for _, sub := range subs {
		n.captures = n.captures || sub.captures
		n.refers = n.refers || sub.refers
		if op == opConcat && n.prefers == noPreference {
			n.prefers = sub.prefers
		}
	}
	return n
}

// branch makes the tree of a branch: as many simple items as agree on what they prefer
// are one part, then an item that is not so, then the rest.
func branch(items []item) *node {
	plain, prefers := []*node{}, noPreference
	for len(items) > 0 && items[0].simple {
		p := items[0].node.prefers
		if p != noPreference && prefers != noPreference && p != prefers {
			break
		}
		if p != noPreference {
			prefers = p
		}
		plain, items = append(plain, items[0].node), items[1:]
	}
	var before *node
	if len(plain) > 0 {
		before = newNode(opConcat, plain...)
	}
	if len(items) == 0 {
		if before == nil {
			return newNode(opEmpty)
		}
		return before
	}
	rest := items[0].node
	if len(items) > 1 {
		rest = newNode(opConcat, rest, branch(items[1:]))
	}
	if before == nil {
		return rest
	}
	return newNode(opConcat, before, rest)
}

// quantify repeats an atom. Where only the last repetition's captures matter, the ones
// before are a part of their own.
func quantify(atom *node, least, most int, prefers preference) *node {
	if prefers == noPreference {
		prefers = atom.prefers
	}
	times := func(least, most int) *node {
		n := newNode(opRepeat, atom)
		n.min, n.max, n.prefers = least, most, prefers
		return n
	}
	switch {
	case least == 0 && most == 0:
		return newNode(opEmpty)
	case atom.op == opBackref && !atom.within:
		n := *atom
		n.min, n.max, n.prefers = least, most, prefers
		return &n
	case least == 1 && most == 1 && (atom.prefers == noPreference || prefers == atom.prefers):
		return atom
	case atom.captures && !atom.refers && least > 0:
		fewer := most
		if most != infinite {
			fewer--
		}
		first := times(least-1, fewer)
		first.captures = false
		n := newNode(opConcat, first, atom)
		n.prefers = prefers
		return n
	}
	return times(least, most)
}
