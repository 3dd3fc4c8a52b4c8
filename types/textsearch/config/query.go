package config

import (
	"zproxy/types/form"
	"zproxy/types/textsearch/query"
)

// Style is how the text of a query is read.
type Style uint8

// The styles.
const (
	Operators Style = iota // with operators
	Plain                  // all words
	Following              // all words one after the other
	Web                    // as search engines read it
)

// Query makes a query of a text. nil: nothing is left of it; stopped says that there were words that are left out.
func (c *Config) Query(text string, style Style, work form.Work) (n *query.Node, stopped bool, err error) {
	op := query.Phrase
	if style == Plain {
		op = query.And
	}
	operand := func(word string, weights uint8, prefix bool) (*query.Node, error) {
		return c.operand(operand{text, word, op, weights, prefix}, work)
	}
	switch style {
	case Operators:
		n, err = query.Read(text, operand)
	case Web:
		n, err = query.ReadWeb(text, operand)
	default:
		if text != "" {
			n, err = operand(text, 0, false)
		}
	}
	if err != nil {
		return nil, false, err
	}
	all := n != nil
	n, err = query.WithoutStops(n)
	return n, all, err
}

// operand is a part of a query that is divided into words, which an operator joins.
type operand struct {
	whole, text string
	op          query.Op
	weights     uint8
	prefix      bool
}

// operand makes a query of the words of a text. Words that are left out keep their positions for a while.
func (c *Config) operand(o operand, work form.Work) (*query.Node, error) {
	var out *query.Node
	last := 0
	add := func(n *query.Node) error {
		if out == nil {
			out = n
			return nil
		}
		joined, err := query.Combine(o.op, out, n, 1)
		out = joined
		return err
	}
	err := c.Words(o.text, work, func(w Token) error {
		if w.Lexeme == "" {
			return nil
		}
		for last++; out != nil && last < w.Position; last++ {
			if err := add(query.NewStop()); err != nil {
				return err
			}
		}
		last = w.Position
		n, err := query.CheckedWord(o.whole, w.Lexeme, o.weights, o.prefix)
		if err != nil {
			return err
		}
		return add(n)
	})
	if out == nil {
		out = query.NewStop()
	}
	return out, err
}
