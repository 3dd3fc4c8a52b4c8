package query

import (
	"strconv"

	"zproxy/types/textsearch/vector"
)

// AppendText appends the text of a tsquery.
func AppendText(dst, held []byte) []byte { return Decode(held).append(dst, 0, false) }

// String is the query as text.
func (n *Node) String() string { return string(n.append(nil, 0, false)) }

// append appends a query within an operator of some precedence. The right side of a phrase has parentheses even if it
// is a phrase: their order matters.
func (n *Node) append(dst []byte, within int, rightOfPhrase bool) []byte {
	switch {
	case n == nil:
		return dst
	case n.Op == Word:
		return n.appendWord(dst)
	}
	own := precedence[n.Op]
	grouped := own < within || n.Op == Phrase && rightOfPhrase
	if grouped {
		dst = append(dst, "( "...)
	}
	if n.Op == Not {
		dst = n.Right.append(append(dst, '!'), own, false)
	} else {
		dst = n.Left.append(dst, own, false)
		dst = append(append(append(dst, ' '), n.sign()...), ' ')
		dst = n.Right.append(dst, own, n.Op == Phrase)
	}
	if grouped {
		dst = append(dst, " )"...)
	}
	return dst
}

func (n *Node) sign() string {
	switch {
	case n.Op == And:
		return "&"
	case n.Op == Or:
		return "|"
	case n.Distance == 1:
		return "<->"
	}
	return "<" + strconv.Itoa(n.Distance) + ">"
}

func (n *Node) appendWord(dst []byte) []byte {
	dst = vector.AppendQuoted(dst, n.Lexeme)
	if n.Weights == 0 && !n.Prefix {
		return dst
	}
	dst = append(dst, ':')
	if n.Prefix {
		dst = append(dst, '*')
	}
	for i, letter := range []byte("ABCD") {
		if n.Weights&(8>>i) != 0 {
			dst = append(dst, letter)
		}
	}
	return dst
}
