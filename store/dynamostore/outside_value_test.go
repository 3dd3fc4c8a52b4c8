package dynamostore

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/internal/testseed"
	"zproxy/internal/valuetest"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// outsideType is a type of columns, with texts of values that are not drawn otherwise.
type outsideType struct {
	of    types.T
	texts []string
}

// outsideTypes are types of columns.
func outsideTypes() []outsideType {
	out := []outsideType{
		{types.JSONB, []string{`null`, `"x"`, `7`, `1.50`, `true`, `[]`, `{}`, `{"a": 1.50, "b": [1.0, {"c": null}]}`, `[[[]]]`,
			`{"": 1}`, `1e200`, `[1e-200]`, `"\u00e9"`, `[12345678901234567890123456789012345678901]`}},
		{types.JSON, []string{`null`, ` "x" `, `{"b":1.50,  "a":2, "a":3}`, `[1.0]`, `{"":0}`, `1e200`,
			`[ ]`}},
		{types.Point, []string{"(1,-2.5)"}},
		{types.Timestamp, []string{"2024-02-29 12:30:00.5", "infinity", "0044-03-15 01:02:03 BC"}},
		{types.Of(types.OIDInet), []string{"10.0.0.1/8", "::1"}},
		{types.Of(types.OIDChar), []string{"a", ""}},
		{numeric(6, 2), []string{"1.50", "-0.01", "9999.99", "NaN"}},
		{types.T{OID: types.OIDVarchar, Mod: 7}, []string{"", "abc", "é"}},
		{types.T{OID: types.OIDBpchar, Mod: 7}, []string{"", "ab", "abc"}},
		{arrayOf(types.JSONB), []string{`{"{\"a\": 1}"}`, "{}", "{NULL}"}},
		{arrayOf(types.JSON), []string{`{"{\"a\": 1}"}`, "{}", "{NULL}"}},
		{arrayOf(types.Numeric), []string{"{1.50,NULL}", "{NaN}", "{1,1.0}", "{}", "{{1},{2}}", "[2:3]={1,2}"}},
		{arrayOf(numeric(6, 2)), []string{"{1.50,2}"}},
		{arrayOf(types.Float8), []string{"{NaN,1}", "{-0}", "{1e300}", "{1.5}"}},
		{arrayOf(types.Timestamp), []string{`{"2024-02-29 12:30:00.5"}`}},
		{arrayOf(types.Bytea), []string{`{"\\x00","\\x"}`, `{"\\x00","\\x00"}`}},
		{arrayOf(types.Bool), []string{"{t,f,NULL}"}},
	}
	for _, t := range valuetest.Types() {
		out = append(out, outsideType{of: t})
	}
	return out
}

// outsideValues are values of a type.
func outsideValues(t *testing.T, r *rand.Rand, o outsideType) (out []types.Value) {
	t.Helper()
	for _, text := range o.texts {
		v, err := types.ParseText(text, o.of, nil)
		if err == nil {
			v, err = types.ApplyMod(v, o.of, false, nil)
		}
		if err != nil {
			t.Fatalf("%s %s: %v", o.of, text, err)
		}
		out = append(out, v)
	}
	if o.texts == nil {
		for range 20 {
			v := valuetest.Random(r, o.of)
			if _, err := types.ParseText(inText(v, o.of), o.of, nil); !v.IsNull() && err == nil { // SQL has such
				out = append(out, v)
			}
		}
	}
	return out
}

// TestOutsideValuesComeBack writes values of all types, also over attributes of any kind: each comes back as an equal
// one, or is refused with a code.
func TestOutsideValuesComeBack(t *testing.T) {
	d := draw{rand.New(rand.NewPCG(testseed.Of(t), 6))}
	refused := map[string]int{}
	for range 40 {
		for _, typ := range outsideTypes() {
			of := typ.of
			c := &store.Column{Name: "c", Type: of}
			o := &store.Outside{Table: "t"}
			if d.IntN(3) == 0 {
				o.Sets = []string{"c"}
			}
			for _, v := range outsideValues(t, d.Rand, typ) {
				var before ddb.AttributeValue
				if d.IntN(2) == 0 {
					before = d.other(2)
				}
				a, err := encodeOutside(o, c, v, before)
				if err != nil {
					code := sqlerr.From(err).Code
					refused[of.String()+" "+string(code)]++
					if code == sqlerr.InternalError {
						t.Errorf("%s %s: %v", of, types.FormatText(v, of, nil), err)
					}
					continue
				}
				back, err := decodeOutside(hold(t, a), of)
				if err != nil || back.IsNull() || !equalOutside(v, back, of) {
					t.Errorf("%s %s over %s is %s and comes back as %v, %v", of, types.FormatText(v, of, nil),
						inWords(before), inWords(a), inText(back, of), err)
				}
			}
		}
	}
	t.Logf("refused: %v", refused)
}

// equalOutside says whether values are equal: of json, as documents.
func equalOutside(a, b types.Value, of types.T) bool {
	if of.OID != types.OIDJSON {
		return types.Equal(a, b)
	}
	x, err := types.ParseText(a.Text(), types.JSONB, nil)
	y, err2 := types.ParseText(b.Text(), types.JSONB, nil)
	return err == nil && err2 == nil && types.Equal(x, y)
}

func inText(v types.Value, of types.T) string {
	if v.IsNull() {
		return "NULL"
	}
	return types.FormatText(v, of, nil)
}

// TestOutsideValuesStay writes what attributes of any kind are read as: they stay as they are.
func TestOutsideValuesStay(t *testing.T) {
	d := draw{rand.New(rand.NewPCG(testseed.Of(t), 7))}
	read := 0
	for range 300 {
		a := d.other(3)
		if d.IntN(3) == 0 {
			a = inS(d.one("1999-01-08", " 1999-01-08 04:05+02", "{1, 2}", `{"a" : 1}`,
				"a0eebc999c0b4ef8bb6d6bb9bd380a11", "1 day", "12:00", "10.0.0.1/32", "1.50", "NaN", "x  ", "\\x00"))
		}
		for _, typ := range outsideTypes() {
			of := typ.of
			v, err := decodeOutside(a, of)
			if err != nil || v.IsNull() {
				continue
			}
			read++
			c := &store.Column{Name: "c", Type: of}
			if after, err := encodeOutside(&store.Outside{}, c, v, a); err != nil || !reflect.DeepEqual(a, after) {
				t.Errorf("%s as %s %s becomes %s, %v", inWords(a), of, inText(v, of), inWords(after), err)
			}
		}
	}
	if read < 300 {
		t.Errorf("%d were read", read)
	}
}

// TestFingerprints wants items that differ to have other fingerprints: a write must not rest on another item than the
// one that was read.
func TestFingerprints(t *testing.T) {
	d := draw{rand.New(rand.NewPCG(testseed.Of(t), 8))}
	seen := map[int64]string{}
	texts := map[string]int64{}
	note := func(i item) {
		text, print := itemInWords(i), fingerprintOf(i)
		if other, known := seen[print]; known && other != text {
			t.Errorf("%s and %s have one fingerprint", text, other)
		}
		if other, known := texts[text]; known && other != print {
			t.Errorf("%s has two fingerprints", text)
		}
		seen[print], texts[text] = text, print
	}
	for range 2000 {
		i := item{"a": d.other(2)}
		note(i)
		note(item{"a": d.changed(i["a"])})
		if set, ok := i["a"].(*ddb.AttributeValueMemberSS); ok {
			slices.Reverse(set.Value)
			note(i)
		}
	}
	one, empty := []string{"1"}, []ddb.AttributeValue{}
	for _, a := range []ddb.AttributeValue{
		&ddb.AttributeValueMemberSS{Value: one}, &ddb.AttributeValueMemberNS{Value: one},
		&ddb.AttributeValueMemberBS{Value: [][]byte{{'1'}}}, &ddb.AttributeValueMemberL{Value: empty},
		&ddb.AttributeValueMemberM{Value: item{}}, inS("1"), inN("1"), &ddb.AttributeValueMemberNULL{Value: true},
		&ddb.AttributeValueMemberL{Value: []ddb.AttributeValue{&ddb.AttributeValueMemberL{Value: empty}}},
		&ddb.AttributeValueMemberL{Value: []ddb.AttributeValue{inS("1")}},
	} {
		note(item{"a": a})
	}
}
