// Package attribute has the values of DynamoDB's attributes: their form in JSON, their
// order, their sizes, and what makes one invalid. Requests and tables are not here. Read Value and Item first.
package attribute

import (
	"maps"
	"slices"
	"strings"
)

// Kind is the type of a value.
type Kind uint8

// The kinds, in the order in which DynamoDB's documentation has them.
const (
	None Kind = iota // no value
	S
	N
	B
	BOOL
	NULL
	M
	L
	SS
	NS
	BS
)

// kindNames are the names of the kinds on the wire, by their numbers.
var kindNames = [...]string{"none", "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}

// String is the name of the kind on the wire.
func (k Kind) String() string { return kindNames[k] }

// KindOf undoes String. It says None for a name that is none.
func KindOf(name string) Kind { return Kind(max(0, slices.Index(kindNames[:], name))) }

// Scalar says whether a key may be of the kind.
func (k Kind) Scalar() bool { return k == S || k == N || k == B }

// Set says whether the kind is one of sets.
func (k Kind) Set() bool { return k >= SS && k <= BS }

// Element is the kind of the members of a set.
func (k Kind) Element() Kind { return k - SS + S }

// Value is one value. It never changes: values of stored items are handed out.
type Value struct {
	Kind Kind
	Text string  // S; N in its one form, see Number; B as its bytes
	Bool bool    // BOOL
	List []Value // L, SS, NS, BS
	Map  Item    // M
}

// Item is attributes by their names.
type Item = map[string]Value

// Equal says whether two values are the same. Sets have no order.
func Equal(a, b Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Bool != b.Bool || len(a.List) != len(b.List) {
		return false
	}
	if a.Kind.Set() {
		return slices.Equal(sorted(a.List), sorted(b.List))
	}
	return slices.EqualFunc(a.List, b.List, Equal) && EqualItems(a.Map, b.Map)
}

// EqualItems says whether two items are the same.
func EqualItems(a, b Item) bool { return maps.EqualFunc(a, b, Equal) }

func sorted(list []Value) []string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].Text
	}
	slices.Sort(texts)
	return texts
}

// Contains says whether a string has a part, or a set or list a member.
func Contains(whole, part Value) bool {
	switch whole.Kind {
	case S, B:
		return part.Kind == whole.Kind && strings.Contains(whole.Text, part.Text)
	case SS, NS, BS, L:
		return slices.ContainsFunc(whole.List, func(v Value) bool { return Equal(v, part) })
	}
	return false
}

// Order is a scalar as bytes that are ordered as the values of its kind are.
func (v Value) Order() string {
	if v.Kind == N {
		return orderNumber(v.Text)
	}
	return v.Text
}

// Compare orders two values. It says false for those that have no order: of different kinds,
// or not scalar.
func Compare(a, b Value) (order int, ok bool) {
	if a.Kind != b.Kind || !a.Kind.Scalar() {
		return 0, false
	}
	return strings.Compare(a.Order(), b.Order()), true
}

// The bytes that a document costs besides its contents.
const (
	documentBytes = 3
	elementBytes  = 1
)

// Size is what a value counts for.
func (v Value) Size() (n int) {
	switch v.Kind {
	case S, B:
		return len(v.Text)
	case N:
		return sizeNumber(v.Text)
	case M:
		return documentBytes + elementBytes*len(v.Map) + Size(v.Map)
	case L:
		n = documentBytes + elementBytes*len(v.List)
	case BOOL, NULL:
		return 1
	}
	for i := range v.List {
		n += v.List[i].Size()
	}
	return n
}

// Size is what an item counts for: names and values.
func Size(i Item) (n int) {
	for name, v := range i {
		n += len(name) + v.Size()
	}
	return n
}

// Length is what the function size says of a value. It says false for a kind that has none.
func (v Value) Length() (n int, ok bool) {
	switch v.Kind {
	case S:
		return len([]rune(v.Text)), true
	case B:
		return len(v.Text), true
	case M:
		return len(v.Map), true
	case L, SS, NS, BS:
		return len(v.List), true
	}
	return 0, false
}

// Depth is how many documents are around the deepest value.
func (v Value) Depth() (n int) {
	for i := range v.List {
		n = max(n, v.List[i].Depth())
	}
	for _, m := range v.Map {
		n = max(n, m.Depth())
	}
	if v.Kind == M || v.Kind == L {
		n++
	}
	return n
}
