package types

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"zproxy/types/numeric"

	"github.com/cockroachdb/apd/v3"
)

// JSONKind says what a JSONValue is, in jsonb's order.
type JSONKind uint8

// The kinds of JSON.
const (
	JSONNull JSONKind = iota
	JSONString
	JSONNumber
	JSONBool
	JSONArray
	JSONObject
)

// String is what json_typeof calls the kind.
func (k JSONKind) String() string {
	return [...]string{"null", "string", "number", "boolean", "array", "object"}[k]
}

// JSONValue is one value of a jsonb document: numbers are exact, the keys of objects are
// unique and in jsonb's order. One that ParseJSON made of a json has its text in Raw
// and the keys as they were written.
type JSONValue struct {
	Kind   JSONKind
	Bool   bool
	depth  int32        // of an array or an object: how many are within one another, 0 before a value was made of it
	Text   string       // of a string
	Number *apd.Decimal // of a number; nil where Raw is set
	Items  []JSONValue  // of an array, or what belongs to Keys
	Keys   []string
	Raw    string
}

// NewJSONObject makes an object of keys and what belongs to them, which it reorders. Of
// equal keys the last one wins.
func NewJSONObject(keys []string, items []JSONValue) *JSONValue {
	o, _ := MakeJSONObject(keys, items, nil)
	return o
}

// MakeJSONObject is NewJSONObject for many keys. An error is that of a statement that is to end.
func MakeJSONObject(keys []string, items []JSONValue, env *Env) (*JSONValue, error) {
	o := &JSONValue{Kind: JSONObject, Keys: keys, Items: items}
	if slices.IsSortedFunc(keys, compareKeys) {
		o.dropRepeated()
		return o, nil
	}
	by := &byKey{JSONValue: o, env: env}
	sort.Stable(by)
	if by.err != nil {
		return nil, by.err
	}
	o.dropRepeated()
	return o, nil
}

// byKey sorts the members of an object. When the statement is to end, all are equal.
type byKey struct {
	*JSONValue
	env *Env
	err error
}

// keyUnits is the work of comparing two keys.
const keyUnits = 32

// Len implements sort.Interface.
func (o *byKey) Len() int { return len(o.Keys) }

// Less implements sort.Interface.
func (o *byKey) Less(i, j int) bool {
	if o.err == nil {
		o.err = o.env.Tick(keyUnits)
	}
	return o.err == nil && compareKeys(o.Keys[i], o.Keys[j]) < 0
}

// Swap implements sort.Interface.
func (o *byKey) Swap(i, j int) {
	o.Keys[i], o.Keys[j] = o.Keys[j], o.Keys[i]
	o.Items[i], o.Items[j] = o.Items[j], o.Items[i]
}

func (o *JSONValue) dropRepeated() {
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
func (j *JSONValue) Member(key string) *JSONValue {
	if j.Kind != JSONObject {
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
func (j *JSONValue) Element(i int64) *JSONValue {
	if i < 0 {
		i += int64(len(j.Items))
	}
	if j.Kind != JSONArray || i < 0 || i >= int64(len(j.Items)) {
		return nil
	}
	return &j.Items[i]
}

// CompareJSON orders jsonb as PostgreSQL does: by kind, then by how many elements or
// members there are, then by them. The empty array as a whole document is below all.
func CompareJSON(a, b *JSONValue) int {
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

func (j *JSONValue) isEmptyArray() bool { return j.Kind == JSONArray && len(j.Items) == 0 }

func (j *JSONValue) compare(other *JSONValue) int {
	if j.Kind != other.Kind {
		return cmp.Compare(j.Kind, other.Kind)
	}
	switch j.Kind {
	case JSONString:
		return strings.Compare(j.Text, other.Text)
	case JSONNumber:
		return numeric.Compare(j.Number, other.Number)
	case JSONBool:
		return Compare(NewBool(j.Bool), NewBool(other.Bool))
	}
	if c := cmp.Compare(len(j.Items), len(other.Items)); c != 0 {
		return c
	}
	for i := range j.Items {
		if j.Kind == JSONObject && j.Keys[i] != other.Keys[i] {
			return strings.Compare(j.Keys[i], other.Keys[i])
		}
		if c := j.Items[i].compare(&other.Items[i]); c != 0 {
			return c
		}
	}
	return 0
}

// appendJSONKey is AppendKey for jsonb.
func appendJSONKey(dst []byte, j *JSONValue) []byte {
	dst = append(dst, byte(j.Kind))
	switch j.Kind {
	case JSONString:
		return appendCounted(dst, j.Text)
	case JSONNumber:
		return numeric.AppendKey(dst, j.Number)
	case JSONBool:
		return appendBool(dst, NewBool(j.Bool), nil)
	}
	dst = binary.AppendUvarint(dst, uint64(len(j.Items)))
	for i := range j.Items {
		if j.Kind == JSONObject {
			dst = appendCounted(dst, j.Keys[i])
		}
		dst = appendJSONKey(dst, &j.Items[i])
	}
	return dst
}

func appendCounted(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
