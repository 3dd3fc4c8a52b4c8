package executor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types"
)

// errSpill means that a file does not hold what was written to it.
var errSpill = errors.New("a temporary file is damaged")

// appendSpilled appends a value of any kind, so that decodeSpilled finds it again. The
// format lives no longer than a statement.
func appendSpilled(dst []byte, v types.Value) []byte {
	dst = append(dst, byte(v.Kind()))
	switch v.Kind() {
	case types.KindNull:
	case types.KindBool:
		dst = append(dst, boolByte(v.Bool()))
	case types.KindText, types.KindBytes, types.KindBpchar, types.KindJSON:
		dst = appendCounted(dst, v.Text())
	case types.KindFloat:
		dst = appendFloatBits(dst, v.Float())
	case types.KindPoint:
		x, y := v.Point()
		dst = appendFloatBits(appendFloatBits(dst, x), y)
	case types.KindUUID:
		u := v.UUID()
		dst = append(dst, u[:]...)
	case types.KindDate:
		dst = binary.AppendVarint(dst, int64(v.Days()))
	case types.KindTimestamp, types.KindTime:
		dst = binary.AppendVarint(dst, v.Micros())
	case types.KindTimetz:
		dst = binary.AppendVarint(binary.AppendVarint(dst, v.Micros()), int64(v.West()))
	case types.KindInterval:
		months, days, micros := v.Interval()
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(months)), int64(days))
		dst = binary.AppendVarint(dst, micros)
	case types.KindNumeric:
		dst = appendDecimal(dst, v.Numeric())
	case types.KindArray:
		dst = appendArrayValue(dst, v.Array())
	case types.KindRecord:
		dst = appendRecordValue(dst, v.Record())
	case types.KindJSONB:
		dst = appendJSONValue(dst, v.JSONB())
	default:
		dst = binary.AppendVarint(dst, v.Int())
	}
	return dst
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendCounted(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendFloatBits(dst []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(f))
}

func appendDecimal(dst []byte, d *apd.Decimal) []byte {
	dst = append(dst, byte(d.Form), boolByte(d.Negative))
	dst = binary.AppendVarint(dst, int64(d.Exponent))
	return appendCounted(dst, string(d.Coeff.Bytes()))
}

func appendArrayValue(dst []byte, a *types.ArrayValue) []byte {
	dst = binary.AppendUvarint(dst, uint64(a.Element))
	dst = binary.AppendUvarint(dst, uint64(len(a.Dims)))
	for _, d := range a.Dims {
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(d.Length)), int64(d.Lower))
	}
	return appendValues(dst, a.Items)
}

func appendValues(dst []byte, values []types.Value) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	for _, v := range values {
		dst = appendSpilled(dst, v)
	}
	return dst
}

func appendRecordValue(dst []byte, r *types.RecordValue) []byte {
	dst = appendValues(dst, r.Values)
	dst = binary.AppendUvarint(dst, uint64(len(r.Names)))
	for _, name := range r.Names {
		dst = appendCounted(dst, name)
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.Types)))
	for _, t := range r.Types {
		dst = binary.AppendVarint(binary.AppendUvarint(dst, uint64(t.OID)), int64(t.Mod))
	}
	return dst
}

func appendJSONValue(dst []byte, j *types.JSONValue) []byte {
	dst = append(dst, byte(j.Kind), boolByte(j.Bool), boolByte(j.Number != nil))
	dst = appendCounted(appendCounted(dst, j.Text), j.Raw)
	if j.Number != nil {
		dst = appendDecimal(dst, j.Number)
	}
	dst = binary.AppendUvarint(dst, uint64(len(j.Items)))
	for i := range j.Items {
		dst = appendJSONValue(dst, &j.Items[i])
	}
	dst = binary.AppendUvarint(dst, uint64(len(j.Keys)))
	for _, k := range j.Keys {
		dst = appendCounted(dst, k)
	}
	return dst
}

// spillReader takes values off bytes, which texts go on pointing to. After an error it
// yields zeros.
type spillReader struct {
	p   []byte
	err error
}

func (r *spillReader) fail() { r.p, r.err = nil, errSpill }

func (r *spillReader) take(n uint64) []byte {
	if n > uint64(len(r.p)) {
		r.fail()
		return nil
	}
	out := r.p[:n:n]
	r.p = r.p[n:]
	return out
}

func (r *spillReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *spillReader) uint() uint64 {
	v, n := binary.Uvarint(r.p)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.p = r.p[n:]
	return v
}

func (r *spillReader) int() int64 {
	v, n := binary.Varint(r.p)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.p = r.p[n:]
	return v
}

// length is a number of things each of which takes a byte or more.
func (r *spillReader) length() int {
	n := r.uint()
	if n > uint64(len(r.p)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *spillReader) counted() []byte { return r.take(r.uint()) }

func (r *spillReader) float() float64 {
	if b := r.take(8); b != nil {
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (r *spillReader) value() types.Value {
	kind := types.Kind(r.byte())
	switch kind {
	case types.KindNull:
		return types.Null
	case types.KindBool:
		return types.NewBool(r.byte() != 0)
	case types.KindInt:
		return types.NewInt(r.int())
	case types.KindFloat:
		return types.NewFloat(r.float())
	case types.KindPoint:
		x := r.float()
		return types.NewPoint(x, r.float())
	case types.KindUUID:
		var u [16]byte
		copy(u[:], r.take(16))
		return types.NewUUID(u)
	case types.KindDate:
		return types.NewDate(int32(r.int()))
	case types.KindTimestamp:
		return types.NewTimestamp(r.int())
	case types.KindTime:
		return types.NewTime(r.int())
	case types.KindTimetz:
		micros := r.int()
		return types.NewTimetz(micros, int32(r.int()))
	case types.KindInterval:
		months, days := r.int(), r.int()
		return types.NewInterval(int32(months), int32(days), r.int())
	}
	return r.payload(kind)
}

// payload is a value whose size varies.
func (r *spillReader) payload(kind types.Kind) types.Value {
	switch kind {
	case types.KindText:
		return types.NewText(string(r.counted()))
	case types.KindBytes:
		return types.NewBytes(r.counted())
	case types.KindBpchar:
		return types.NewBpchar(string(r.counted()))
	case types.KindJSON:
		return types.NewJSON(string(r.counted()))
	case types.KindNumeric:
		return types.NewNumeric(r.decimal())
	case types.KindArray:
		return types.NewArray(r.array())
	case types.KindRecord:
		return types.NewRecord(r.record())
	case types.KindJSONB:
		j := r.json()
		return types.NewJSONB(&j)
	}
	r.fail()
	r.err = fmt.Errorf("%w: kind %d", errSpill, kind)
	return types.Null
}

func (r *spillReader) decimal() *apd.Decimal {
	d := &apd.Decimal{Form: apd.Form(r.byte()), Negative: r.byte() != 0}
	d.Exponent = int32(r.int())
	d.Coeff.SetBytes(r.counted())
	return d
}

func (r *spillReader) array() *types.ArrayValue {
	a := &types.ArrayValue{Element: types.OID(r.uint())}
	for range r.length() {
		length := int(r.int())
		a.Dims = append(a.Dims, types.Dim{Length: length, Lower: int(r.int())})
	}
	a.Items = r.values()
	return a
}

func (r *spillReader) values() []types.Value {
	out := make([]types.Value, r.length())
	for i := range out {
		out[i] = r.value()
	}
	return out
}

func (r *spillReader) record() *types.RecordValue {
	rec := &types.RecordValue{Values: r.values()}
	for range r.length() {
		rec.Names = append(rec.Names, string(r.counted()))
	}
	for range r.length() {
		oid := types.OID(r.uint())
		rec.Types = append(rec.Types, types.T{OID: oid, Mod: int32(r.int())})
	}
	return rec
}

func (r *spillReader) json() types.JSONValue {
	j := types.JSONValue{Kind: types.JSONKind(r.byte()), Bool: r.byte() != 0}
	number := r.byte() != 0
	j.Text, j.Raw = string(r.counted()), string(r.counted())
	if number {
		j.Number = r.decimal()
	}
	for range r.length() {
		j.Items = append(j.Items, r.json())
	}
	for range r.length() {
		j.Keys = append(j.Keys, string(r.counted()))
	}
	return j
}
