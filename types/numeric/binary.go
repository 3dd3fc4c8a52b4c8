package numeric

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types/form"
)

// The sign field of a numeric.
const (
	signPositive    = 0x0000
	signNegative    = 0x4000
	signNaN         = 0xc000
	signInfinity    = 0xd000
	signNegInfinity = 0xf000
)

// AppendBinary writes four 16-bit fields (number of digits, weight of the first
// one, sign, scale) and the digits, which are to the base of 10000.
func AppendBinary(dst []byte, d *apd.Decimal) []byte {
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
	case IsNaN(d):
		return signNaN
	case d.Negative:
		return signNegInfinity
	}
	return signInfinity
}

// ParseBinary reads what AppendBinary writes.
func ParseBinary(p []byte) (*apd.Decimal, error) {
	if len(p) < 6 {
		return nil, form.TooShort()
	}
	groups, weight := int(binary.BigEndian.Uint16(p)), int64(int16(binary.BigEndian.Uint16(p[2:])))
	sign := binary.BigEndian.Uint16(p[4:])
	switch sign { // as PostgreSQL reads: each number is judged before the next is missed
	case signPositive, signNegative, signNaN, signInfinity, signNegInfinity:
	default:
		return nil, form.InvalidBinary("invalid sign in external \"numeric\" value")
	}
	if len(p) < 8 {
		return nil, form.TooShort()
	}
	scale := int(binary.BigEndian.Uint16(p[6:]))
	if scale > maxScale {
		return nil, form.InvalidBinary("invalid scale in external \"numeric\" value")
	}
	if digits := p[8:min(len(p), 8+2*groups)]; !areGroups(digits) {
		return nil, form.InvalidBinary("invalid digit in external \"numeric\" value")
	}
	if err := form.CheckLength(p, 8+2*groups); err != nil {
		return nil, err
	}
	switch sign {
	case signNaN:
		return NaN, nil
	case signInfinity:
		return Infinity, nil
	case signNegInfinity:
		return NegInfinity, nil
	}
	d := &apd.Decimal{Negative: sign == signNegative}
	setGroups(&d.Coeff, p[8:])
	digits := 4 * (int64(len(p)-8)/2 - weight - 1) // after the point
	d.Exponent = int32(-max(digits, 0))
	if digits < 0 {
		d.Coeff.Mul(&d.Coeff, pow10(int(-digits)))
	}
	return Trunc(d, scale), nil // digits beyond the scale are cut
}

// areGroups says whether all there is are digits to the base of 10000, perhaps with a part of another one.
func areGroups(p []byte) bool {
	for ; len(p) > 1; p = p[2:] {
		if binary.BigEndian.Uint16(p) > 9999 {
			return false
		}
	}
	return true
}

// setGroups sets z to the number that digits to the base of 10000 make.
func setGroups(z *apd.BigInt, p []byte) {
	var text strings.Builder
	n := uint64(0)
	for i := 0; i < len(p); i += 2 {
		group := uint64(binary.BigEndian.Uint16(p[i:]))
		n = n*10000 + group
		if len(p) > 8 {
			text.WriteString(strconv.FormatUint(group+10000, 10)[1:])
		}
	}
	if len(p) > 8 {
		z.SetString(text.String(), 10)
		return
	}
	z.SetUint64(n)
}
