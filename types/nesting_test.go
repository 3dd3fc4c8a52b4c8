package types

import (
	"strings"
	"testing"

	"zproxy/sqlerr"
)

// TestNesting puts values into each other, as deep as they may be and one more. What can be made can be read as text.
func TestNesting(t *testing.T) {
	j, r := NewJSONB(&JSONValue{}), NewInt(1)
	for n := range maxNesting + 1 {
		inner := *j.JSONB()
		wrapped := &JSONValue{Kind: JSONArray, Items: []JSONValue{{}, inner, {Kind: JSONArray}}}
		if n%2 == 0 {
			wrapped = NewJSONObject([]string{"b", "a"}, []JSONValue{inner, {}})
		}
		field := r
		if n%2 == 0 {
			field = NewItems(OIDRecord, []Value{Null, r})
		}
		nextJ, errJ := MakeJSONB(wrapped)
		nextR, errR := MakeRecord(&RecordValue{Values: []Value{Null, field}})
		if n < maxNesting && (errJ != nil || errR != nil) {
			t.Fatalf("%d deep: %v, %v", n+1, errJ, errR)
		}
		if n == maxNesting && (!sqlerr.Has(errJ, sqlerr.StatementTooComplex) || !sqlerr.Has(errR, sqlerr.StatementTooComplex)) {
			t.Fatalf("%d deep: %v, %v", n+1, errJ, errR)
		}
		if n < maxNesting {
			j, r = nextJ, nextR
		}
	}
	text := string(AppendText(nil, j, JSONB, nil))
	if back := parseAs(t, text, JSONB, nil); Compare(back, j) != 0 || strings.Count(text, "[")+strings.Count(text, "{") < maxNesting {
		t.Error("the text of the deepest document is another one")
	}
}
