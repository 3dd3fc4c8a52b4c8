package numeric

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/apd/v3"
)

// Identical says whether two numerics are equal and have one scale.
func Identical(a, b *apd.Decimal) bool {
	if a.Form != b.Form || a.Negative != b.Negative {
		return false
	}
	return a.Form != apd.Finite || a.Exponent == b.Exponent && a.Coeff.Cmp(&b.Coeff) == 0
}

// AppendKey appends form and sign, the scale without trailing zeros, and the
// digits that remain.
func AppendKey(dst []byte, d *apd.Decimal) []byte {
	form := byte(d.Form) << 1
	if d.Negative {
		form |= 1
	}
	if dst = append(dst, form); d.Form != apd.Finite {
		return dst
	}
	var buf [40]byte
	digits := appendDigits(buf[:0], &d.Coeff)
	kept := bytes.TrimRight(digits, "0")
	exponent := int64(0)
	if len(kept) > 0 {
		exponent = int64(d.Exponent) + int64(len(digits)-len(kept))
	}
	dst = binary.AppendVarint(dst, exponent)
	dst = binary.AppendUvarint(dst, uint64(len(kept)))
	return append(dst, kept...)
}
