package types

import (
	"encoding/binary"
	"math"

	"zproxy/types/form"
)

// AppendBinary appends the binary format of a value of type t that is not NULL, as the
// type's send function in PostgreSQL.
func AppendBinary(dst []byte, v Value, t T) []byte {
	switch {
	case v.kind == KindEnum:
		return append(dst, v.Label()...)
	case t.Domain != nil && v.kind == KindArray:
		return appendBinaryArray(dst, v.Array(), t.element())
	}
	return InfoOf(t.OID).binary(dst, v)
}

// ParseBinary reads the binary format, as the type's receive function in PostgreSQL. It
// leaves the modifier of t to ApplyMod, but for a domain, whose own it is. The value does not share the memory of p.
func ParseBinary(p []byte, t T) (Value, error) {
	v, err := parseBinary(p, t)
	return t.received(v, err, nil)
}

// received is a value that a type reads: of a domain, as long as that allows.
func (t T) received(v Value, err error, env *Env) (Value, error) {
	if err != nil || !t.IsDomain() {
		return v, err
	}
	return ApplyMod(v, t.Domain.Base, false, env)
}

func parseBinary(p []byte, t T) (Value, error) {
	switch {
	case t.Domain != nil && t.Kind() == KindArray:
		return parseBinaryArray(p, t.element())
	case t.Def == nil:
	case t.IsComposite():
		return parseBinaryRow(p, t.Def)
	case t.OID.IsEnum():
		return parseBinaryEnum(p, t)
	case t.Def.Range != nil && t.Kind() == KindRange:
		return t.Def.Range.parseBinary(p, t.OID)
	default:
		return parseBinaryArray(p, t.element())
	}
	return t.collate(InfoOf(t.OID).receive(p))
}

func appendBinaryBool(dst []byte, v Value) []byte { return append(dst, byte(v.a)) }

func parseBinaryBool(p []byte) (Value, error) {
	if err := form.CheckBytes(p, 1); err != nil {
		return Null, err
	}
	return NewBool(p[0] != 0), nil
}

func appendBinaryInt2(dst []byte, v Value) []byte {
	return binary.BigEndian.AppendUint16(dst, uint16(v.a))
}

func appendBinaryInt4(dst []byte, v Value) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(v.a))
}

func appendBinaryInt8(dst []byte, v Value) []byte { return binary.BigEndian.AppendUint64(dst, v.a) }

func parseBinaryInt2(p []byte) (Value, error) {
	if err := form.CheckLength(p, 2); err != nil {
		return Null, err
	}
	return NewInt(int64(int16(binary.BigEndian.Uint16(p)))), nil
}

func parseBinaryInt4(p []byte) (Value, error) {
	if err := form.CheckLength(p, 4); err != nil {
		return Null, err
	}
	return NewInt(int64(int32(binary.BigEndian.Uint32(p)))), nil
}

func parseBinaryInt8(p []byte) (Value, error) {
	if err := form.CheckLength(p, 8); err != nil {
		return Null, err
	}
	return NewInt(int64(binary.BigEndian.Uint64(p))), nil
}

func appendBinaryFloat4(dst []byte, v Value) []byte {
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(v.Float())))
}

func appendBinaryFloat8(dst []byte, v Value) []byte { return binary.BigEndian.AppendUint64(dst, v.a) }

func parseBinaryFloat4(p []byte) (Value, error) {
	if err := form.CheckLength(p, 4); err != nil {
		return Null, err
	}
	return NewFloat(float64(math.Float32frombits(binary.BigEndian.Uint32(p)))), nil
}

func parseBinaryFloat8(p []byte) (Value, error) {
	if err := form.CheckLength(p, 8); err != nil {
		return Null, err
	}
	return NewFloat(bitsFloat(binary.BigEndian.Uint64(p))), nil
}

func appendBinaryBytes(dst []byte, v Value) []byte { return append(dst, v.Bytes()...) }

func parseBinaryBytes(p []byte) (Value, error) { return NewBytes(append([]byte{}, p...)), nil }

func parseBinaryString(p []byte) (Value, error) { return parseString(string(p), nil) }

func appendBinaryUUID(dst []byte, v Value) []byte {
	dst = binary.BigEndian.AppendUint64(dst, v.a)
	return binary.BigEndian.AppendUint64(dst, v.b)
}

func parseBinaryUUID(p []byte) (Value, error) {
	if err := form.CheckLength(p, 16); err != nil {
		return Null, err
	}
	return NewUUID([16]byte(p)), nil
}

func appendBinaryPoint(dst []byte, v Value) []byte { return appendBinaryUUID(dst, v) }

func parseBinaryPoint(p []byte) (Value, error) {
	if err := form.CheckLength(p, 16); err != nil {
		return Null, err
	}
	return NewPoint(bitsFloat(bigEndian(p[:8])), bitsFloat(bigEndian(p[8:]))), nil
}
