package json

import "testing"

// TestParseRaw puts a json together again from the texts of its parts.
func TestParseRaw(t *testing.T) {
	j, err := ParseRaw(` {"b" : [ 1 , "\u0041" ] , "a": null, "b":{} } `, nil)
	if err != nil {
		t.Fatal(err)
	}
	if j.Raw != `{"b" : [ 1 , "\u0041" ] , "a": null, "b":{} }` || j.Items[0].Raw != `[ 1 , "\u0041" ]` ||
		j.Items[0].Items[1].Text != "A" || j.Items[0].Items[1].Raw != `"\u0041"` ||
		j.Member("b").Raw != "{}" || j.Member("c") != nil {
		t.Errorf("%+v", j)
	}
}
