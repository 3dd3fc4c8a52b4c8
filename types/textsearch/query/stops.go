package query

// WithoutStops is a query without the words that no document has to have. Phrases keep the distances between the other
// words.
func WithoutStops(n *Node) (*Node, error) {
	if n == nil {
		return nil, nil
	}
	out := n.withoutStops()
	return out.node, out.node.check()
}

// remains is what remains of a part of a query: by how many positions phrases on its sides become longer.
type remains struct {
	node        *Node
	left, right int
}

func (n *Node) withoutStops() remains {
	switch n.Op {
	case Word:
		return remains{node: n}
	case Stop:
		return remains{}
	case Not:
		of := n.Right.withoutStops()
		if of.node != nil {
			of.node = NewNot(of.node)
		}
		return of
	}
	left, right := n.Left.withoutStops(), n.Right.withoutStops()
	if n.Op == Phrase {
		return phraseOf(left, right, n.Distance)
	}
	switch {
	case left.node == nil && right.node == nil:
		longest := max(left.left, right.left)
		return remains{nil, longest, longest}
	case left.node == nil:
		return right
	case right.node == nil:
		return left
	}
	return remains{node: Join(n.Op, left.node, right.node, n.Distance)}
}

// phraseOf is a phrase of two parts. Of a part without words the distances on both sides are equal.
func phraseOf(left, right remains, distance int) remains {
	switch {
	case left.node == nil && right.node == nil:
		all := left.left + distance + right.left
		return remains{nil, all, all}
	case left.node == nil:
		return remains{right.node, left.left + distance + right.left, right.right}
	case right.node == nil:
		return remains{left.node, left.left, left.right + distance + right.right}
	}
	joined := Join(Phrase, left.node, right.node, distance+left.right+right.left)
	return remains{joined, left.left, right.right}
}
