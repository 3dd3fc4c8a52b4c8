package dynamofake

import (
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// keyPart is an attribute of a key.
type keyPart struct {
	name string
	kind attribute.Kind
}

// schema is the key of a table or an index. Only an index has several attributes of a role.
type schema struct{ hash, sort []keyPart }

func (s *schema) parts() []keyPart { return append(s.hash[:len(s.hash):len(s.hash)], s.sort...) }

// keyParts are the attributes of the keys of a table and its indexes.
func (t *table) keyParts() []keyPart {
	parts := t.schema.parts()
	for _, x := range t.indexes {
		parts = append(parts, x.schema.parts()...)
	}
	return parts
}

// has says whether an attribute is of the key.
func (s *schema) has(name string) bool {
	for _, p := range s.parts() {
		if p.name == name {
			return true
		}
	}
	return false
}

// hashKey joins the values of a partition key. Only equal ones give the same.
func hashKey(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteString(strings.ReplaceAll(v, "\x00", "\x00\xff"))
		b.WriteString("\x00\x01")
	}
	return b.String()
}

// values are those of some attributes of a key. It says false where one is not there.
func values(i attribute.Item, parts []keyPart) (out []string, ok bool) {
	for _, p := range parts {
		v, there := i[p.name]
		if !there || v.Kind != p.kind {
			return nil, false
		}
		out = append(out, v.Order())
	}
	return out, true
}

// itemKey is that of an item. It says false for one that has none, as in an index that needs
// an attribute which the item lacks.
func (s *schema) itemKey(i attribute.Item) (p itemKey, ok bool) {
	hash, okHash := values(i, s.hash)
	sort, okSort := values(i, s.sort)
	return itemKey{partition: hashKey(hash), sort: sort}, okHash && okSort
}

// most is how many bytes an attribute of the key may have.
func (s *schema) most(p keyPart) int {
	for _, h := range s.hash {
		if h == p {
			return maxHash
		}
	}
	return maxSort
}

// keyOf is the key of an item.
func (s *schema) keyOf(i attribute.Item) attribute.Item {
	key := attribute.Item{}
	for _, p := range s.parts() {
		if v, ok := i[p.name]; ok {
			key[p.name] = v
		}
	}
	return key
}

// The limits of keys and items.
const (
	maxHash  = 2048
	maxSort  = 1024
	maxItem  = 400 << 10
	maxDepth = 32
)

// checkKey says what is wrong with a key by which an item is asked for.
func (s *schema) checkKey(key attribute.Item) error {
	parts := s.parts()
	if len(key) != len(parts) {
		return invalid("The provided key element does not match the schema")
	}
	for _, p := range parts {
		if v, ok := key[p.name]; !ok || v.Kind != p.kind {
			return invalid("The provided key element does not match the schema")
		}
	}
	return s.checkSizes(key)
}

// checkItem says what is wrong with the key of an item that is to be written.
func (s *schema) checkItem(i attribute.Item) error {
	for _, p := range s.parts() {
		v, ok := i[p.name]
		if !ok {
			return wrongParameter("Missing the key %s in the item", p.name)
		}
		if v.Kind != p.kind {
			return wrongParameter("Type mismatch for key %s expected: %s actual: %s", p.name, p.kind, v.Kind)
		}
	}
	return s.checkSizes(i)
}

func (s *schema) checkSizes(key attribute.Item) error {
	for _, p := range s.parts() {
		switch v := key[p.name]; {
		case v.Kind == attribute.S && v.Text == "":
			return invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s", p.name)
		case v.Kind == attribute.B && v.Text == "":
			return invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty binary value. Key: %s", p.name)
		}
	}
	for _, p := range s.hash {
		if v := key[p.name]; v.Kind != attribute.N && v.Size() > maxHash {
			return wrongParameter("Size of hashkey has exceeded the maximum size limit of%d bytes", maxHash)
		}
	}
	for _, p := range s.sort {
		if v := key[p.name]; v.Kind != attribute.N && v.Size() > maxSort {
			return wrongParameter("Aggregated size of all range keys has exceeded the size limit of %d bytes", maxSort)
		}
	}
	return nil
}
