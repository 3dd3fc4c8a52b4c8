package types

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
	"zproxy/types/float"
	"zproxy/types/geo"
	"zproxy/types/interval"
	"zproxy/types/json"
	"zproxy/types/net"
	"zproxy/types/numeric"
	"zproxy/types/ranges"
	"zproxy/types/spatial"
)

func newRand(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(testseed.Of(t), 0))
}

// randomInt is as often near the ends and near zero as anywhere.
func randomInt(r *rand.Rand, bits int) int64 {
	n := int64(r.Uint64()) >> (64 - bits)
	switch r.IntN(4) {
	case 0:
		return n >> r.IntN(bits)
	case 1:
		return int64(r.IntN(5)) - 2
	case 2:
		return []int64{-1 << (bits - 1), 1<<(bits-1) - 1}[r.IntN(2)]
	}
	return n
}

func randomFloat(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e23}[r.IntN(6)]
	case 1:
		return float64(randomInt(r, 20)) / 8
	}
	return math.Float64frombits(r.Uint64())
}

func randomNumeric(r *rand.Rand) *apd.Decimal {
	switch r.IntN(20) {
	case 0:
		return numeric.NaN
	case 1:
		return numeric.Infinity
	case 2:
		return numeric.NegInfinity
	}
	d := &apd.Decimal{Exponent: int32(-r.IntN(25))}
	d.Coeff.SetUint64(r.Uint64() >> r.IntN(64))
	if r.IntN(2) == 0 {
		d.Coeff.Mul(&d.Coeff, new(apd.BigInt).Exp(apd.NewBigInt(10), apd.NewBigInt(r.Int64N(50)), nil))
	}
	d.Negative = r.IntN(2) == 0 && d.Coeff.Sign() != 0
	return d
}

func randomText(r *rand.Rand) string {
	b := make([]rune, r.IntN(12))
	for i := range b {
		b[i] = []rune("a0 -\\'\"é€𐍈\n")[r.IntN(11)]
	}
	return string(b)
}

func randomBytes(r *rand.Rand) []byte {
	p := make([]byte, r.IntN(12))
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func randomMicros(r *rand.Rand) int64 {
	switch r.IntN(8) {
	case 0:
		return []int64{calendar.Infinity, calendar.NegInfinity, calendar.MinTimestamp,
			calendar.EndTimestamp - 1}[r.IntN(4)]
	case 1:
		return int64(r.Uint64N(calendar.EndTimestamp-calendar.MinTimestamp)) + calendar.MinTimestamp
	}
	return r.Int64N(8e15) - 4e15 // some 250 years around 2000
}

// randomArray has up to three dimensions, lower bounds and NULLs.
func randomArray(r *rand.Rand, typ T) Value {
	element, _ := ElementOf(typ)
	a := &ArrayValue{Element: element.OID}
	vector := InfoOf(typ.OID).parseText != nil
	if !vector && r.IntN(5) == 0 {
		return NewArray(a)
	}
	size := 1
	for range 1 + r.IntN(3) {
		d := Dim{Length: 1 + r.IntN(3), Lower: 1}
		if r.IntN(4) == 0 {
			d.Lower = r.IntN(7) - 3
		}
		if a.Dims, size = append(a.Dims, d), size*d.Length; vector {
			a.Dims[0].Lower = 0
			break
		}
	}
	for range size {
		item := Null
		if vector || r.IntN(5) > 0 {
			item = randomValue(r, element)
		}
		a.Items = append(a.Items, item)
	}
	return NewArray(a)
}

func randomRecord(r *rand.Rand) Value {
	rec := &RecordValue{}
	for _, typ := range []T{Int4, Text, Numeric, Of(InfoOf(OIDInt4).Array)}[:r.IntN(5)] {
		v := Null
		if r.IntN(5) > 0 {
			v = randomValue(r, typ)
		}
		rec.Names, rec.Types, rec.Values = append(rec.Names, randomText(r)), append(rec.Types, typ),
			append(rec.Values, v)
	}
	return NewRecord(rec)
}

// randomOpaque is a value of a type that is held as bytes.
func randomOpaque(r *rand.Rand, typ T) Value {
	info := InfoOf(typ.OID)
	var numbers []float64
	for range 2 + 2*r.IntN(3) {
		numbers = append(numbers, float64(randomInt(r, 20))/8)
	}
	switch {
	case info.Category == CategoryNetwork:
		high := binary.BigEndian.AppendUint64(nil, r.Uint64()>>r.IntN(64))
		address := netip.AddrFrom16([16]byte(binary.BigEndian.AppendUint64(high, r.Uint64())))
		if r.IntN(2) == 0 {
			address = netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, r.Uint32())))
		}
		p := netip.PrefixFrom(address, r.IntN(address.BitLen()+1))
		if typ.OID == OIDCidr {
			p = p.Masked()
		}
		return NewBytes(net.Encode(p))
	case info.Category == CategoryBitString:
		bits := make([]byte, r.IntN(20))
		for i := range bits {
			bits[i] = '0' + byte(r.IntN(2))
		}
		return NewBytes(bits)
	case typ.OID == OIDHstore:
		keys := []Value{NewText(randomText(r)), NewText(randomText(r)), NewText(randomText(r))}
		v, _ := HstoreOf(keys[:r.IntN(4)], []Value{NewText(randomText(r)), Null, NewText(randomText(r))}, nil)
		return v
	case typ.OID == OIDTSVector:
		return NewBytes(randomVector(r))
	case typ.OID == OIDTSQuery:
		return NewBytes(randomTSQuery(r))
	case typ.OID == OIDGeometry:
		return NewBytes(spatial.Point(numbers[0], numbers[1]))
	case typ.OID == OIDPath:
		return NewBytes(append([]byte{byte(r.IntN(2))}, geo.Points(numbers)...))
	case typ.OID == OIDPolygon:
		return NewBytes(geo.Points(numbers))
	case typ.OID == OIDCircle || typ.OID == OIDLine:
		return NewBytes(geo.Encode(numbers[0], 1, math.Abs(numbers[1])))
	case typ.OID == OIDBox || typ.OID == OIDLseg:
		return NewBytes(geo.Encode(numbers[0]+1e6, numbers[1]+1e6, numbers[0], numbers[1]))
	}
	out := make([]byte, info.Size)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return NewBytes(out)
}

// randomRange is a range, or a multirange of some.
func randomRange(r *rand.Rand, span *RangeType, of OID) Value {
	one := func() Range {
		var bounds [2]RangeBound
		for i := range bounds {
			v := Null
			if r.IntN(5) > 0 {
				v = randomValue(r, span.Subtype)
			}
			bounds[i] = span.Bound(v)
			bounds[i].Inclusive = r.IntN(2) == 0
		}
		v, err := span.Make(bounds[0], bounds[1])
		if err != nil {
			v, err = span.Make(bounds[1], bounds[0])
		}
		if err != nil { // an end has no next value
			return Range{Empty: true}
		}
		return v.Range().Ranges[0]
	}
	if of == span.OID {
		return span.Value(one())
	}
	var list []Range
	for range r.IntN(4) {
		list = append(list, one())
	}
	return span.MultiValue(ranges.Join(list...))
}

func randomValue(r *rand.Rand, typ T) Value {
	if InfoOf(typ.OID).Element != OIDInvalid {
		return randomArray(r, typ)
	}
	switch typ.OID {
	case OIDRecord:
		return randomRecord(r)
	case OIDBool:
		return NewBool(r.IntN(2) == 0)
	case OIDInt2:
		return NewInt(randomInt(r, 16))
	case OIDInt4:
		return NewInt(randomInt(r, 32))
	case OIDInt8:
		return NewInt(randomInt(r, 64))
	case OIDFloat4:
		return NewFloat(float.Round4(randomFloat(r)))
	case OIDFloat8:
		return NewFloat(randomFloat(r))
	case OIDNumeric:
		return NewNumeric(randomNumeric(r))
	case OIDBytea:
		return NewBytes(randomBytes(r))
	case OIDDate:
		if r.IntN(8) == 0 {
			return NewDate([]int32{calendar.DateInfinity, calendar.DateNegInfinity, calendar.MinDays,
				calendar.EndDays - 1}[r.IntN(4)])
		}
		return NewDate(int32(r.Int64N(calendar.EndDays-calendar.MinDays) + calendar.MinDays))
	case OIDTimestamp, OIDTimestamptz:
		return NewTimestamp(randomMicros(r))
	case OIDTime:
		return NewTime(r.Int64N(calendar.MicrosPerDay + 1))
	case OIDTimetz:
		return NewTimetz(r.Int64N(calendar.MicrosPerDay+1), int32(r.IntN(2*datetime.EndWest-1)-datetime.EndWest+1))
	case OIDInterval:
		months, days := int32(randomInt(r, 32)), int32(randomInt(r, 32))
		micros := max(randomInt(r, 64), -math.MaxInt64) // PostgreSQL cannot read the least one
		return NewInterval(interval.Interval{Months: months, Days: days, Micros: micros})
	case OIDUUID:
		var u [16]byte
		copy(u[:], randomBytes(r))
		return NewUUID(u)
	case OIDPoint:
		return NewPoint(randomFloat(r), randomFloat(r))
	case OIDJSON:
		return NewJSON(string(json.Append(nil, randomJSON(r, 3), nil)))
	case OIDJSONPath:
		return randomPath(r)
	case OIDJSONB:
		return NewJSONB(randomJSON(r, 3))
	case OIDBpchar:
		return NewBpchar(randomText(r))
	case OIDCitext:
		return NewCitext(randomText(r))
	case OIDName:
		return NewText(CutName(strings.Repeat(randomText(r), r.IntN(8))))
	case OIDChar:
		return charOf(byte(r.Uint32()))
	}
	switch typ.Kind() {
	case KindRange:
		return randomRange(r, typ.Range(), typ.OID)
	case KindBytes:
		return randomOpaque(r, typ)
	case KindInt: // oid and its like
		return NewInt(int64(uint32(randomInt(r, 32))))
	}
	return NewText(randomText(r))
}

// concrete are the types that can be read.
func concrete() []Info {
	return slices.DeleteFunc(slices.Clone(All()), func(info Info) bool {
		return info.Category == CategoryPseudo && info.OID != OIDVoid
	})
}

func TestRoundTrip(t *testing.T) {
	r := newRand(t)
	envs := []*Env{nil, recordedEnv(t)}
	for _, name := range []string{"Asia/Kolkata", "Europe/Dublin", "Pacific/Apia", "Africa/Monrovia"} {
		loc, err := datetime.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		envs = append(envs, &Env{Location: loc})
	}
	for _, info := range concrete() {
		typ := Of(info.OID)
		for range 500 {
			v, env := randomValue(r, typ), envs[r.IntN(len(envs))]
			text := FormatText(v, typ, env)
			back, err := ParseText(text, typ, env)
			if err != nil || !Equal(v, back) || FormatText(back, typ, env) != text {
				t.Errorf("%s %q reads back as %q, %v", typ, text, FormatText(back, typ, env), err)
			}
			p := AppendBinary(nil, v, typ)
			back, err = ParseBinary(p, typ)
			if err != nil || !Equal(v, back) || !bytes.Equal(AppendBinary(nil, back, typ), p) {
				t.Errorf("%s %q: %x reads back as %q, %v", typ, text, p, FormatText(back, typ, env), err)
			}
			if info.Size > 0 && typ.OID != OIDVoid && typ.OID != OIDName && len(p) != int(info.Size) {
				t.Errorf("%s %q: %d bytes, want %d", typ, text, len(p), info.Size)
			}
		}
	}
}

// TestOrder checks that Compare is an order and agrees with Equal and AppendKey.
func TestOrder(t *testing.T) {
	r := newRand(t)
	for _, info := range slices.Concat(concrete(), []Info{*InfoOf(OIDRecord), *InfoOf(InfoOf(OIDRecord).Array)}) {
		typ := Of(info.OID)
		var pool []Value
		for range 40 {
			pool = append(pool, randomValue(r, typ))
		}
		for _, a := range pool {
			for _, b := range pool {
				order := Compare(a, b)
				if order != -Compare(b, a) || Equal(a, b) != (order == 0) ||
					bytes.Equal(AppendKey(nil, a), AppendKey(nil, b)) != (order == 0) {
					t.Fatalf("%s: %s and %s", typ, FormatText(a, typ, nil), FormatText(b, typ, nil))
				}
				for _, c := range pool {
					if order <= 0 && Compare(b, c) <= 0 && Compare(a, c) > 0 {
						t.Fatalf("%s: %s, %s, %s", typ, FormatText(a, typ, nil), FormatText(b, typ, nil),
							FormatText(c, typ, nil))
					}
				}
			}
		}
	}
}

// TestNumericKey gives one number many scales.
func TestNumericKey(t *testing.T) {
	r := newRand(t)
	for range 300 {
		d := randomNumeric(r)
		wider := numeric.Round(d, int(-d.Exponent)+r.IntN(40))
		a, b := NewNumeric(d), NewNumeric(wider)
		if !bytes.Equal(AppendKey(nil, a), AppendKey(nil, b)) || Compare(a, b) != 0 {
			t.Errorf("%s and %s differ", d, wider)
		}
	}
}

// TestAllocations holds the promise that fixed-width types do not allocate.
func TestAllocations(t *testing.T) {
	env := recordedEnv(t)
	buf := make([]byte, 0, 128)
	for _, c := range []struct {
		typ  T
		text string
	}{
		{Bool, "t"}, {Int2, "-5"}, {Int4, "123456"}, {Int8, "9223372036854775807"}, {Float4, "1.5"},
		{Float8, "0.1"}, {Date, "2020-02-29"}, {Timestamp, "2020-02-29 12:34:56.789"},
		{Timestamptz, "2020-02-29 12:34:56.789-05"}, {UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {Text, "abc"},
	} {
		v := parseAs(t, c.text, c.typ, env)
		allocs := testing.AllocsPerRun(100, func() {
			ParseText(c.text, c.typ, env)
			p := AppendBinary(buf, v, c.typ)
			if c.typ.OID != OIDText {
				ParseBinary(p, c.typ)
			}
			AppendText(buf, v, c.typ, env)
			AppendKey(buf, v)
			Compare(v, v)
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", c.typ, allocs)
		}
	}
}

func TestApplyModAssignment(t *testing.T) {
	typ := T{OID: OIDVarchar, Mod: 3 + 4}
	for in, want := range map[string]string{"abc": "abc", "abc  ": "abc", "äöü ": "äöü", "": ""} {
		if v, err := ApplyMod(NewText(in), typ, false, nil); err != nil || v.Text() != want {
			t.Errorf("%q: %q, %v", in, v.Text(), err)
		}
	}
	for _, in := range []string{"abcd", "abc d", "äöüß"} {
		_, err := ApplyMod(NewText(in), typ, false, nil)
		if !sqlerr.Has(err, sqlerr.StringDataRightTruncation) ||
			err.Error() != "value too long for type character varying(3)" {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func fuzzTypes(f *testing.F) []T {
	var all []T
	for i, info := range concrete() {
		all = append(all, Of(info.OID))
		f.Add(uint8(i), []byte("2020-02-29 12:34:56.789 America/New_York"))
		f.Add(uint8(i), []byte("-1.5e3"))
	}
	return all
}

// sameAgain fails when a value that was accepted does not read back from either format.
func sameAgain(t *testing.T, v Value, typ T, env *Env) {
	text := FormatText(v, typ, env)
	back, err := ParseText(text, typ, env)
	if err != nil || !Equal(v, back) || FormatText(back, typ, env) != text {
		t.Errorf("%s %q reads back as %q, %v", typ, text, FormatText(back, typ, env), err)
	}
	back, err = ParseBinary(AppendBinary(nil, v, typ), typ)
	if err != nil || !Equal(v, back) || FormatText(back, typ, env) != text {
		t.Errorf("%s %q reads back from binary as %q, %v", typ, text, FormatText(back, typ, env), err)
	}
}

// hasNoCode says whether a client would see an error as an internal one that PostgreSQL does not have.
func hasNoCode(err error) bool {
	return sqlerr.Has(err, sqlerr.InternalError) && errors.Unwrap(sqlerr.From(err)) != nil
}

func FuzzParseText(f *testing.F) {
	all := fuzzTypes(f)
	loc, err := datetime.LoadLocation("America/New_York")
	if err != nil {
		f.Fatal(err)
	}
	env := &Env{Location: loc, Now: time.Unix(1.6e9, 0)}
	f.Fuzz(func(t *testing.T, i uint8, p []byte) {
		typ := all[int(i)%len(all)]
		if v, err := ParseText(string(p), typ, env); err == nil {
			sameAgain(t, v, typ, env)
		} else if hasNoCode(err) {
			t.Errorf("%s %q: %v has no code", typ, p, err)
		}
	})
}

func FuzzParseBinary(f *testing.F) {
	all := fuzzTypes(f)
	f.Fuzz(func(t *testing.T, i uint8, p []byte) {
		typ := all[int(i)%len(all)]
		if v, err := ParseBinary(p, typ); err == nil {
			sameAgain(t, v, typ, nil)
		} else if hasNoCode(err) {
			t.Errorf("%s %x: %v has no code", typ, p, err)
		}
	})
}
