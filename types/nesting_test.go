package types

import (
	"strings"
	"testing"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/json"
)

// TestNesting puts values into each other, as deep as they may be and one more. What can be made can be read as text.
func TestNesting(t *testing.T) {
	j, r := NewJSONB(&json.Value{}), NewInt(1)
	for n := range form.MaxNesting + 1 {
		inner := *j.JSONB()
		wrapped := &json.Value{Kind: json.Array, Items: []json.Value{{}, inner, {Kind: json.Array}}}
		if n%2 == 0 {
			wrapped = json.NewObject([]string{"b", "a"}, []json.Value{inner, {}})
		}
		field := r
		if n%2 == 0 {
			field = NewItems(OIDRecord, []Value{Null, r})
		}
		nextJ, errJ := MakeJSONB(wrapped)
		nextR, errR := MakeRecord(&RecordValue{Values: []Value{Null, field}})
		if n < form.MaxNesting && (errJ != nil || errR != nil) {
			t.Fatalf("%d deep: %v, %v", n+1, errJ, errR)
		}
		if n == form.MaxNesting && (!sqlerr.Has(errJ, sqlerr.StatementTooComplex) ||
			!sqlerr.Has(errR, sqlerr.StatementTooComplex)) {
			t.Fatalf("%d deep: %v, %v", n+1, errJ, errR)
		}
		if n < form.MaxNesting {
			j, r = nextJ, nextR
		}
	}
	text := string(AppendText(nil, j, JSONB, nil))
	if back := parseAs(t, text, JSONB, nil); Compare(back, j) != 0 ||
		strings.Count(text, "[")+strings.Count(text, "{") < form.MaxNesting {
		t.Error("the text of the deepest document is another one")
	}
}
