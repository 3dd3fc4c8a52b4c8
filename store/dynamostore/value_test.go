package dynamostore

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/apd/v3"

	"zproxy/types"
)

func numeric(precision, scale int32) types.T {
	return types.T{OID: types.OIDNumeric, Mod: precision<<16 | scale + 4}
}

func TestValueForms(t *testing.T) {
	for _, c := range []struct {
		t    types.T
		text string
		want string
	}{
		{types.Bool, "true", "BOOL true"},
		{types.Int8, "-9223372036854775808", "N -9223372036854775808"},
		{types.Float8, "0.1", "N 0.1"},
		{types.Float8, "-0", "S -0"},
		{types.Float8, "NaN", "S NaN"},
		{types.Float8, "-Infinity", "S -Infinity"},
		{types.Float8, "1e-300", "S 1e-300"},
		{types.Float4, "0.1", "N 0.1"},
		{types.Numeric, "110", "N 1.1E+2"},
		{types.Numeric, "1.1", "N 1.1"},
		{types.Numeric, "1.10", "S 1.10"},
		{types.Numeric, "NaN", "S NaN"},
		{types.Numeric, "1" + strings.Repeat("0", 126), "S 1" + strings.Repeat("0", 126)},
		{types.Numeric, "0.0000000010", "S 1.0E-9"},
		{types.Numeric, strings.Repeat("7", 39), "S " + strings.Repeat("7", 39)},
		{numeric(10, 2), "1.10", "N 1.1"},
		{numeric(10, 2), "0.00", "N 0"},
		{types.Text, "", "S "},
		{types.Text, "naïve", "S naïve"},
		{types.Varchar, "x", "S x"},
		{types.Bytea, `\x00ff`, "B 00ff"},
		{types.Date, "2024-02-29", "S 2024-02-29"},
		{types.Date, "0044-03-15 BC", "S 0044-03-15 BC"},
		{types.Date, "infinity", "S infinity"},
		{types.Date, "12345-06-07", "S +12345-06-07"},
		{types.Timestamptz, "12345-06-07 08:09:10+00", "S +12345-06-07T08:09:10+00"},
		{types.Timestamp, "2024-02-29 12:30:00.5", "S 2024-02-29T12:30:00.5"},
		{types.Timestamptz, "2024-02-29 12:30:00.5+02", "S 2024-02-29T10:30:00.5+00"},
		{types.UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "S a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{types.Point, "(1,-2.5)", "S (1,-2.5)"},
		{types.Of(types.OIDInet), "10.0.0.1/8", "S 10.0.0.1/8"},
		{types.JSON, ` {"b":1}`, `S  {"b":1}`},
		{types.JSONB, `{"b": [1, "x", null, true, -2.5e3], "a": {}}`, "M a=M,b=L N 1,S x,NULL,BOOL true,N -2.5E+3"},
		{types.JSONB, `[]`, "L"},
		{types.JSONB, `"x"`, `S "x"`},
		{types.JSONB, `null`, `S null`},
		{types.JSONB, `[1.50]`, `S [1.50]`},
		{types.JSONB, `{"": 1}`, `S {"": 1}`},
		{types.JSONB, strings.Repeat("[", 31) + strings.Repeat("]", 31), "S " + strings.Repeat("[", 31) + strings.Repeat("]", 31)},
		{arrayOf(types.Int4), "{1,NULL,-3}", "L N 1,NULL,N -3"},
		{arrayOf(types.Text), `{a,"b c"}`, "L S a,S b c"},
		{arrayOf(types.Text), "{}", "L"},
		{arrayOf(types.Timestamptz), `{"2024-02-29 12:30:00.5+02"}`, "L S 2024-02-29T10:30:00.5+00"},
		{arrayOf(numeric(10, 2)), "{1.10}", "L N 1.1"},
		{arrayOf(types.Int4), "[0:1]={1,2}", "S [0:1]={1,2}"},
		{arrayOf(types.Numeric), "{{1.10},{NaN}}", "S {{1.10},{NaN}}"},
	} {
		v, err := types.ParseText(c.text, c.t, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := encodeValue(v, c.t)
		if got := show(a); err != nil || got != c.want {
			t.Errorf("%s %s: %s, %v; want %s", c.t, c.text, got, err, c.want)
		}
		checkReturn(t, v, c.t)
	}
}

func arrayOf(t types.T) types.T {
	array, _ := types.ArrayOf(t)
	return array
}

func show(a ddb.AttributeValue) string {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberBOOL:
		return fmt.Sprintf("BOOL %v", a.Value)
	case *ddb.AttributeValueMemberN:
		return "N " + a.Value
	case *ddb.AttributeValueMemberS:
		return "S " + a.Value
	case *ddb.AttributeValueMemberB:
		return fmt.Sprintf("B %x", a.Value)
	case *ddb.AttributeValueMemberNULL:
		return "NULL"
	case *ddb.AttributeValueMemberL:
		parts := make([]string, len(a.Value))
		for i, item := range a.Value {
			parts[i] = show(item)
		}
		return strings.TrimSpace("L " + strings.Join(parts, ","))
	case *ddb.AttributeValueMemberM:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(a.Value)) {
			parts = append(parts, name+"="+show(a.Value[name]))
		}
		return strings.TrimSpace("M " + strings.Join(parts, ","))
	}
	return fmt.Sprintf("%T", a)
}

// hold does to an attribute what DynamoDB does: it trims the zeros of a number.
func hold(t *testing.T, a ddb.AttributeValue) ddb.AttributeValue {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberL:
		out := new(ddb.AttributeValueMemberL)
		for _, item := range a.Value {
			out.Value = append(out.Value, hold(t, item))
		}
		return out
	case *ddb.AttributeValueMemberM:
		out := &ddb.AttributeValueMemberM{Value: map[string]ddb.AttributeValue{}}
		for name, member := range a.Value {
			out.Value[name] = hold(t, member)
		}
		return out
	}
	n, ok := a.(*ddb.AttributeValueMemberN)
	if !ok {
		return a
	}
	d, _, err := apd.NewFromString(n.Value)
	if err != nil || d.Form != apd.Finite {
		t.Fatalf("DynamoDB refuses the number %s: %v", n.Value, err)
	}
	d.Reduce(d)
	if magnitude := int64(d.Exponent) + d.NumDigits() - 1; d.NumDigits() > 38 || magnitude < -130 || magnitude > 125 {
		t.Fatalf("DynamoDB refuses the number %s", n.Value)
	}
	if d.IsZero() {
		d.Negative = false
	}
	return &ddb.AttributeValueMemberN{Value: d.Text('f')}
}

// checkReturn checks that a value comes back as it was.
func checkReturn(t *testing.T, v types.Value, typ types.T) {
	t.Helper()
	a, err := encodeValue(v, typ)
	if err != nil {
		t.Fatalf("%s %s: %v", typ, types.FormatText(v, typ, nil), err)
	}
	back, err := decodeValue(hold(t, a), typ)
	if err != nil {
		t.Fatalf("%s %s: %v", typ, show(a), err)
	}
	sameFloat := v.Kind() != types.KindFloat || v.Float() != v.Float() ||
		math.Signbit(v.Float()) == math.Signbit(back.Float())
	if v.Kind() != back.Kind() || !types.Equal(v, back) || !sameFloat ||
		types.FormatText(v, typ, nil) != types.FormatText(back, typ, nil) {
		t.Errorf("%s %s came back as %s", typ, types.FormatText(v, typ, nil), types.FormatText(back, typ, nil))
	}
}

// TestEnumsComeBack wants stores to keep the keys of labels, whatever these are called.
func TestEnumsComeBack(t *testing.T) {
	sad, happy := types.NewEnum("F", "sad"), types.NewEnum("V", "happy")
	oid, array := types.EnumOID(16384)
	def := &types.Definition{Name: "mood", Labels: types.NewLabels([]types.Value{sad, happy})}
	mood, moods := types.T{OID: oid, Mod: -1, Def: def}, types.T{OID: array, Mod: -1, Def: def}
	list := types.NewItems(oid, []types.Value{happy, types.Null, sad})
	square := types.NewArray(&types.ArrayValue{Element: oid, Items: []types.Value{happy, sad},
		Dims: []types.Dim{{Length: 2, Lower: 1}, {Length: 1, Lower: 1}}})
	for _, v := range []types.Value{sad, happy} {
		checkReturn(t, v, mood)
	}
	for _, v := range []types.Value{list, square} {
		checkReturn(t, v, moods)
	}
	a, err := encodeValue(sad, mood)
	if s, ok := a.(*ddb.AttributeValueMemberS); err != nil || !ok || s.Value != "F" {
		t.Errorf("sad is kept as %v, %v", a, err)
	}
}

func TestValuesComeBack(t *testing.T) {
	r := newRand(t)
	columns := []types.T{
		types.Bool, types.Int2, types.Int4, types.Int8, types.Float4, types.Float8, types.Numeric, numeric(20, 4),
		types.Text, types.Varchar, types.Bytea, types.Date, types.Timestamp, types.Timestamptz, types.UUID, types.Point,
	}
	for range 500 {
		for _, typ := range columns {
			checkReturn(t, randomValue(t, r, typ), typ)
		}
	}
}

func randomValue(t *testing.T, r *rand.Rand, typ types.T) types.Value {
	switch typ.OID {
	case types.OIDBool:
		return types.NewBool(r.IntN(2) == 0)
	case types.OIDInt2:
		return types.NewInt(int64(int16(r.Uint32())))
	case types.OIDInt4:
		return types.NewInt(int64(int32(r.Uint32())))
	case types.OIDInt8:
		return types.NewInt(int64(r.Uint64()))
	case types.OIDFloat4:
		return types.NewFloat(float64(math.Float32frombits(r.Uint32())))
	case types.OIDFloat8:
		return types.NewFloat(math.Float64frombits(r.Uint64()))
	case types.OIDNumeric:
		return randomNumeric(t, r, typ)
	case types.OIDText, types.OIDVarchar:
		return types.NewText(strings.Repeat(string(rune(1+r.IntN(0xd000))), r.IntN(4)))
	case types.OIDBytea:
		return types.NewBytes([]byte{byte(r.Uint32()), 0}[:r.IntN(3)])
	case types.OIDDate:
		return types.NewDate(r.Int32N(3_000_000) - 1_000_000)
	case types.OIDUUID:
		var u [16]byte
		for i := range u {
			u[i] = byte(r.Uint32())
		}
		return types.NewUUID(u)
	case types.OIDPoint:
		return types.NewPoint(math.Float64frombits(r.Uint64()), r.NormFloat64())
	}
	return types.NewTimestamp(r.Int64N(500_000_000_000_000_000) - 200_000_000_000_000_000)
}

// randomNumeric has digits and zeros at both ends of the point.
func randomNumeric(t *testing.T, r *rand.Rand, typ types.T) types.Value {
	digits := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = "0001234567899"[r.IntN(13)]
		}
		return string(text)
	}
	text := "-"[:r.IntN(2)] + "0" + digits(r.IntN(16)) + "." + digits(r.IntN(7)) + "0"
	if typ.Mod < 0 {
		text = digits(r.IntN(140)) + text[1:] + digits(r.IntN(140))
	}
	v, err := types.ParseText(text, typ, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err = types.ApplyMod(v, typ, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWrongAttributes(t *testing.T) {
	text := &ddb.AttributeValueMemberS{Value: "x"}
	for _, c := range []struct {
		a ddb.AttributeValue
		t types.T
	}{
		{text, types.Bool}, {text, types.Int8}, {text, types.Float8}, {text, types.Numeric}, {text, types.Bytea},
		{text, types.Date}, {text, types.Timestamptz}, {text, types.UUID}, {text, types.Point},
		{&ddb.AttributeValueMemberN{Value: "1"}, types.Text},
		{&ddb.AttributeValueMemberN{Value: "1.5"}, types.Int8},
		{&ddb.AttributeValueMemberN{Value: "70000"}, types.Int2},
		{&ddb.AttributeValueMemberN{Value: "1e999999999"}, types.Numeric},
		{&ddb.AttributeValueMemberBOOL{Value: true}, types.Int8},
		{&ddb.AttributeValueMemberB{Value: []byte("x")}, types.Text},
		{&ddb.AttributeValueMemberL{}, types.Text},
	} {
		if v, err := decodeValue(c.a, c.t); err == nil {
			t.Errorf("%s as %s gave a value of kind %d", show(c.a), c.t, v.Kind())
		}
	}
}
