package expression

import (
	"errors"
	"testing"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// FuzzExpressions reads texts as every kind of expression, and tries those that are right on an
// item. An error is one of DynamoDB's.
func FuzzExpressions(f *testing.F) {
	for _, text := range []string{
		"a = :v AND (NOT b < :n OR size(l[0].x) BETWEEN :n AND :n)", "a IN (:v, :n) AND begins_with(a, :v)", "#n, l[1], m.x",
		"SET a = if_not_exists(a, :v), l = list_append(l, :l) REMOVE m.x ADD n :n DELETE s :s", "pk = :v AND sk BETWEEN :n AND :n", "((a = :v))", "attribute_type(a, :v)",
	} {
		f.Add(text)
	}
	item := attribute.Item{
		"a": {Kind: attribute.S, Text: "x"}, "n": {Kind: attribute.N, Text: "1"},
		"l": {Kind: attribute.L, List: []attribute.Value{{Kind: attribute.M, Map: attribute.Item{"x": {Kind: attribute.B}}}, {Kind: attribute.NULL}}},
		"m": {Kind: attribute.M, Map: attribute.Item{"x": {Kind: attribute.SS, List: []attribute.Value{{Kind: attribute.S, Text: "q"}}}}},
	}
	f.Fuzz(func(t *testing.T, text string) {
		subs := func() *Substitutes {
			return &Substitutes{Names: map[string]string{"#n": "n"}, Values: attribute.Item{
				":v": {Kind: attribute.S, Text: "x"}, ":n": {Kind: attribute.N, Text: "1"}, ":l": {Kind: attribute.L},
				":s": {Kind: attribute.SS, List: []attribute.Value{{Kind: attribute.S, Text: "q"}}},
			}}
		}
		known := func(err error) bool {
			var ours *Error
			var value *attribute.Error
			if err != nil && !errors.As(err, &ours) && !errors.As(err, &value) {
				t.Errorf("%q: %v", text, err)
			}
			return err == nil
		}
		if c, err := ParseCondition("FilterExpression", text, subs()); known(err) {
			c.Holds(item)
			c.Holds(nil)
			c.Paths()
		}
		if paths, err := ParseProjection(text, subs()); known(err) {
			Project(item, paths)
		}
		if u, err := ParseUpdate(text, subs()); known(err) {
			_, err := u.Apply(item)
			known(err)
		}
		_, err := ParseKey(text, subs())
		known(err)
	})
}
