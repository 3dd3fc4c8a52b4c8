package types

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/internal/recorded"
	"zproxy/sqlerr"
	"zproxy/types/form"
)

// randomJSON makes a document of the given depth at most, with few different scalars, so
// that parts of documents are often equal.
func randomJSON(r *rand.Rand, depth int) *JSONValue {
	kind := JSONKind(r.IntN(6))
	if depth == 0 {
		kind = JSONKind(r.IntN(4))
	}
	j := &JSONValue{Kind: kind}
	switch kind {
	case JSONString:
		j.Text = randomText(r)
	case JSONNumber:
		for j.Number == nil || j.Number.Form != apd.Finite {
			j.Number = randomNumeric(r)
		}
		if r.IntN(2) == 0 {
			j.Number = []*apd.Decimal{apd.New(0, 0), apd.New(1, 0), apd.New(10, -1), apd.New(-1, 0)}[r.IntN(4)]
		}
	case JSONBool:
		j.Bool = r.IntN(2) == 0
	case JSONArray, JSONObject:
		var keys []string
		for range r.IntN(4) {
			keys = append(keys, []string{"", "a", "b", "aa", "é"}[r.IntN(5)])
			j.Items = append(j.Items, *randomJSON(r, depth-1))
		}
		if kind == JSONObject {
			return NewJSONObject(keys, j.Items)
		}
	}
	return j
}

func TestJSON(t *testing.T) {
	recorded.Each(t, "testdata/json.tsv", func(in []string) string {
		typ := typeNamed(t, in[0])
		v, err := ParseText(in[1], typ, nil)
		return shown(v, err, typ, nil)
	})
}

func TestJSONOrder(t *testing.T) {
	recorded.Each(t, "testdata/json_order.tsv", func(in []string) string {
		return strconv.Itoa(Compare(parseAs(t, in[0], JSONB, nil), parseAs(t, in[1], JSONB, nil)))
	})
}

func TestJSONDepth(t *testing.T) {
	for _, typ := range []T{JSON, JSONB} {
		if _, err := ParseText(strings.Repeat("[", maxNesting)+strings.Repeat("]", maxNesting), typ, nil); err != nil {
			t.Error(err)
		}
		for _, open := range []string{"[", `{"a":`} {
			if _, err := ParseText(strings.Repeat(open, 1_000_000), typ, nil); !sqlerr.Has(err, sqlerr.StatementTooComplex) {
				t.Errorf("%s: %v", open, err)
			}
		}
	}
}

// TestJSONRaw puts a json together again from the texts of its parts.
func TestJSONRaw(t *testing.T) {
	j, err := ParseJSON(` {"b" : [ 1 , "\u0041" ] , "a": null, "b":{} } `, nil)
	if err != nil {
		t.Fatal(err)
	}
	if j.Raw != `{"b" : [ 1 , "\u0041" ] , "a": null, "b":{} }` || j.Items[0].Raw != `[ 1 , "\u0041" ]` ||
		j.Items[0].Items[1].Text != "A" || j.Items[0].Items[1].Raw != `"\u0041"` || j.Member("b").Raw != "{}" || j.Member("c") != nil {
		t.Errorf("%+v", j)
	}
}

// FuzzJSON compares with encoding/json what is JSON. PostgreSQL refuses bytes that are
// not UTF-8, and in a jsonb \u0000, lone surrogates and numbers beyond numeric.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a": [1, -2.5e3, "x\n\u00e9\ud834\udd1e", true, false, null]}`, `[`, `"\u0000"`, `"\ud834"`, `1e999999`, ` 1 2`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		if form.CheckUTF8(string(p)) != nil {
			return
		}
		_, err := ParseText(string(p), JSON, nil)
		if (err == nil) != json.Valid(p) && !sqlerr.Has(err, sqlerr.StatementTooComplex) {
			t.Fatalf("%q: %v", p, err)
		}
		j, errB := ParseText(string(p), JSONB, nil)
		if errB != nil {
			if err == nil && !bytes.Contains(p, []byte(`\u`)) && !sqlerr.Has(errB, sqlerr.NumericValueOutOfRange) {
				t.Fatalf("%q: %v", p, errB)
			}
			return
		}
		sameAgain(t, j, JSONB, nil)
		sameAsGo(t, p, j.JSONB())
	})
}

// sameAsGo compares the strings of two readings.
func sameAsGo(t *testing.T, p []byte, j *JSONValue) {
	var want any
	d := json.NewDecoder(bytes.NewReader(p))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		t.Fatalf("%q: %v", p, err)
	}
	var same func(want any, j *JSONValue) bool
	same = func(want any, j *JSONValue) bool {
		switch want := want.(type) {
		case nil:
			return j.Kind == JSONNull
		case string:
			return j.Kind == JSONString && j.Text == want
		case bool:
			return j.Kind == JSONBool && j.Bool == want
		case []any:
			for i := range want {
				if !same(want[i], j.Element(int64(i))) {
					return false
				}
			}
			return j.Kind == JSONArray && len(j.Items) == len(want)
		case map[string]any:
			for key := range want {
				if m := j.Member(key); m == nil || !same(want[key], m) {
					return false
				}
			}
			return j.Kind == JSONObject && len(j.Keys) == len(want)
		}
		return j.Kind == JSONNumber
	}
	if !same(want, j) {
		t.Errorf("%q: %v is not %s", p, want, AppendJSON(nil, j))
	}
}

func randomPath(r *rand.Rand) Value {
	paths := []string{
		"$", "strict $.a[*] ? (@.b > 1 && !(@ like_regex \"x\" flag \"i\"))", "$.**{2 to last}.size()", "-$[last, 0 to 1] + 2 * (3 - $x)",
		"($ == 1) is unknown", "exists($.a) || \"a\" starts with $\"b c\"", "(1).type()", "-(-1)", "null", "$.\"a.b\".*",
	}
	p, err := ParseJSONPath(paths[r.IntN(len(paths))])
	if err != nil {
		panic(err)
	}
	return NewJSONPath(p)
}

func TestJSONPath(t *testing.T) {
	typ := Of(OIDJSONPath)
	recorded.Each(t, "testdata/jsonpath.tsv", func(in []string) string {
		v, err := ParseText(in[0], typ, nil)
		return shown(v, err, typ, nil)
	})
}

// FuzzJSONPath reads paths that print themselves again.
func FuzzJSONPath(f *testing.F) {
	for _, s := range []string{`strict $.a[*] ? (@.b > 1 && !exists(@."c d"))`, `-$[last, 0 to 1] * (2 + $x).type()`, `$.**{1 to last} like_regex "\u0041" flag "i"`} {
		f.Add(s)
	}
	typ := Of(OIDJSONPath)
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseText(s, typ, nil); err == nil {
			sameAgain(t, v, typ, nil)
		}
	})
}
