package types

import (
	"bytes"
	gojson "encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/internal/recorded"
	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/json"
	"zproxy/types/jsonpath"
)

// randomJSON makes a document of the given depth at most, with few different scalars, so
// that parts of documents are often equal.
func randomJSON(r *rand.Rand, depth int) *json.Value {
	kind := json.Kind(r.IntN(6))
	if depth == 0 {
		kind = json.Kind(r.IntN(4))
	}
	j := &json.Value{Kind: kind}
	switch kind {
	case json.String:
		j.Text = randomText(r)
	case json.Number:
		for j.Number == nil || j.Number.Form != apd.Finite {
			j.Number = randomNumeric(r)
		}
		if r.IntN(2) == 0 {
			j.Number = []*apd.Decimal{apd.New(0, 0), apd.New(1, 0), apd.New(10, -1), apd.New(-1, 0)}[r.IntN(4)]
		}
	case json.Bool:
		j.Bool = r.IntN(2) == 0
	case json.Array, json.Object:
		var keys []string
		for range r.IntN(4) {
			keys = append(keys, []string{"", "a", "b", "aa", "é"}[r.IntN(5)])
			j.Items = append(j.Items, *randomJSON(r, depth-1))
		}
		if kind == json.Object {
			return json.NewObject(keys, j.Items)
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
		if _, err := ParseText(strings.Repeat("[", form.MaxNesting)+strings.Repeat("]", form.MaxNesting), typ,
			nil); err != nil {
			t.Error(err)
		}
		for _, open := range []string{"[", `{"a":`} {
			if _, err := ParseText(strings.Repeat(open, 1_000_000), typ, nil); !sqlerr.Has(err,
				sqlerr.StatementTooComplex) {
				t.Errorf("%s: %v", open, err)
			}
		}
	}
}

// FuzzJSON compares with encoding/json what is JSON. PostgreSQL refuses bytes that are
// not UTF-8, and in a jsonb \u0000, lone surrogates and numbers beyond numeric.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a": [1, -2.5e3, "x\n\u00e9\ud834\udd1e", true, false, null]}`, `[`, `"\u0000"`, `"\ud834"`, `1e999999`, ` 1 2`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		if form.CheckUTF8(string(p)) != nil {
			return
		}
		_, err := ParseText(string(p), JSON, nil)
		if (err == nil) != gojson.Valid(p) && !sqlerr.Has(err, sqlerr.StatementTooComplex) {
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
func sameAsGo(t *testing.T, p []byte, j *json.Value) {
	var want any
	d := gojson.NewDecoder(bytes.NewReader(p))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		t.Fatalf("%q: %v", p, err)
	}
	var same func(want any, j *json.Value) bool
	same = func(want any, j *json.Value) bool {
		switch want := want.(type) {
		case nil:
			return j.Kind == json.Null
		case string:
			return j.Kind == json.String && j.Text == want
		case bool:
			return j.Kind == json.Bool && j.Bool == want
		case []any:
			for i := range want {
				if !same(want[i], j.Element(int64(i))) {
					return false
				}
			}
			return j.Kind == json.Array && len(j.Items) == len(want)
		case map[string]any:
			for key := range want {
				if m := j.Member(key); m == nil || !same(want[key], m) {
					return false
				}
			}
			return j.Kind == json.Object && len(j.Keys) == len(want)
		}
		return j.Kind == json.Number
	}
	if !same(want, j) {
		t.Errorf("%q: %v is not %s", p, want, json.Append(nil, j, nil))
	}
}

func randomPath(r *rand.Rand) Value {
	paths := []string{
		"$", "strict $.a[*] ? (@.b > 1 && !(@ like_regex \"x\" flag \"i\"))", "$.**{2 to last}.size()",
		"-$[last, 0 to 1] + 2 * (3 - $x)",
		"($ == 1) is unknown", "exists($.a) || \"a\" starts with $\"b c\"", "(1).type()", "-(-1)", "null", "$.\"a.b\".*",
	}
	p, err := jsonpath.Parse(paths[r.IntN(len(paths))])
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
	for _, s := range []string{
		`strict $.a[*] ? (@.b > 1 && !exists(@."c d"))`, `-$[last, 0 to 1] * (2 + $x).type()`,
		`$.**{1 to last} like_regex "\u0041" flag "i"`,
	} {
		f.Add(s)
	}
	typ := Of(OIDJSONPath)
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseText(s, typ, nil); err == nil {
			sameAgain(t, v, typ, nil)
		}
	})
}
