// Package valuetest makes random values for tests of what orders, stores and shows values. Not here are the values of
// one test alone, nor random statements. Read Types and Random first.
package valuetest

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types"
	"zproxy/types/collation"
	"zproxy/types/interval"
	"zproxy/types/json"
	"zproxy/types/ranges"
)

// randomArray has up to two dimensions of any bounds.
func randomArray(r *rand.Rand, t types.T) types.Value {
	element, _ := types.ElementOf(t)
	a := &types.ArrayValue{Element: element.OID}
	size := 1
	for range r.IntN(3) {
		d := types.Dim{Length: 1 + r.IntN(3), Lower: r.IntN(3) - 1}
		a.Dims, size = append(a.Dims, d), size*d.Length
	}
	for range size * min(len(a.Dims), 1) {
		a.Items = append(a.Items, Random(r, element))
	}
	return types.NewArray(a)
}

// Types are types that a key may have, of every kind that has an order and is not Composed.
func Types() []types.T {
	intArray, _ := types.ArrayOf(types.Int4)
	textArray, _ := types.ArrayOf(types.Text)
	return []types.T{
		types.Bool, types.Int2, types.Int4, types.Int8, types.Float4, types.Float8, types.Numeric,
		types.Text, intArray, textArray, types.Bytea, types.Date, types.Timestamptz, types.UUID,
		types.Bpchar, types.Of(types.OIDCitext), types.Text.In(swedish), types.Bpchar.In(swedish), types.Text.In(loose),
		types.Time, types.Timetz, types.Interval,
	}
}

// Collations of texts: one in which different texts are never equal, and one that does not tell cases and accents.
var (
	swedish = types.Collation{OID: 1, Order: order("sv", true)}
	loose   = types.Collation{OID: 2, Order: order("und-u-ks-level1", false)}
)

func order(locale string, deterministic bool) collation.Order {
	o, err := collation.Parse(locale, deterministic)
	if err != nil {
		panic(err)
	}
	return o
}

// Composed are types that a key may have whose values are made of others: documents, rows,
// arrays of both, and ranges.
func Composed() []types.T {
	jsonb := types.Of(types.OIDJSONB)
	oid, _ := types.RowOID(1)
	row := types.T{OID: oid, Mod: -1, Def: &types.Definition{
		Name: "composed", Names: []string{"a", "b", "c", "d"}, Types: []types.T{types.Int4, types.Text, types.Numeric, jsonb},
	}}
	documents, _ := types.ArrayOf(jsonb)
	rows, _ := types.ArrayOf(row)
	outer, _ := types.RowOID(2)
	nested := types.T{OID: outer, Mod: -1, Def: &types.Definition{
		Name: "nested", Names: []string{"r", "l", "x"}, Types: []types.T{row, rows, types.Bytea},
	}}
	out := []types.T{jsonb, row, documents, rows, nested}
	for _, of := range types.RangeTypes() {
		out = append(out, types.Of(of.OID), types.Of(of.Multirange))
	}
	return out
}

func randomRow(r *rand.Rand, t types.T) types.Value {
	v := &types.RecordValue{Names: t.Def.Names, Types: t.Def.Types}
	for _, of := range t.Def.Types {
		v.Values = append(v.Values, Random(r, of))
	}
	return types.NewRecord(v)
}

// randomRange is a range, or a multirange of up to two.
func randomRange(r *rand.Rand, t types.T) types.Value {
	of := t.Range()
	one := func() types.Range {
		lower, upper := of.Bound(Random(r, of.Subtype)), of.Bound(Random(r, of.Subtype))
		lower.Inclusive, upper.Inclusive = r.IntN(2) == 0, r.IntN(2) == 0
		v, err := of.Make(lower, upper)
		if err != nil { // they are the other way round, or there is no next value
			return types.Range{Empty: true}
		}
		return v.Range().Ranges[0]
	}
	if t.OID == of.OID {
		return of.Value(one())
	}
	var list []types.Range
	for range r.IntN(3) {
		list = append(list, one())
	}
	return of.MultiValue(ranges.Join(list...))
}

// randomDocument is a small document, in which an array or an object has others inside if depth is above 0.
func randomDocument(r *rand.Rand, depth int) json.Value {
	switch kind := json.Kind(r.IntN(int(json.Object) + 1)); {
	case kind == json.String:
		return json.Value{Kind: kind, Text: string(Bytes(r))}
	case kind == json.Number:
		return json.Value{Kind: kind, Number: apd.New(Int(r, 64), -int32(r.IntN(4)))}
	case kind == json.Bool:
		return json.Value{Kind: kind, Bool: r.IntN(2) == 0}
	case kind >= json.Array && depth > 0:
		var keys []string
		var items []json.Value
		for range r.IntN(3) {
			keys, items = append(keys, string(Bytes(r))), append(items, randomDocument(r, depth-1))
		}
		if kind == json.Object {
			return *json.NewObject(keys, items)
		}
		return json.Value{Kind: kind, Items: items}
	}
	return json.Value{}
}

// Random is a value that is often near another one, or at an end of its type; one in ten is NULL.
func Random(r *rand.Rand, t types.T) types.Value {
	if r.IntN(10) == 0 {
		return types.Null
	}
	switch t.Kind() {
	case types.KindArray:
		return randomArray(r, t)
	case types.KindRecord:
		return randomRow(r, t)
	case types.KindRange:
		return randomRange(r, t)
	case types.KindJSONB:
		j := randomDocument(r, 2)
		return types.NewJSONB(&j)
	case types.KindBool:
		return types.NewBool(r.IntN(2) == 0)
	case types.KindFloat:
		return types.NewFloat(randomFloat(r, t))
	case types.KindNumeric:
		return types.NewNumeric(randomNumeric(r))
	case types.KindText:
		return types.NewText(string(Bytes(r)))
	case types.KindCitext:
		return types.NewCitext(string(Bytes(r)))
	case types.KindCollated:
		v := types.NewText(string(Bytes(r)))
		if t.OID == types.OIDBpchar {
			v = types.NewBpchar(v.Text() + strings.Repeat(" ", r.IntN(3)))
		}
		return t.Collate(v)
	case types.KindBpchar:
		return types.NewBpchar(string(Bytes(r)) + strings.Repeat(" ", r.IntN(3)))
	case types.KindBytes:
		return types.NewBytes(Bytes(r))
	case types.KindUUID:
		return types.NewUUID([16]byte{0: byte(r.IntN(3)), 15: byte(r.IntN(3))})
	case types.KindDate:
		return types.NewDate(int32(Int(r, 32)))
	case types.KindTime:
		return types.NewTime(r.Int64N(86_400_000_001))
	case types.KindTimetz:
		return types.NewTimetz(r.Int64N(86_400_000_001), int32(r.IntN(3)-1)*3600)
	case types.KindInterval:
		months, days := int32(Int(r, 32)), int32(Int(r, 32))
		return types.NewInterval(interval.Interval{Months: months, Days: days, Micros: Int(r, 64)})
	case types.KindTimestamp:
		return types.NewTimestamp(Int(r, 64))
	default:
		return types.NewInt(Int(r, 8*int(types.InfoOf(t.OID).Size)))
	}
}

// Int is a number of so many bits, often near zero or at an end.
func Int(r *rand.Rand, bits int) int64 {
	switch r.IntN(3) {
	case 0:
		return int64(r.IntN(7)) - 3
	case 1:
		return []int64{-1 << (bits - 1), 1<<(bits-1) - 1}[r.IntN(2)]
	}
	return int64(r.Uint64()) >> (64 - bits + r.IntN(bits))
}

func randomFloat(r *rand.Rand, t types.T) float64 {
	f := math.Float64frombits(r.Uint64())
	switch r.IntN(3) {
	case 0:
		f = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(5)]
	case 1:
		f = float64(r.IntN(9)-4) / 2
	}
	if t.OID == types.OIDFloat4 {
		return float64(float32(f))
	}
	return f
}

func randomNumeric(r *rand.Rand) *apd.Decimal {
	d := &apd.Decimal{Negative: r.IntN(2) == 0}
	switch r.IntN(12) {
	case 0:
		d.Form, d.Negative = apd.NaN, false
		return d
	case 1:
		d.Form = apd.Infinite
		return d
	}
	d.Coeff.SetUint64(r.Uint64() >> r.IntN(64))
	if r.IntN(3) == 0 {
		d.Coeff.SetUint64([]uint64{0, 1, 10, 100, 101, 1100, 9, 99, 990}[r.IntN(9)])
	}
	d.Exponent = -int32(r.IntN(9))
	return d
}

// Bytes are few, of those that encodings treat in their own way.
func Bytes(r *rand.Rand) []byte {
	p := make([]byte, r.IntN(5))
	for i := range p {
		p[i] = []byte{0, 1, ' ', 'a', 'b', 0xfe, 0xff}[r.IntN(7)]
	}
	return p
}

// Compare compares two values as PostgreSQL's ORDER BY does: NULL last, and first when
// descending.
func Compare(a, b types.Value, desc bool) int {
	c := 0
	switch {
	case a.IsNull() || b.IsNull():
		c = map[bool]int{true: 1}[a.IsNull()] - map[bool]int{true: 1}[b.IsNull()]
	default:
		c = types.Compare(a, b)
	}
	if desc {
		return -c
	}
	return c
}
