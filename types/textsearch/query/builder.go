package query

import "zproxy/types/form"

// precedence of the operators: what binds more has the larger number.
var precedence = [...]int{Not: 4, Phrase: 3, And: 2, Or: 1}

// builder makes a tree of operands and operators in the order of the text.
type builder struct {
	nodes     []*Node
	operators []pending
}

// pending is an operator whose right side is not complete.
type pending struct {
	op       Op
	distance int
}

func (b *builder) push(n *Node) { b.nodes = append(b.nodes, n) }

// operator takes an operator. Those before it that bind as much or more are complete, but for negations before one.
func (b *builder) operator(op Op, distance int) error {
	b.complete(func(waiting Op) bool { return op != Not && precedence[op] <= precedence[waiting] })
	b.operators = append(b.operators, pending{op, distance})
	return form.CheckNesting(len(b.operators))
}

// complete applies the last operators as long as they may be.
func (b *builder) complete(may func(Op) bool) {
	for len(b.operators) > 0 {
		last := b.operators[len(b.operators)-1]
		if !may(last.op) {
			return
		}
		b.operators = b.operators[:len(b.operators)-1]
		b.apply(last.op, last.distance)
	}
}

// apply joins the last operands.
func (b *builder) apply(op Op, distance int) {
	at := len(b.nodes) - 1
	if op == Not {
		b.nodes[at] = NewNot(b.nodes[at])
		return
	}
	b.nodes[at-1] = Join(op, b.nodes[at-1], b.nodes[at], distance)
	b.nodes = b.nodes[:at]
}

// all is the tree of everything.
func (b *builder) all() *Node {
	b.complete(func(Op) bool { return true })
	return b.nodes[0]
}
