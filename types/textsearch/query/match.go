package query

import (
	"slices"

	"zproxy/types/textsearch/vector"
)

// Answer says whether a part of a query matches.
type Answer uint8

// The answers. Maybe is of a document without positions: it has the lexemes, and where is not known.
const (
	No Answer = iota
	Maybe
	Yes
)

// Document is what queries are asked about.
type Document interface {
	// Has says whether the document has a lexeme that a word means, with a weight that counts.
	Has(word *Node) Answer
	// Positions are where those are, in order; Maybe: that is not known.
	Positions(word *Node) ([]int, Answer)
}

// Mode says how parts of queries are answered that need more than lexemes.
type Mode struct {
	// Loose takes Not for true, whatever it is of.
	Loose bool
	// Uncertain says that what may match, as positions are not known, is Maybe; otherwise it is No.
	Uncertain bool
}

// Match says whether a vector matches.
func (n *Node) Match(v vector.Vector) bool { return n.Ask(Document(Lexemes(v)), Mode{}) != No }

// Ask says whether a document matches.
func (n *Node) Ask(d Document, m Mode) Answer {
	switch {
	case n == nil:
		return No
	case n.Op == Word:
		return d.Has(n)
	case n.Op == Not && m.Loose:
		return Yes
	case n.Op == Not:
		return Yes - n.Right.Ask(d, m)
	case n.Op == And:
		left := n.Left.Ask(d, m)
		if left == No {
			return No
		}
		return min(left, n.Right.Ask(d, m))
	case n.Op == Or:
		left := n.Left.Ask(d, m)
		if left == Yes {
			return Yes
		}
		return max(left, n.Right.Ask(d, m))
	}
	var at spots
	answer := n.locate(d, m, &at)
	if answer == Maybe && !m.Uncertain {
		return No
	}
	return answer
}

// Locate is where a part of a query matches: the positions of its last word, or where it does not match, and how many
// positions before them it begins.
func (n *Node) Locate(d Document) (at []int, inverted bool, width int, answer Answer) {
	var found spots
	answer = n.locate(d, Mode{}, &found)
	return found.at, found.inverted, found.width, answer
}

// spots is where a part of a phrase matches: at positions of its last word, or everywhere else.
type spots struct {
	at       []int
	inverted bool
	width    int // how many positions before the last word the first one stands
}

// locate finds where a part of a phrase matches.
func (n *Node) locate(d Document, m Mode, out *spots) Answer {
	switch n.Op {
	case Word:
		at, answer := d.Positions(n)
		out.at = at
		return answer
	case Not:
		if m.Loose {
			out.inverted = true
			return Yes
		}
		return n.Right.locate(d, m, out).not(out)
	}
	var left, right spots
	l := n.Left.locate(d, m, &left)
	if l == No && n.Op != Or {
		return No
	}
	r := n.Right.locate(d, m, &right)
	if n.Op == Or {
		return either(l, r, [2]spots{left, right}, out)
	}
	switch {
	case r == No:
		return No
	case l == Maybe || r == Maybe:
		return Maybe
	}
	if n.Op == Phrase {
		out.width = n.Distance + left.width + right.width
		return both(&left, &right, n.Distance+right.width, 0, out)
	}
	out.width = max(left.width, right.width)
	return both(&left, &right, out.width-left.width, out.width-right.width, out)
}

// not turns an answer and its spots into the opposite.
func (a Answer) not(at *spots) Answer {
	switch {
	case a == No:
		at.inverted = true
		return Yes
	case a == Maybe:
		return Maybe
	case len(at.at) > 0:
		at.inverted = !at.inverted
		return Yes
	}
	at.inverted = false // it was everywhere
	return No
}

// both is where two parts match that are moved by some positions. !a & !b is !(a | b).
func both(left, right *spots, moveLeft, moveRight int, out *spots) Answer {
	var m merge
	switch {
	case left.inverted && right.inverted:
		out.inverted = true
		m = merge{both: true, left: true, right: true}
	case left.inverted:
		m = merge{right: true}
	case right.inverted:
		m = merge{left: true}
	default:
		m = merge{both: true}
	}
	out.at = m.of(left.at, right.at, moveLeft, moveRight)
	return found(out)
}

// either is where at least one of two parts matches. !a | !b is !(a & b).
func either(l, r Answer, sides [2]spots, out *spots) Answer {
	switch {
	case l == No && r == No:
		return No
	case l == Maybe || r == Maybe:
		return Maybe
	}
	left, right := &sides[0], &sides[1]
	if l == No {
		*left = spots{}
	}
	if r == No {
		*right = spots{}
	}
	out.width = max(left.width, right.width)
	var m merge
	switch {
	case left.inverted && right.inverted:
		m = merge{both: true}
	case left.inverted:
		m = merge{left: true}
	case right.inverted:
		m = merge{right: true}
	default:
		m = merge{both: true, left: true, right: true}
	}
	out.inverted = left.inverted || right.inverted
	out.at = m.of(left.at, right.at, out.width-left.width, out.width-right.width)
	return found(out)
}

func found(at *spots) Answer {
	if at.inverted || len(at.at) > 0 {
		return Yes
	}
	return No
}

// merge says which of the positions of two sides are taken: those of both, of the left one alone, of the right one
// alone.
type merge struct{ both, left, right bool }

// of merges two lists, which are moved first.
func (m merge) of(left, right []int, moveLeft, moveRight int) (out []int) {
	for len(left) > 0 || len(right) > 0 {
		take, at := false, 0
		switch {
		case len(right) == 0 || len(left) > 0 && left[0]+moveLeft < right[0]+moveRight:
			take, at, left = m.left, left[0]+moveLeft, left[1:]
		case len(left) == 0 || left[0]+moveLeft > right[0]+moveRight:
			take, at, right = m.right, right[0]+moveRight, right[1:]
		default:
			take, at, left, right = m.both, right[0]+moveRight, left[1:], right[1:]
		}
		if take && at > 0 {
			out = append(out, at)
		}
	}
	return out
}

// Lexemes is a vector as a document.
type Lexemes vector.Vector

// Meant are the entries of the lexemes that a word means.
func (l Lexemes) Meant(word *Node) []vector.Entry {
	at, found := vector.Vector(l).Find(word.Lexeme)
	end := at
	switch {
	case word.Prefix:
		for end < len(l) && len(l[end].Lexeme) >= len(word.Lexeme) && l[end].Lexeme[:len(word.Lexeme)] == word.Lexeme {
			end++
		}
	case found:
		end++
	}
	return l[at:end]
}

// Counts says whether a position has a weight that a word accepts.
func (n *Node) Counts(p vector.Position) bool {
	return n.Weights == 0 || n.Weights&(1<<p.Weight()) != 0
}

// Has implements Document.
func (l Lexemes) Has(word *Node) Answer {
	for _, e := range l.Meant(word) {
		if len(e.Positions) == 0 || slices.ContainsFunc(e.Positions, word.Counts) {
			return Yes
		}
	}
	return No
}

// Positions implements Document.
func (l Lexemes) Positions(word *Node) (out []int, answer Answer) {
	for _, e := range l.Meant(word) {
		if len(e.Positions) == 0 {
			return nil, Maybe
		}
		for _, p := range e.Positions {
			if word.Counts(p) {
				out = append(out, p.Number())
			}
		}
	}
	if len(out) == 0 {
		return nil, No
	}
	slices.Sort(out)
	return slices.Compact(out), Yes
}
