package expression

import (
	"maps"
	"slices"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// Substitutes are the names and values that the expressions of a request stand for, and
// which of them the expressions read so far have used.
type Substitutes struct {
	Names  map[string]string
	Values attribute.Item

	usedNames, usedValues map[string]bool
}

// Check says what is wrong with the substitutes themselves. any says that the request has an
// expression; lacking are those that it might have.
func (s *Substitutes) Check(any bool, lacking string) error {
	switch {
	case s.Names != nil && !any:
		return invalid("ExpressionAttributeNames can only be specified when using expressions")
	case s.Values != nil && !any:
		return invalid("ExpressionAttributeValues can only be specified when using expressions: %s", lacking)
	case s.Names != nil && len(s.Names) == 0:
		return invalid("ExpressionAttributeNames must not be empty")
	case s.Values != nil && len(s.Values) == 0:
		return invalid("ExpressionAttributeValues must not be empty")
	}
	for _, n := range slices.Sorted(maps.Keys(s.Names)) {
		if !placeholder(n, name) {
			return invalid("ExpressionAttributeNames contains invalid key: Syntax error; key: \"%s\"", n)
		}
		if s.Names[n] == "" {
			return invalid("ExpressionAttributeNames contains invalid value: Empty attribute name for key %s", n)
		}
	}
	for _, v := range slices.Sorted(maps.Keys(s.Values)) {
		if !placeholder(v, value) {
			return invalid("ExpressionAttributeValues contains invalid key: Syntax error; key: \"%s\"", v)
		}
	}
	return nil
}

// placeholder says whether a text is one token of a shape.
func placeholder(text string, want shape) bool {
	if text == "" {
		return false
	}
	is, to := next(text, 0)
	return is == want && to == len(text)
}

// Unused says which substitutes no expression has used, once all are read.
func (s *Substitutes) Unused() error {
	for n := range s.Names {
		if !s.usedNames[n] {
			return invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}",
				left(s.Names, s.usedNames))
		}
	}
	for v := range s.Values {
		if !s.usedValues[v] {
			return invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}",
				left(s.Values, s.usedValues))
		}
	}
	return nil
}

// left lists what was not used.
func left[T any](all map[string]T, used map[string]bool) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(n string) bool { return used[n] })
	return strings.Join(names, ", ")
}

func (s *Substitutes) name(placeholder string) (string, bool) {
	n, ok := s.Names[placeholder]
	if s.usedNames == nil {
		s.usedNames = map[string]bool{}
	}
	s.usedNames[placeholder] = true
	return n, ok
}

func (s *Substitutes) value(placeholder string) (attribute.Value, bool) {
	v, ok := s.Values[placeholder]
	if s.usedValues == nil {
		s.usedValues = map[string]bool{}
	}
	s.usedValues[placeholder] = true
	return v, ok
}
