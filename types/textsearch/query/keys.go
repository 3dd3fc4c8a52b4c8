package query

// Key is a lexeme of which an inverted index has an entry, or the beginning of several.
type Key struct {
	Lexeme string
	Prefix bool
}

// Keys are what an inverted index can look up for a query: a row can match only if it has one key of each of the lists.
// false: a row may match that has none of the lexemes, so that the index must be read as a whole. What is found must be
// checked by the query itself.
func (n *Node) Keys() (all [][]Key, ok bool) {
	if n == nil {
		return [][]Key{nil}, true // no row has a key of none
	}
	positive := n.Positive()
	if positive == nil {
		return nil, false
	}
	return positive.keys(), true
}

// keys are the lists of a query that has no Not.
func (n *Node) keys() [][]Key {
	switch n.Op {
	case Word:
		return [][]Key{{{n.Lexeme, n.Prefix}}}
	case Or:
		return [][]Key{append(shortest(n.Left.keys()), shortest(n.Right.keys())...)}
	}
	return append(n.Left.keys(), n.Right.keys()...)
}

// shortest is the list that finds the fewest rows, as far as is known here.
func shortest(lists [][]Key) []Key {
	best := lists[0]
	for _, list := range lists[1:] {
		if len(list) < len(best) {
			best = list
		}
	}
	return best[:len(best):len(best)]
}
