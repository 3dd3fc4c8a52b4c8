// Package joinhint is hints about the order and the methods of joins, as pg_hint_plan spells them. A hint names tables
// as the statement calls them. It comes to the optimizer with the scans of those tables, and says for a join of some of
// them whether it may be. Read Hint first.
package joinhint

import (
	"slices"
	"strings"
)

// Hint is one hint: an order, or a way to join that the join of exactly some tables must have or must not have.
type Hint struct {
	Text   string // as it is written
	Order  *Order // of Leading; nil: it is about a method
	Method Method
	Forbid bool
	Tables []string
}

// Method is a way to join.
type Method uint8

// The methods.
const (
	Hash  Method = iota // with a hash table
	Loop                // by lookups, or by comparing all pairs
	Merge               // by going through both sides at once, in the order of what is equal
)

// Order is a table, or a join that a plan must have.
type Order struct {
	Table        string // empty: it is a join
	Outer, Inner *Order
	Free         bool // either side may be the outer one
}

// Parse reads a hint: its name in lower case, and the words between its parentheses, which may be parentheses. It is
// not ok if there is no such hint.
func Parse(name string, words []string) (h Hint, ok bool) {
	if name == "leading" {
		h.Order, ok = parseOrder(words)
		h.Tables = h.Order.tables()
		return h, ok && len(h.Tables) > 1
	}
	name, h.Forbid = strings.CutPrefix(name, "no")
	h.Method, ok = map[string]Method{"hashjoin": Hash, "nestloop": Loop, "mergejoin": Merge}[name]
	h.Tables = words
	return h, ok && len(words) > 1 && !slices.ContainsFunc(words, isParenthesis)
}

func isParenthesis(word string) bool { return word == "(" || word == ")" }

// parseOrder reads what Leading holds: pairs within parentheses, or tables of which each is joined to those before it.
func parseOrder(words []string) (o *Order, ok bool) {
	if len(words) > 0 && words[0] == "(" {
		o, words, ok = parsePair(words)
		return o, ok && len(words) == 0
	}
	for _, w := range words {
		switch {
		case isParenthesis(w):
			return nil, false
		case o == nil:
			o = &Order{Table: w}
		default:
			o = &Order{Outer: o, Inner: &Order{Table: w}, Free: true}
		}
	}
	return o, o != nil
}

// parsePair reads a table or a pair, and says what follows.
func parsePair(words []string) (o *Order, rest []string, ok bool) {
	if len(words) == 0 || words[0] == ")" {
		return nil, nil, false
	}
	if words[0] != "(" {
		return &Order{Table: words[0]}, words[1:], true
	}
	o, rest = &Order{}, words[1:]
	for _, side := range []**Order{&o.Outer, &o.Inner} {
		if *side, rest, ok = parsePair(rest); !ok {
			return nil, nil, false
		}
	}
	if len(rest) == 0 || rest[0] != ")" {
		return nil, nil, false
	}
	return o, rest[1:], true
}

func (o *Order) tables() []string {
	switch {
	case o == nil:
		return nil
	case o.Table != "":
		return []string{o.Table}
	}
	return append(o.Outer.tables(), o.Inner.tables()...)
}

// Names says whether a hint names a table.
func (h *Hint) Names(table string) bool {
	return slices.ContainsFunc(h.Tables, func(t string) bool { return strings.EqualFold(t, table) })
}

// Pair is a join that a plan must have, of some tables with others.
type Pair struct {
	Outer, Inner []string
	Free         bool // either side may be the outer one
}

// Pairs are the joins that a hint asks for, none if it is about a method.
func (h *Hint) Pairs() []Pair { return h.Order.pairs() }

func (o *Order) pairs() []Pair {
	if o == nil || o.Table != "" {
		return nil
	}
	this := Pair{o.Outer.tables(), o.Inner.tables(), o.Free}
	return append(append(o.Outer.pairs(), o.Inner.pairs()...), this)
}
