package expression

import (
	"zproxy/store/dynamostore/dynamofake/attribute"
)

// KeyTest is one condition on a key attribute: with a comparison, BETWEEN or begins_with.
type KeyTest struct {
	Name     string
	Operator string
	Values   []attribute.Value // two for BETWEEN
}

// keyKind is the parameter with the conditions on a key.
const keyKind = "KeyConditionExpression"

// ParseKey reads conditions on a key, all of which must hold.
func ParseKey(text string, s *Substitutes) ([]KeyTest, error) {
	p := newParser(keyKind, text, s)
	root := p.or()
	if err := p.finish(); err != nil {
		return nil, err
	}
	k := &keys{}
	k.add(root)
	return k.tests, k.err
}

// keys collects the conditions that an AND joins.
type keys struct {
	tests []KeyTest
	err   error
}

func (k *keys) add(t test) {
	switch t := t.(type) {
	case *both:
		k.add(t.left)
		k.add(t.right)
	case *comparison:
		if t.operator == "<>" {
			k.fail("Invalid operator used in KeyConditionExpression: <>")
			return
		}
		left, right, operator := t.left, t.right, t.operator
		if left.path == nil {
			left, right, operator = right, left, turned(operator)
		}
		k.test(operator, left, right)
	case *between:
		k.test("BETWEEN", t.what, t.low, t.high)
	case *call:
		if t.function != "begins_with" {
			k.fail("Invalid operator used in KeyConditionExpression: %s", t.function)
			return
		}
		k.test("begins_with", t.args[0], t.args[1])
	case *either:
		k.fail("Invalid operator used in KeyConditionExpression: OR")
	case *not:
		k.fail("Invalid operator used in KeyConditionExpression: NOT")
	default:
		k.fail("Invalid operator used in KeyConditionExpression: IN")
	}
}

func (k *keys) fail(format string, args ...any) {
	if k.err == nil {
		k.err = invalid(format, args...)
	}
}

// turned is a comparison with its sides exchanged.
func turned(operator string) string {
	switch operator[0] {
	case '<':
		return ">" + operator[1:]
	case '>':
		return "<" + operator[1:]
	}
	return operator
}

func (k *keys) test(operator string, what operand, values ...operand) {
	t := KeyTest{Operator: operator}
	switch {
	case what.size:
		k.fail("KeyConditionExpressions cannot contain nested operations")
		return
	case what.path == nil:
		k.fail("Invalid condition in KeyConditionExpression: No key attribute specified")
		return
	case len(what.path) > 1:
		k.fail("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: %s",
			what.path[0].Name)
		return
	}
	t.Name = what.path[0].Name
	for _, v := range values {
		if v.path != nil {
			k.fail("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
			return
		}
		t.Values = append(t.Values, v.value)
	}
	k.tests = append(k.tests, t)
}
