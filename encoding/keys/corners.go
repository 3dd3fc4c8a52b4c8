package keys

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"zproxy/encoding/ordered"
	"zproxy/types"
	"zproxy/types/interval"
)

// Corners are the lowest and the highest corner of the smallest box that holds the
// Z-addresses from lo to hi, a value for each dimension. NULL says that the box goes on to
// the end of the dimension, at the high end with the rows that have NULL there.
//
// Codes are less exact than values, so corners are the outermost values that codes can stand
// for: of a numeric to fifteen digits, and of texts what they begin with, so that those that
// begin with the high one are in the box, too.
func (c *Codec) Corners(lo, hi []byte) (low, high types.Row) {
	z := c.curve
	from, to := z.curve.Hull(lo, hi)
	low, high = make(types.Row, len(z.dims)), make(types.Row, len(z.dims))
	for i := range z.dims {
		d := &z.dims[i]
		low[i], high[i] = d.least(from[i]), d.greatest(to[i])
	}
	return low, high
}

// least is the least value whose code is not below the given one; NULL: any value.
func (d *dimension) least(code []byte) types.Value {
	at := cell(code, 0)
	if at == 0 {
		return types.Null
	}
	if d.m == nil {
		return d.value(at, code, false)
	}
	v, ok := d.m.Least(at>>(64-d.bits), d.bits)
	if !ok {
		v = math.MaxUint64
	}
	if v == 0 && d.prefix != "" {
		return types.Null
	}
	return d.value(v, binary.BigEndian.AppendUint64(nil, v), false)
}

// greatest is the greatest value whose code is not above the given one; NULL: any value,
// and NULL.
func (d *dimension) greatest(code []byte) types.Value {
	code = slices.Clone(code)
	if rest := d.bits % 8; rest > 0 {
		code[len(code)-1] |= 0xff >> rest
	}
	at := cell(code, 0xff)
	if !slices.ContainsFunc(code, func(b byte) bool { return b != 0xff }) {
		return types.Null
	}
	if d.m == nil {
		return d.value(at, code, true)
	}
	v, ok := d.m.Least(at>>(64-d.bits)+1, d.bits)
	if !ok {
		v = 0
	}
	if v == 0 && d.prefix != "" {
		return types.Null
	}
	return d.value(v-1, binary.BigEndian.AppendUint64(nil, v-1), true)
}

// cell is the first 64 bits of a code, filled up.
func cell(code []byte, fill byte) uint64 {
	full := [8]byte{fill, fill, fill, fill, fill, fill, fill, fill}
	copy(full[:], code)
	return binary.BigEndian.Uint64(full[:])
}

// value is the value next to a plain code, given by its first 64 bits and as bytes: the
// greatest that is not above it, or the least that is not below.
func (d *dimension) value(plain uint64, code []byte, below bool) types.Value {
	switch d.kind {
	case types.KindText, types.KindBpchar, types.KindEnum:
		return d.beginning(d.prefix + shownPrefix(code))
	case types.KindBytes:
		return d.beginning(d.prefix + string(withoutFill(code)))
	case types.KindUUID:
		var u [16]byte
		for i := range u {
			switch {
			case i < len(code):
				u[i] = code[i]
			case below:
				u[i] = 0xff
			}
		}
		return types.NewUUID(u)
	}
	unused := 64 - 8*d.width
	cut := plain >> unused
	if !below && cut<<unused != plain && cut < math.MaxUint64>>unused {
		cut++
	}
	return d.number(cut, below)
}

// beginning is what a text begins with; with nothing it can be any.
func (d *dimension) beginning(text string) types.Value {
	switch {
	case text == "":
		return types.Null
	case d.kind == types.KindBpchar:
		return types.NewBpchar(types.TrimBlanks(text)) // blanks do not count
	case d.kind == types.KindBytes:
		return types.NewBytes([]byte(text))
	case d.kind == types.KindEnum:
		return types.NewEnum(text, "")
	}
	return types.NewText(text)
}

// number is the value next to a plain code of the width of its type.
func (d *dimension) number(plain uint64, below bool) types.Value {
	n := int64(plain) - 1<<(8*d.width-1)
	switch d.kind {
	case types.KindBool:
		return types.NewBool(plain == math.MaxUint8 || plain > 0 && !below)
	case types.KindDate:
		return types.NewDate(int32(n))
	case types.KindTimestamp:
		return types.NewTimestamp(n)
	case types.KindTime:
		return types.NewTime(min(max(n, 0), microsPerDay))
	case types.KindTimetz:
		return timetzAt(n)
	case types.KindInterval:
		days := floorDiv(n, microsPerDay)
		return types.NewInterval(interval.OfOrdered(days, n-days*microsPerDay))
	case types.KindFloat:
		return types.NewFloat(d.float(plain, below))
	case types.KindNumeric:
		return numericOf(d.float(plain, below))
	default:
		return types.NewInt(n)
	}
}

// timetzAt is the time at a moment of the day in UTC, in the zone nearest to UTC that has one.
func timetzAt(micros int64) types.Value {
	const farthest = 15 // whole hours that a zone may be from UTC
	west := int64(0)
	if micros < 0 {
		west = max(floorDiv(micros, microsPerHour), -farthest)
	} else if micros > microsPerDay {
		west = min(-floorDiv(microsPerDay-micros, microsPerHour), farthest)
	}
	local := min(max(micros-west*microsPerHour, 0), microsPerDay)
	return types.NewTimetz(local, int32(west*3600))
}

// float is the number next to a plain code: not all bits are those of a number.
func (d *dimension) float(plain uint64, below bool) float64 {
	order := func(f float64) uint64 { return Code(types.NewFloat(f), types.Float8) }
	of := func(p uint64) float64 { return floatOf(p, d.width) }
	if d.width == 4 {
		order = func(f float64) uint64 { return Code(types.NewFloat(f), types.Of(types.OIDFloat4)) >> 32 }
	}
	switch highest := order(math.Inf(1)); {
	case plain <= order(math.Inf(-1)):
		return math.Inf(-1)
	case plain >= order(math.NaN()), plain > highest && !below:
		return math.NaN()
	case plain >= highest:
		return math.Inf(1)
	case plain == order(0)-1 && below: // minus zero, which is kept as zero
		return of(plain - 1)
	case plain == order(0)-1:
		return 0
	}
	return of(plain)
}

// floatOf is the number of a plain code of so many bytes.
func floatOf(plain uint64, width int) float64 {
	switch {
	case width != 4:
		return ordered.FloatOf(plain)
	case plain>>31 != 0:
		return float64(math.Float32frombits(uint32(plain) &^ (1 << 31)))
	}
	return float64(math.Float32frombits(^uint32(plain)))
}

// numericOf is a number as the numerics have it that are rounded to it, nearly.
func numericOf(f float64) types.Value {
	switch {
	case f != f:
		return types.NewNumeric(&apd.Decimal{Form: apd.NaN})
	case math.IsInf(f, 0):
		return types.NewNumeric(&apd.Decimal{Form: apd.Infinite, Negative: f < 0})
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 15, 64), 64)
	d, _, err := apd.NewFromString(strconv.FormatFloat(short, 'f', -1, 64))
	if err != nil {
		return types.Null
	}
	return types.NewNumeric(d)
}

// shownPrefix is what a text must begin with as far as it can be shown.
func shownPrefix(code []byte) string {
	var out strings.Builder
	for len(code) > 0 {
		r, n := utf8.DecodeRune(code)
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			break
		}
		out.WriteRune(r)
		code = code[n:]
	}
	return out.String()
}

// withoutFill leaves out what fills up a code.
func withoutFill(code []byte) []byte {
	n := len(code)
	for n > 0 && (code[n-1] == 0 || code[n-1] == 0xff) {
		n--
	}
	return slices.Clone(code[:n])
}

const (
	microsPerHour = 3600 * 1_000_000
	microsPerDay  = 24 * microsPerHour
)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
