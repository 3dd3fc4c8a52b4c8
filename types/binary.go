package types

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// AppendBinary appends the binary format of a value of type t that is not NULL, as the
// type's send function in PostgreSQL.
func AppendBinary(dst []byte, v Value, t T) []byte { return InfoOf(t.OID).binary(dst, v) }

// ParseBinary reads the binary format, as the type's receive function in PostgreSQL. It
// leaves the modifier of t to ApplyMod. The value does not share the memory of p.
func ParseBinary(p []byte, t T) (Value, error) {
	switch {
	case t.Row == nil:
	case t.IsComposite():
		return parseBinaryRow(p, t.Row)
	default:
		return parseBinaryArray(p, t.rowElement())
	}
	return InfoOf(t.OID).receive(p)
}

func appendBinaryBool(dst []byte, v Value) []byte { return append(dst, byte(v.a)) }

func parseBinaryBool(p []byte) (Value, error) {
	if err := form.CheckLength(p, 1); err != nil {
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

func appendBinaryDate(dst []byte, v Value) []byte { return appendBinaryInt4(dst, v) }

func parseBinaryDate(p []byte) (Value, error) {
	v, err := parseBinaryInt4(p)
	if err != nil {
		return Null, err
	}
	days := int32(v.Int())
	if isFiniteDate(days) && !validDate(int64(days)) {
		return Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range")
	}
	return NewDate(days), nil
}

func appendBinaryTimestamp(dst []byte, v Value) []byte { return appendBinaryInt8(dst, v) }

func parseBinaryTimestamp(p []byte) (Value, error) {
	v, err := parseBinaryInt8(p)
	if err != nil {
		return Null, err
	}
	micros := v.Int()
	if isFiniteTimestamp(micros) && !validTimestamp(micros) {
		return Null, timestampOutOfRange()
	}
	return NewTimestamp(micros), nil
}

// The sign field of a numeric.
const (
	signPositive    = 0x0000
	signNegative    = 0x4000
	signNaN         = 0xc000
	signInfinity    = 0xd000
	signNegInfinity = 0xf000
)

// appendBinaryNumeric writes four 16-bit fields (number of digits, weight of the first
// one, sign, scale) and the digits, which are to the base of 10000.
func appendBinaryNumeric(dst []byte, v Value) []byte {
	d := v.Numeric()
	if d.Form != apd.Finite {
		sign := specialSign(d)
		dst = binary.BigEndian.AppendUint16(append(dst, 0, 0, 0, 0), sign)
		return append(dst, 0, byte(sign>>12&1)<<5) // PostgreSQL shows 32 as infinity's scale
	}
	var buf [48]byte
	digits := appendDigits(buf[:0], &d.Coeff)
	scale := scaleOf(d)
	for range -scale & 3 { // so that the last group ends at the last digit
		digits = append(digits, '0')
	}
	first := (len(digits)+3)/4 - (scale+3)/4 // groups before the point
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, byte(scale>>8), byte(scale))
	for len(digits) > 0 {
		group := digits[:(len(digits)-1)&3+1]
		digits = digits[len(group):]
		n := groupValue(group)
		if n == 0 && len(dst) == start+8 {
			first--
			continue
		}
		dst = binary.BigEndian.AppendUint16(dst, n)
	}
	for len(dst) > start+8 && dst[len(dst)-1] == 0 && dst[len(dst)-2] == 0 {
		dst = dst[:len(dst)-2]
	}
	count := (len(dst) - start - 8) / 2
	if count == 0 {
		return dst
	}
	binary.BigEndian.PutUint16(dst[start:], uint16(count))
	binary.BigEndian.PutUint16(dst[start+2:], uint16(first-1))
	if d.Negative {
		binary.BigEndian.PutUint16(dst[start+4:], signNegative)
	}
	return dst
}

func groupValue(digits []byte) (n uint16) {
	for _, c := range digits {
		n = n*10 + uint16(c-'0')
	}
	return n
}

func specialSign(d *apd.Decimal) uint16 {
	switch {
	case isNaN(d):
		return signNaN
	case d.Negative:
		return signNegInfinity
	}
	return signInfinity
}

func parseBinaryNumeric(p []byte) (Value, error) {
	if len(p) < 6 {
		return Null, form.TooShort()
	}
	groups, weight, sign := int(binary.BigEndian.Uint16(p)), int64(int16(binary.BigEndian.Uint16(p[2:]))), binary.BigEndian.Uint16(p[4:])
	switch sign { // as PostgreSQL reads: each number is judged before the next is missed
	case signPositive, signNegative, signNaN, signInfinity, signNegInfinity:
	default:
		return Null, form.InvalidBinary("invalid sign in external \"numeric\" value")
	}
	if len(p) < 8 {
		return Null, form.TooShort()
	}
	scale := int(binary.BigEndian.Uint16(p[6:]))
	if scale > maxNumericScale {
		return Null, form.InvalidBinary("invalid scale in external \"numeric\" value")
	}
	if err := form.CheckLength(p, 8+2*groups); err != nil {
		return Null, err
	}
	switch sign {
	case signNaN:
		return NewNumeric(numericNaN), nil
	case signInfinity:
		return NewNumeric(numericInfinity), nil
	case signNegInfinity:
		return NewNumeric(numericNegInfinity), nil
	}
	d := &apd.Decimal{Negative: sign == signNegative}
	if err := setGroups(&d.Coeff, p[8:]); err != nil {
		return Null, err
	}
	digits := 4 * (int64(len(p)-8)/2 - weight - 1) // after the point
	d.Exponent = int32(-max(digits, 0))
	if digits < 0 {
		d.Coeff.Mul(&d.Coeff, pow10(int(-digits)))
	}
	return NewNumeric(TruncNumeric(d, scale)), nil // digits beyond the scale are cut
}

// setGroups sets z to the number that digits to the base of 10000 make.
func setGroups(z *apd.BigInt, p []byte) error {
	var text strings.Builder
	n := uint64(0)
	for i := 0; i < len(p); i += 2 {
		group := uint64(binary.BigEndian.Uint16(p[i:]))
		if group > 9999 {
			return form.InvalidBinary("invalid digit in external \"numeric\" value")
		}
		n = n*10000 + group
		if len(p) > 8 {
			text.WriteString(strconv.FormatUint(group+10000, 10)[1:])
		}
	}
	if len(p) > 8 {
		z.SetString(text.String(), 10)
		return nil
	}
	z.SetUint64(n)
	return nil
}
