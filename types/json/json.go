// Package json holds JSON: documents as jsonb has them, or as they were written. It reads and writes them with
// PostgreSQL's errors, orders them, and finds their members and elements. What makes JSON of other values is in package
// types, functions and operators are in package expr/builtin/json. Read Value and Parse first.
package json

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types/form"
	"zproxy/types/numeric"
)

// Kind says what a Value is, in jsonb's order.
type Kind uint8

// The kinds of JSON.
const (
	Null Kind = iota
	String
	Number
	Bool
	Array
	Object
)

// String is what json_typeof calls the kind.
func (k Kind) String() string {
	return [...]string{"null", "string", "number", "boolean", "array", "object"}[k]
}

// Value is one value of a jsonb document: numbers are exact, the keys of objects are
// unique and in jsonb's order. One that ParseRaw made of a json has its text in Raw
// and the keys as they were written.
type Value struct {
	Kind   Kind
	Bool   bool
	depth  int32        // of an array or an object: how many are within one another, 0 before a value was made of it
	Text   string       // of a string
	Number *apd.Decimal // of a number; nil where Raw is set
	Items  []Value      // of an array, or what belongs to Keys
	Keys   []string
	Raw    string
}

// NewObject makes an object of keys and what belongs to them, which it reorders. Of
// equal keys the last one wins.
func NewObject(keys []string, items []Value) *Value {
	o, _ := MakeObject(keys, items, nil)
	return o
}

// MakeObject is NewObject for many keys. An error is that of a statement that is to end.
func MakeObject(keys []string, items []Value, work form.Work) (*Value, error) {
	o := &Value{Kind: Object, Keys: keys, Items: items}
	if slices.IsSortedFunc(keys, compareKeys) {
		o.dropRepeated()
		return o, nil
	}
	by := &byKey{Value: o, work: work}
	sort.Stable(by)
	if by.err != nil {
		return nil, by.err
	}
	o.dropRepeated()
	return o, nil
}

// byKey sorts the members of an object. When the statement is to end, all are equal.
type byKey struct {
	*Value
	work form.Work
	err  error
}

// keyUnits is the work of comparing two keys.
const keyUnits = 32

// Len implements sort.Interface.
func (o *byKey) Len() int { return len(o.Keys) }

// Less implements sort.Interface.
func (o *byKey) Less(i, j int) bool {
	if o.err == nil {
		o.err = form.Tick(o.work, keyUnits)
	}
	return o.err == nil && compareKeys(o.Keys[i], o.Keys[j]) < 0
}

// Swap implements sort.Interface.
func (o *byKey) Swap(i, j int) {
	o.Keys[i], o.Keys[j] = o.Keys[j], o.Keys[i]
	o.Items[i], o.Items[j] = o.Items[j], o.Items[i]
}

func (o *Value) dropRepeated() {
	kept := 0
	for i := range o.Keys {
		if i+1 < len(o.Keys) && o.Keys[i] == o.Keys[i+1] {
			continue
		}
		o.Keys[kept], o.Items[kept] = o.Keys[i], o.Items[i]
		kept++
	}
	o.Keys, o.Items = o.Keys[:kept], o.Items[:kept]
}

// compareKeys is the order of the keys of an object: short ones first.
func compareKeys(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// Member is the value of a key, the last one where a json repeats it; nil when an object
// has none, or j is no object.
func (j *Value) Member(key string) *Value {
	if j.Kind != Object {
		return nil
	}
	if j.Raw == "" {
		if i, ok := slices.BinarySearchFunc(j.Keys, key, compareKeys); ok {
			return &j.Items[i]
		}
		return nil
	}
	for i := len(j.Keys) - 1; i >= 0; i-- {
		if j.Keys[i] == key {
			return &j.Items[i]
		}
	}
	return nil
}

// Element is an element of an array, counted from its end when i is negative; nil when
// there is none, or j is no array.
func (j *Value) Element(i int64) *Value {
	if i < 0 {
		i += int64(len(j.Items))
	}
	if j.Kind != Array || i < 0 || i >= int64(len(j.Items)) {
		return nil
	}
	return &j.Items[i]
}

// Compare orders jsonb as PostgreSQL does: by kind, then by how many elements or
// members there are, then by them. The empty array as a whole document is below all.
func Compare(a, b *Value) int {
	if a.Kind != b.Kind {
		if a.isEmptyArray() {
			return -1
		}
		if b.isEmptyArray() {
			return 1
		}
	}
	return a.compare(b)
}

func (j *Value) isEmptyArray() bool { return j.Kind == Array && len(j.Items) == 0 }

func (j *Value) compare(other *Value) int {
	if j.Kind != other.Kind {
		return cmp.Compare(j.Kind, other.Kind)
	}
	switch j.Kind {
	case String:
		return strings.Compare(j.Text, other.Text)
	case Number:
		return numeric.Compare(j.Number, other.Number)
	case Bool:
		return compareBools(j.Bool, other.Bool)
	}
	if c := cmp.Compare(len(j.Items), len(other.Items)); c != 0 {
		return c
	}
	for i := range j.Items {
		if j.Kind == Object && j.Keys[i] != other.Keys[i] {
			return strings.Compare(j.Keys[i], other.Keys[i])
		}
		if c := j.Items[i].compare(&other.Items[i]); c != 0 {
			return c
		}
	}
	return 0
}

// compareBools puts false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Depth counts how deep a document is. Its parts that are documents of their own have been counted.
func (j *Value) Depth() int {
	if j.depth == 0 && (j.Kind == Array || j.Kind == Object) {
		deepest := int32(0)
		for i := range j.Items {
			deepest = max(deepest, int32(j.Items[i].Depth()))
		}
		j.depth = deepest + 1
	}
	return int(j.depth)
}
