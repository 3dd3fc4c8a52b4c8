package keys

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/encoding/ordered"
	"zproxy/internal/testseed"
	"zproxy/types"
)

func newRand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(testseed.Of(t), 0))
}

var (
	intArray, _  = types.ArrayOf(types.Int4)
	textArray, _ = types.ArrayOf(types.Text)
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
		a.Items = append(a.Items, randomValue(r, element))
	}
	return types.NewArray(a)
}

// keyTypes are types that a key may have, of every kind that has an order.
var keyTypes = []types.T{
	types.Bool, types.Int2, types.Int4, types.Int8, types.Float4, types.Float8, types.Numeric,
	types.Text, intArray, textArray, types.Bytea, types.Date, types.Timestamptz, types.UUID,
	types.Bpchar,
	types.Time, types.Timetz, types.Interval,
}

// randomValue is often near another one, or at an end of its type; one in ten is NULL.
func randomValue(r *rand.Rand, t types.T) types.Value {
	if r.IntN(10) == 0 {
		return types.Null
	}
	switch t.Kind() {
	case types.KindArray:
		return randomArray(r, t)
	case types.KindBool:
		return types.NewBool(r.IntN(2) == 0)
	case types.KindFloat:
		return types.NewFloat(randomFloat(r, t))
	case types.KindNumeric:
		return types.NewNumeric(randomNumeric(r))
	case types.KindText:
		return types.NewText(string(randomBytes(r)))
	case types.KindBpchar:
		return types.NewBpchar(string(randomBytes(r)) + strings.Repeat(" ", r.IntN(3)))
	case types.KindBytes:
		return types.NewBytes(randomBytes(r))
	case types.KindUUID:
		return types.NewUUID([16]byte{0: byte(r.IntN(3)), 15: byte(r.IntN(3))})
	case types.KindDate:
		return types.NewDate(int32(randomInt(r, 32)))
	case types.KindTime:
		return types.NewTime(r.Int64N(86_400_000_001))
	case types.KindTimetz:
		return types.NewTimetz(r.Int64N(86_400_000_001), int32(r.IntN(3)-1)*3600)
	case types.KindInterval:
		return types.NewInterval(int32(randomInt(r, 32)), int32(randomInt(r, 32)), randomInt(r, 64))
	case types.KindTimestamp:
		return types.NewTimestamp(randomInt(r, 64))
	default:
		return types.NewInt(randomInt(r, 8*plainWidth(t)))
	}
}

func randomInt(r *rand.Rand, bits int) int64 {
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

func randomBytes(r *rand.Rand) []byte {
	p := make([]byte, r.IntN(5))
	for i := range p {
		p[i] = []byte{0, 1, ' ', 'a', 'b', 0xfe, 0xff}[r.IntN(7)]
	}
	return p
}

// order compares two values as PostgreSQL's ORDER BY does: NULL last, and first when
// descending.
func order(a, b types.Value, desc bool) int {
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

func TestEncodingsAreOrderedAsValues(t *testing.T) {
	r := newRand(t)
	for _, typ := range keyTypes {
		for range 3000 {
			a, b, desc := randomValue(r, typ), randomValue(r, typ), r.IntN(2) == 0
			x, y := ordered.Append(nil, a, desc), ordered.Append(nil, b, desc)
			want := order(a, b, desc)
			if got := bytes.Compare(x, y); got != want {
				t.Fatalf("%s, descending %t: %x and %x compare as %d, want %d", typ, desc, x, y, got, want)
			}
			if want != 0 && (bytes.HasPrefix(x, y) || bytes.HasPrefix(y, x)) {
				t.Fatalf("%s, descending %t: one of %x and %x begins with the other", typ, desc, x, y)
			}
			if x[0] == 0 || x[0] == 0xff {
				t.Fatalf("%s, descending %t: %x has no neighbours", typ, desc, x)
			}
		}
	}
}

func TestDecodeValueReadsWhatWasAppended(t *testing.T) {
	r := newRand(t)
	for _, typ := range keyTypes {
		for range 1000 {
			v, desc := randomValue(r, typ), r.IntN(2) == 0
			behind := randomBytes(r)
			enc := ordered.Append(nil, v, desc)
			got, rest, err := ordered.Decode(slices.Concat(enc, behind), typ, desc)
			if err != nil || got.Kind() != v.Kind() || order(got, v, false) != 0 || !bytes.Equal(rest, behind) {
				t.Fatalf("%s, descending %t: %x is read as %v, rest %x, %v", typ, desc, enc, got, rest, err)
			}
			if desc {
				continue
			}
			if _, _, err := ordered.Decode(enc[:len(enc)-1], typ, desc); err == nil {
				t.Fatalf("%s: %x without its last byte is read", typ, enc)
			}
		}
	}
}

func TestDecodeValueRefusesOtherKinds(t *testing.T) {
	text := ordered.Append(nil, types.NewText("a"), false)
	for _, typ := range keyTypes {
		_, _, err := ordered.Decode(text, typ, false)
		ok := typ.Kind() == types.KindText || typ.Kind() == types.KindBytes || typ.Kind() == types.KindBpchar
		if ok != (err == nil) {
			t.Errorf("a text read as %s: %v", typ, err)
		}
	}
}

func FuzzFormat(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 0))
	for i, typ := range keyTypes {
		f.Add(ordered.Append(ordered.Append(nil, randomValue(r, typ), i%2 == 0), types.NewText("a\x00"), false), byte(i), i%2 == 0)
	}
	f.Add([]byte{0x23, 0, 0, 0, 0, 0xff}, byte(6), false)
	f.Add([]byte{0x18, 1}, byte(1), false)
	f.Fuzz(func(t *testing.T, key []byte, which byte, desc bool) {
		typ := keyTypes[int(which)%len(keyTypes)]
		v, rest, err := ordered.Decode(key, typ, desc)
		if err == nil && len(rest) == len(key) {
			t.Errorf("%x is read as a %s of no bytes", key, typ)
		}
		if err == nil && !v.IsNull() && v.Kind() != typ.Kind() {
			t.Errorf("%x is read as kind %d for a %s", key, v.Kind(), typ)
		}
		if shown := Format(key, []types.T{typ, types.Text}, []bool{desc, false}); len(key) > 0 && !strings.HasPrefix(shown, "/") {
			t.Errorf("%x is shown as %s", key, shown)
		}
	})
}
