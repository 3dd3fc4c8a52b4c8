package catalogstore

import (
	"encoding/json"
	"fmt"
	"testing"

	"zproxy/catalog/elements"
	"zproxy/types"
)

// TestElements holds that what is known of elements comes back as it was stored, for each kind of type that has any.
func TestElements(t *testing.T) {
	texts, _ := types.ArrayOf(types.Text)
	moments, _ := types.ArrayOf(types.Timestamptz)
	for _, c := range []struct {
		of     types.T
		values []string
	}{
		{texts, []string{`{a,"b c",NULL}`, `{}`, `{a,"\"{}\\"}`}},
		{moments, []string{`{2020-01-01 00:00:00+00,infinity}`, `{NULL}`}},
		{types.JSONB, []string{`{"a": {"b": [1, "x"]}, "c": null}`, `{"a": {"b": [1]}, "d": 1.50}`, `["x"]`, `7`}},
	} {
		var values []types.Value
		for _, text := range c.values {
			v, err := types.ParseText(text, c.of, &types.Env{})
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
		}
		want := elements.Collect(c.of, values, 7)
		body, err := json.Marshal(encodeElements(want, c.of))
		if err != nil {
			t.Fatal(err)
		}
		var stored *storedElements
		if err := json.Unmarshal(body, &stored); err != nil {
			t.Fatal(err)
		}
		got, err := decodeElements(stored, c.of)
		if err != nil || shown(got) != shown(want) {
			t.Errorf("%s, %v:\n%s\n%s", c.of, err, shown(got), shown(want))
		}
		if !stored.thin() {
			t.Error("there is nothing to leave out")
		}
		for range 20 {
			stored.thin()
		}
		got, err = decodeElements(stored, c.of)
		if err != nil || len(got.Common)+len(got.Parts)+len(got.Paths) > 0 || stored.thin() {
			t.Errorf("%s, %v: %s is left", c.of, err, shown(got))
		}
		if _, err := decodeElements(&storedElements{Common: []string{"a"}}, c.of); err == nil {
			t.Error("an element without a share was read")
		}
	}
	if s, err := decodeElements(encodeElements(nil, texts), texts); s != nil || err != nil {
		t.Errorf("%v, %v of nothing", s, err)
	}
	if s, err := decodeElements(&storedElements{Common: []string{"a"}}, types.Int4); s != nil || err != nil {
		t.Errorf("%v, %v of a type without elements", s, err)
	}
}

// shown is a value with what its pointers are to.
func shown(s *elements.Stats) string {
	out := fmt.Sprintf("%+v %v %v %d", s.Others, s.Nulls, s.Counts, s.Sampled)
	for _, list := range [][]elements.Common{s.Common, s.Parts} {
		for _, c := range list {
			out += fmt.Sprintf(" %q %g", types.AppendKey(nil, c.Value), c.Share)
		}
	}
	for _, p := range s.Paths {
		out += fmt.Sprintf(" %q %+v", types.AppendKey(nil, p.Of), p.Rest)
	}
	return out
}
