package elements

import (
	"encoding/binary"
	"iter"
	"slices"

	"zproxy/types"
	"zproxy/types/json"
)

// Leaf is a scalar in a document, or an empty container. A document that contains another one contains each of its
// leaves at the end of the same path.
type Leaf struct {
	way []step // from the top
	end *json.Value
}

// step is one into a container: to what a key has, or to an element.
type step struct {
	key     string
	element bool
}

// deepest is how many containers are looked into, one in the other. What is deeper is taken for a leaf.
const deepest = 16

// Leaves yields the leaves of a document. A scalar is taken for an array of it, as where documents are compared.
func Leaves(j *json.Value) iter.Seq[Leaf] {
	return func(yield func(Leaf) bool) {
		if scalar(j) {
			yield(Leaf{[]step{{element: true}}, j})
			return
		}
		Leaf{nil, j}.below(yield)
	}
}

func (l Leaf) below(yield func(Leaf) bool) bool {
	if len(l.end.Items) == 0 || len(l.way) == deepest {
		return yield(l)
	}
	for i := range l.end.Items {
		s := step{element: true}
		if l.end.Kind == json.Object {
			s = step{key: l.end.Keys[i]}
		}
		if !(Leaf{append(slices.Clip(l.way), s), &l.end.Items[i]}).below(yield) {
			return false
		}
	}
	return true
}

// AppendElement appends what tells the leaf from others in documents, its value and the keys on the way to it. It is
// nil for an empty container, and for one that is not looked into.
func (l Leaf) AppendElement(dst []byte) []byte {
	if l.container() {
		return nil
	}
	for _, s := range l.way {
		if !s.element {
			dst = appendKey(dst, s.key)
		}
	}
	return appendEnd(dst, l.end)
}

// AppendElementAt is AppendElement of a scalar that is under keys, with any arrays between them. It is nil if it may be
// so deep that it is not looked for: a path of SQL/JSON that has so many steps goes through an array at each of them.
func AppendElementAt(dst []byte, keys []string, steps int, scalar *json.Value) []byte {
	if 2*(steps+1) > deepest {
		return nil
	}
	for _, key := range keys {
		dst = appendKey(dst, key)
	}
	return appendEnd(dst, scalar)
}

func appendKey(dst []byte, key string) []byte {
	return append(binary.AppendUvarint(append(dst, 'k'), uint64(len(key))), key...)
}

func appendEnd(dst []byte, end *json.Value) []byte { return json.AppendKey(append(dst, 's'), end) }

func (l Leaf) container() bool { return !scalar(l.end) }

// Key is the key of the whole document under which the leaf is; false where there is none.
func (l Leaf) Key() (string, bool) {
	if len(l.way) == 0 || l.way[0].element {
		return "", false
	}
	return l.way[0].key, true
}

// Document is the document that has the leaf alone.
func (l Leaf) Document() types.Value { return l.with(*l.end) }

// Path is the document that has null instead of the leaf.
func (l Leaf) Path() types.Value { return l.with(json.Value{Kind: json.Null}) }

func (l Leaf) with(end json.Value) types.Value {
	for _, s := range slices.Backward(l.way) {
		if s.element {
			end = json.Value{Kind: json.Array, Items: []json.Value{end}}
		} else {
			end = json.Value{Kind: json.Object, Keys: []string{s.key}, Items: []json.Value{end}}
		}
	}
	return types.NewJSONB(&end)
}

// path is what two leaves have alike at the end of the same path, and key what they have alike that are the same.
func (l Leaf) path() []byte {
	var out []byte
	for _, s := range l.way {
		if s.element {
			out = append(out, 'e')
			continue
		}
		out = appendKey(out, s.key)
	}
	return out
}

func (l Leaf) key() []byte { return appendEnd(l.path(), l.end) }
