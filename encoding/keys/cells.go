package keys

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"zproxy/encoding/span"
	"zproxy/encoding/zorder"
	"zproxy/types"
	"zproxy/types/normal"
)

// cells is an interval of the codes of a dimension, ends included.
type cells struct {
	low, high []byte // left-aligned, bits behind those of the dimension are zero
	exact     bool   // every value that has such a code is in the set that they were made for
}

// cells are the codes that the values of a set have, in ascending order and apart from each
// other. A bound that lies between two codes is exact; one inside a cell is widened to all of it.
func (d *dimension) cells(set span.Set) []cells {
	first, last := d.ends()
	if set.IsEverything() {
		return []cells{{first, last, true}}
	}
	var list []cells
	for _, in := range set.Intervals {
		if c, ok := d.interval(in, set.Null); ok {
			list = append(list, c)
		}
	}
	if d.form != normal.None { // of which the codes are in another order than the texts
		slices.SortFunc(list, func(a, b cells) int { return bytes.Compare(a.low, b.low) })
	}
	var out []cells
	for _, c := range list {
		out = join(out, c, d.bits)
	}
	if set.Null && (len(out) == 0 || !bytes.Equal(out[len(out)-1].high, last)) {
		out = join(out, cells{last, last, false}, d.bits)
	}
	return out
}

// interval are the codes of an interval. It says false when there are none. NULL has the last
// code, so that an interval up to there is exact only where NULL is wanted, too, or there is none.
func (d *dimension) interval(in span.Interval, null bool) (cells, bool) {
	first, last := d.ends()
	c := cells{low: first, high: last, exact: true}
	if d.form != normal.None && !in.All() {
		return d.normalInterval(in), true
	}
	if v := in.Low; !v.IsNull() {
		c.low = d.cell(v)
		clear := d.splits(v, in.LowOpen)
		if clear && in.LowOpen {
			var ok bool
			if c.low, ok = zorder.After(nil, c.low, d.bits); !ok {
				return c, false
			}
		}
		c.exact = clear
	}
	if v := in.High; !v.IsNull() {
		c.high = d.cell(v)
		clear := d.splits(v, !in.HighOpen)
		if clear && in.HighOpen {
			var ok bool
			if c.high, ok = zorder.Before(nil, c.high, d.bits); !ok {
				return c, false
			}
		}
		c.exact = c.exact && clear
	}
	c.exact = c.exact && (d.filled || null && in.High.IsNull() || !bytes.Equal(c.high, last))
	return c, bytes.Compare(c.low, c.high) <= 0
}

// normalInterval are the codes of an interval of texts that are normalized before they are coded. Texts that differ may
// have one code, and codes have another order than texts, so that only a single text bounds them.
func (d *dimension) normalInterval(in span.Interval) cells {
	if in.Point() {
		code := d.cell(in.Low)
		return cells{low: code, high: code}
	}
	first, last := d.ends()
	return cells{low: first, high: last}
}

// join appends cells behind others, to the last ones of them where there is no code between.
func join(list []cells, c cells, bits int) []cells {
	if len(list) == 0 {
		return append(list, c)
	}
	last := &list[len(list)-1]
	next, ok := zorder.After(nil, last.high, bits)
	if ok && bytes.Compare(next, c.low) < 0 {
		return append(list, c)
	}
	adjacent := ok && bytes.Equal(next, c.low)
	last.exact = last.exact && c.exact && adjacent
	if bytes.Compare(last.high, c.high) < 0 {
		last.high = c.high
	}
	return list
}

// cell is the code of a value.
func (d *dimension) cell(v types.Value) []byte { return d.tidy(d.code(nil, v)) }

// ends are the first and the last code.
func (d *dimension) ends() (first, last []byte) {
	n := (d.bits + 7) / 8
	return make([]byte, n), d.tidy(bytes.Repeat([]byte{0xff}, n))
}

// tidy makes the bits behind those of the dimension zeros.
func (d *dimension) tidy(code []byte) []byte {
	code[len(code)-1] &= 0xff << (8*len(code) - d.bits)
	return code
}

// splits says whether a code begins with a value, or above ends with it: whether no smaller
// value, or no greater one, has the same code.
func (d *dimension) splits(v types.Value, above bool) bool {
	if v.Kind() != d.kind || !d.fits(v) {
		return false
	}
	bits := d.bits
	if d.m != nil {
		bits = min(64, 8*d.width)
		if d.width == 0 {
			bits = 64
		}
	}
	return d.plainSplits(v, bits, above) && (d.m == nil || d.mapSplits(v, above))
}

// fits says whether the plain encoding of a value is that of no other one.
func (d *dimension) fits(v types.Value) bool {
	switch d.kind {
	case types.KindInt:
		return d.width == 8 || v.Int()>>(8*d.width-1) == 0 || v.Int()>>(8*d.width-1) == -1
	case types.KindFloat:
		return d.width == 8 || float64(float32(v.Float())) == v.Float() || math.IsNaN(v.Float())
	case types.KindBool, types.KindDate, types.KindTimestamp, types.KindTime, types.KindUUID, types.KindText,
		types.KindBytes, types.KindBpchar, types.KindEnum:
		return true
	}
	return false
}

// plainSplits is splits for the first bits of the plain encoding as codes.
func (d *dimension) plainSplits(v types.Value, bits int, above bool) bool {
	if d.kind == types.KindBool {
		return true
	}
	if d.width > 0 {
		plain := appendPlain(nil, v, d.kind, d.width, 0)
		return bits >= 8*d.width || uniform(plain, bits, above)
	}
	text, ok := strings.CutPrefix(PlainText(v), d.prefix)
	if !ok || text == "" && !above && d.prefix != "" {
		return false // it shares its code with all that do not begin with the prefix
	}
	n := 8 * len(text)
	switch {
	case d.kind == types.KindBytes && above: // one more zero byte makes no difference
		return false
	case d.kind == types.KindBytes && n > 0 && text[len(text)-1] == 0:
		return false
	case above: // no character of a longer text is zero
		return n+8 <= bits
	}
	return n <= bits
}

// uniform says whether all bits of p from one on are ones, or zeros.
func uniform(p []byte, from int, ones bool) bool {
	return !slices.ContainsFunc(p[from/8+1:], func(b byte) bool { return b != allBits(ones) }) &&
		(p[from/8]^allBits(ones))<<(from%8) == 0
}

func allBits(ones bool) byte { return -boolByte(ones) }

// mapSplits is splits for a map, where plain encodings tell values apart.
func (d *dimension) mapSplits(v types.Value, above bool) bool {
	code, step := d.code64(v), uint64(1)
	if d.width > 0 && d.width < 8 {
		step <<= 64 - 8*d.width
	}
	if above {
		return code > math.MaxUint64-step || d.m.Code(code+step, d.bits) > d.m.Code(code, d.bits)
	}
	return code < step || d.m.Code(code-step, d.bits) < d.m.Code(code, d.bits)
}
