// Package query holds tsqueries: which lexemes a document must have, in what order and how far from each other. A
// Node is a query in memory; a value of SQL is the bytes that Encode makes, which sort as PostgreSQL orders tsqueries.
// The text and binary forms are here, and whether a vector matches. Begin with Node and Match.
package query

import (
	"slices"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/textsearch/vector"
)

// Op says what a node is.
type Op uint8

// The kinds of nodes. The numbers of operators are those of the binary form.
const (
	Word Op = iota
	Not
	And
	Or
	Phrase
	Stop // a word that no document has to have; it is in no value
)

// Node is a query, or a part of one. Nodes never change. nil is the query of nothing, which matches nothing.
type Node struct {
	Op
	Left, Right *Node // Not has Right alone
	Distance    int   // of a phrase: how many positions the right one stands behind the left one

	Lexeme  string
	Weights uint8 // a bit for each of D, C, B and A that counts; 0: all count
	Prefix  bool  // longer lexemes match, too

	depth, size, text int // of the tree: its levels, nodes, bytes of lexemes
}

// maxSize is how many bytes PostgreSQL gives to a query.
const maxSize = 1<<30 - 1

// NewWord is the query of one lexeme.
func NewWord(lexeme string, weights uint8, prefix bool) *Node {
	return &Node{Lexeme: lexeme, Weights: weights, Prefix: prefix, size: 1, text: len(lexeme) + 1}
}

// NewStop is a word that no document has to have.
func NewStop() *Node { return &Node{Op: Stop, size: 1} }

// NewNot is the query of what does not match another one.
func NewNot(of *Node) *Node {
	return &Node{Op: Not, Right: of, depth: of.depth + 1, size: of.size + 1, text: of.text}
}

// Join is an operator between two queries; distance is of phrases.
func Join(op Op, left, right *Node, distance int) *Node {
	return &Node{
		Op: op, Left: left, Right: right, Distance: distance,
		depth: max(left.depth, right.depth) + 1, size: left.size + right.size + 1, text: left.text + right.text,
	}
}

// check refuses what is too large, or nested too deep.
func (n *Node) check() error {
	if n == nil {
		return nil
	}
	if headerSize+itemSize*n.size+n.text > maxSize {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "tsquery is too large")
	}
	return form.CheckNesting(n.depth)
}

// Words calls f for each word, from the right to the left as they are stored.
func (n *Node) Words(f func(*Node)) {
	switch {
	case n == nil:
	case n.Op == Word:
		f(n)
	default:
		n.Right.Words(f)
		n.Left.Words(f)
	}
}

// lexemes are the different lexemes of a query, in order.
func (n *Node) lexemes() (out []string) {
	n.Words(func(w *Node) { out = append(out, w.Lexeme) })
	slices.Sort(out)
	return slices.Compact(out)
}

// Contains says whether a query has all lexemes of another one.
func (n *Node) Contains(other *Node) bool {
	all := n.lexemes()
	for _, lexeme := range other.lexemes() {
		if _, ok := slices.BinarySearch(all, lexeme); !ok {
			return false
		}
	}
	return true
}

// Positive is what remains of a query without what must not match, as an index can answer it; nil: nothing.
func (n *Node) Positive() *Node {
	if n == nil || n.Op == Not {
		return nil
	}
	if n.Op == Word {
		return n
	}
	left, right := n.Left.Positive(), n.Right.Positive()
	switch {
	case left != nil && right != nil:
		return Join(n.Op, left, right, n.Distance)
	case n.Op == Or:
		return nil
	case left != nil:
		return left
	}
	return right
}

// Combine joins two queries, of which an empty one changes nothing.
func Combine(op Op, left, right *Node, distance int) (*Node, error) {
	switch {
	case distance < 0 || distance > vector.MaxPosition+1:
		return nil, errDistance()
	case left == nil:
		return right, nil
	case right == nil:
		return left, nil
	}
	n := Join(op, left, right, distance)
	return n, n.check()
}

func errDistance() error {
	return sqlerr.New(sqlerr.InvalidParameterValue,
		"distance in phrase operator must be an integer value between zero and %d inclusive", vector.MaxPosition+1)
}

// Negate is NewNot of a value.
func Negate(n *Node) (*Node, error) {
	not := NewNot(n)
	return not, not.check()
}
