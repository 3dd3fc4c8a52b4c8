// Package inverted says what inverted indexes have entries for, the elements of values by operator classes, and which
// elements a row must have so that an operator may be true of it. An element is a byte string, with the number of the
// key column before it. How an index is laid out over elements and read is not known here, nor is the check of rows
// that were found: a row with all elements need not be one that is wanted. Begin with Class, Query and Ask.
package inverted

import (
	"crypto/sha256"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Class is an operator class: which elements values have, and how operators ask for them.
type Class struct {
	Name    string
	Default bool // for the types that it takes, of an index of method gin
	// Extension is what the class belongs to; empty: it is always there.
	Extension string
	// Methods are the access methods that have the class.
	Methods []string

	takes    func(types.T) bool
	elements func(c *expr.Context, v types.Value) ([]string, error)
	asks     map[string]ask
}

// ask makes the query of an operator from the value on its other side, which is not NULL.
type ask func(c *expr.Context, v types.Value) (Query, error)

// Query says which elements rows must have: the one Element, or those that begin with it, or what at Least so many of
// others say. All leaves no row out.
type Query struct {
	All     bool
	Element string
	Prefix  bool
	Item    types.Value // which Element is of, as statistics know it; NULL: they do not
	Of      []Query
	Least   int
}

// nothing is the query that no row meets.
var nothing = Query{Least: 1}

// Leaf says whether the query is one for a single element, or for those that begin with it.
func (q *Query) Leaf() bool { return !q.All && q.Least == 0 }

// longest is how many bytes of an element are kept. Of a longer one a digest takes the place of the rest.
const longest = 64

// Elements are those of the value of a key column, each once, in order. NULL has none, and any other value has one at
// least.
func (k *Class) Elements(c *expr.Context, key int, v types.Value) ([]string, error) {
	if v.IsNull() {
		return nil, nil
	}
	out, err := k.elements(c, v)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		out = []string{empty}
	}
	for i := range out {
		out[i] = element(key, out[i])
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// empty is what a value without elements has.
const empty = ""

// element is one as it is in entries.
func element(key int, of string) string {
	if len(of) > longest {
		sum := sha256.Sum256([]byte(of))
		of = of[:longest-len(sum)/2] + string(sum[:len(sum)/2])
	}
	return string(rune(key+1)) + of
}

// Asks says whether the class has an operator, by its name with the column on the left.
func (k *Class) Asks(operator string) bool { return k.asks[operator] != nil }

// Query is what an operator asks of a key column, given the value on its other side.
func (k *Class) Query(c *expr.Context, key int, operator string, v types.Value) (Query, error) {
	if v.IsNull() {
		return nothing, nil
	}
	q, err := k.asks[operator](c, v)
	if err != nil {
		return q, err
	}
	return q.of(key), nil
}

// of is the query for elements as they are in entries.
func (q Query) of(key int) Query {
	if q.Leaf() {
		if q.Prefix && len(q.Element) > longest/2 {
			q.Element = q.Element[:longest/2]
		}
		if q.Prefix {
			q.Element = string(rune(key+1)) + q.Element
		} else {
			q.Element = element(key, q.Element)
		}
		return q
	}
	of := make([]Query, len(q.Of))
	for i := range of {
		of[i] = q.Of[i].of(key)
	}
	q.Of = of
	return q
}

// Both is what rows must meet that are to meet all of some queries.
func Both(list []Query) Query {
	list = slices.DeleteFunc(slices.Clone(list), func(q Query) bool { return q.All })
	switch len(list) {
	case 0:
		return Query{All: true}
	case 1:
		return list[0]
	}
	return Query{Of: list, Least: len(list)}
}

// Either is what rows must meet that are to meet any of some queries.
func Either(list []Query) Query {
	if slices.ContainsFunc(list, func(q Query) bool { return q.All }) {
		return Query{All: true}
	}
	if len(list) == 1 {
		return list[0]
	}
	return Query{Of: list, Least: 1}
}

// all asks for all of some elements, and without any for nothing.
func all(elements []string) Query { return Both(leaves(elements)) }

func leaves(elements []string) []Query {
	elements = slices.Compact(slices.Sorted(slices.Values(elements)))
	out := make([]Query, len(elements))
	for i, e := range elements {
		out[i] = Query{Element: e}
	}
	return out
}

// Find finds the class that a key of an index names.
func Find(method, name string) *Class {
	for _, k := range Classes {
		if k.Name == name && slices.Contains(k.Methods, method) {
			return k
		}
	}
	return nil
}

// Of is the class of a column of the key of an inverted index.
func Of(x *catalog.Index, key int) *Class { return Find(string(x.Method), x.Classes[key]) }

// Serving is the first class of a method for the values of a type that has an operator; nil: none has.
func Serving(method string, of types.T, operator string) *Class {
	for _, k := range Classes {
		if slices.Contains(k.Methods, method) && k.takes(of) && k.Asks(operator) {
			return k
		}
	}
	return nil
}

// Choose is the class for the values of a type: the one that is named, or else the default one of the method.
func Choose(method, name string, of types.T) (*Class, error) {
	if name == "" {
		for _, k := range Classes {
			if k.Default && slices.Contains(k.Methods, method) && k.takes(of) {
				return k, nil
			}
		}
		return nil, sqlerr.New(sqlerr.UndefinedObject, "data type %s has no default operator class for access method %q",
			of.Bare(), method).
			WithHint("You must specify an operator class for the index " +
				"or define a default operator class for the data type.")
	}
	k := Find(method, name)
	switch {
	case k == nil:
		return nil, sqlerr.New(sqlerr.UndefinedObject, "operator class %q does not exist for access method %q",
			name, method)
	case !k.takes(of):
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "operator class %q does not accept data type %s", name,
			of.Bare())
	}
	return k, nil
}
