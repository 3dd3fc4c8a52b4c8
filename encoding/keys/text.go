package keys

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/types"
)

// text is a text that is joined from pieces. It is NULL where one of them is.
type text struct{ pieces []piece }

// piece is what stands in a text: a literal, or the value of a part in some form.
type piece struct {
	part
	literal string
	width   int             // digits of a number, padded with zeros; 0: as many as it has
	from    int64           // what a number counts from
	pattern catalog.Pattern // of a time
}

func (p preparer) pieces(in []catalog.Part) ([]piece, error) {
	out := make([]piece, len(in))
	for i := range in {
		q := &out[i]
		if q.literal = in[i].Text; in[i].Kind == catalog.LiteralPart {
			continue
		}
		var err error
		if q.part, err = p.part(&in[i]); err != nil {
			return nil, err
		}
		q.width = in[i].Width
		if in[i].Kind == catalog.ShardPart || in[i].Count > 0 && in[i].Kind == catalog.ColumnPart {
			q.from = 1
		}
		if in[i].Format != "" {
			if q.pattern, err = catalog.ParsePattern(in[i].Format); err != nil {
				return nil, err
			}
		}
		if f, ok := q.of.(*prefix); ok {
			f.counted = !slices.ContainsFunc(in[i+1:], func(behind catalog.Part) bool { return behind.Kind != catalog.LiteralPart })
		}
	}
	return out, nil
}

// pattern is the bucket of what a pattern writes.
func (p preparer) pattern(in *catalog.Part) (part, error) {
	pattern, err := catalog.ParsePattern(in.Format)
	return p.bucket(in.Column, pattern.Finest()), err
}

func (p *piece) isLiteral() bool { return p.part.of == nil && p.id == 0 }

// appendText writes a value that is not NULL.
func (p *piece) appendText(dst []byte, v types.Value) []byte {
	switch {
	case p.pattern != nil:
		return appendPattern(dst, p.pattern, v)
	case v.Kind() == types.KindInt:
		return appendPadded(dst, v.Int()+p.from, p.width)
	case v.Kind() == types.KindBpchar:
		return append(dst, types.TrimBlanks(v.Text())...)
	}
	return types.AppendText(dst, v, p.t, nil)
}

// appendPadded writes a number with at least so many digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	if width == 0 || n < 0 {
		return strconv.AppendInt(dst, n, 10)
	}
	return fmt.Appendf(dst, "%0*d", width, n)
}

// appendPattern writes the date or the time of a value. One that has none, which
// CheckValues refuses, is infinite for the purpose.
func appendPattern(dst []byte, p catalog.Pattern, v types.Value) []byte {
	micros, finite := momentOf(v)
	if !finite {
		return append(dst, "infinity"...)
	}
	t := civil(micros)
	for _, item := range p {
		if item.Field == "" {
			dst = append(dst, item.Literal...)
			continue
		}
		dst = appendField(dst, item.Field, t)
	}
	return dst
}

func (t *text) value(row types.Row) types.Value {
	var buf [64]byte
	out := buf[:0]
	for i := range t.pieces {
		p := &t.pieces[i]
		if p.isLiteral() {
			out = append(out, p.literal...)
			continue
		}
		v := p.part.value(row)
		if v.IsNull() {
			return types.Null
		}
		out = p.appendText(out, v)
	}
	return types.NewText(string(out))
}

// draft is a text as far as its pieces are known, on the way that they are.
type draft struct {
	way
	text []byte
	null bool
}

// compose joins pieces as long as their values are single ones. It says at which piece
// that ended.
func (t *text) compose(w *walker, from way, most int) ([]draft, int) {
	drafts := []draft{{way: from}}
	for i := range t.pieces {
		p := &t.pieces[i]
		next := make([]draft, 0, len(drafts))
		for _, d := range drafts {
			if d.null {
				next = append(next, d)
				continue
			}
			if p.isLiteral() {
				d.text = append(slices.Clip(d.text), p.literal...)
				next = append(next, d)
				continue
			}
			choices, ok := p.part.choices(w, d.way, most/len(drafts))
			if !ok {
				return drafts, i
			}
			for _, c := range choices {
				if why, _ := t.misfit(i, c.row); why != "" {
					continue // no row has it
				}
				to := draft{way: c.way, null: c.value.IsNull()}
				if !to.null {
					to.text = p.appendText(slices.Clip(d.text), c.value)
				}
				next = append(next, to)
			}
		}
		if drafts = next; len(drafts) == 0 {
			break
		}
	}
	return drafts, len(t.pieces)
}

func (t *text) choices(w *walker, from way, most int) ([]choice, bool) {
	drafts, n := t.compose(w, from, most)
	if n < len(t.pieces) {
		return nil, false
	}
	out := make([]choice, len(drafts))
	for i, d := range drafts {
		if out[i].way = d.way; !d.null {
			out[i].value = types.NewText(string(d.text))
		}
	}
	return out, true
}

// rest are the texts that begin with what is known, and go on with what is known of the
// piece behind that.
func (t *text) rest(w *walker, from way, most int) span.Set {
	drafts, n := t.compose(w, from, most)
	out := span.Set{}
	for i := n; i < len(t.pieces); i++ {
		out.Null = out.Null || t.pieces[i].mayBeNull(w)
	}
	for _, d := range drafts {
		if d.null {
			out.Null = true
			continue
		}
		out.Intervals = append(out.Intervals, t.continued(w, d.text, n)...)
	}
	out.Intervals = joined(out.Intervals)
	return out
}

func (p *piece) mayBeNull(w *walker) bool {
	switch of := p.of.(type) {
	case *bucket:
		return w.set(of.source).Null
	case *prefix:
		return slices.ContainsFunc(of.of, func(s source) bool { return w.set(s).Null })
	case nil:
		return !p.isLiteral() && w.set(p.source).Null
	}
	return false
}

// continued are the texts that begin with some text, as far as a column that follows
// there keeps its order.
func (t *text) continued(w *walker, begin []byte, at int) []span.Interval {
	p := &t.pieces[at]
	if p.of != nil {
		return []span.Interval{beginning(begin)}
	}
	set := w.set(p.source)
	out := make([]span.Interval, 0, len(set.Intervals))
	for _, in := range set.Intervals {
		switch p.t.Kind() {
		case types.KindInt:
			if bounded, ok := p.paddedInterval(begin, in); ok {
				out = append(out, bounded)
			}
		case types.KindText, types.KindBpchar:
			out = append(out, t.textInterval(begin, in, at))
		default:
			return []span.Interval{beginning(begin)}
		}
	}
	return out
}

// beginning is the texts that begin with a text.
func beginning(text []byte) span.Interval {
	return span.Interval{Low: types.NewText(string(text)), High: textAbove(text), HighOpen: true}
}

// textAbove is the lowest text above all that begin with a text, NULL where there is none.
func textAbove(text []byte) types.Value {
	if above := ordered.Successor(text); above != nil {
		return types.NewText(string(above))
	}
	return types.Null
}

// paddedInterval is the texts of an interval of numbers behind a text. Without padding
// texts are in another order than numbers. It says false where no number is left.
func (p *piece) paddedInterval(begin []byte, in span.Interval) (span.Interval, bool) {
	if p.width == 0 {
		return beginning(begin), true
	}
	low, high := int64(0), int64(math.MaxInt64)
	if p.width < 19 {
		high = int64(math.Pow10(p.width)) - 1
	}
	if !in.Low.IsNull() {
		low = max(low, inward(in.Low, in.LowOpen, true).Int())
	}
	if !in.High.IsNull() {
		high = min(high, inward(in.High, in.HighOpen, false).Int())
	}
	out := span.Interval{
		Low:  types.NewText(string(appendPadded(slices.Clip(begin), low, p.width))),
		High: textAbove(appendPadded(slices.Clip(begin), max(high, 0), p.width)), HighOpen: true,
	}
	return out, low <= high
}

// textInterval is the texts of an interval of texts behind a text, with what follows them.
// What begins as the high end but is shorter than that comes below it only if what
// follows sorts below the rest of the end. So the end is cut where that does not hold.
func (t *text) textInterval(begin []byte, in span.Interval, at int) span.Interval {
	out := beginning(begin)
	if !in.Low.IsNull() {
		out.Low = types.NewText(string(begin) + trimmed(in.Low))
	}
	if in.High.IsNull() {
		return out
	}
	high := trimmed(in.High)
	for i := range len(high) {
		if !t.endsBelow(at, high[i]) {
			out.High = textAbove(append(slices.Clip(begin), high[:i]...))
			return out
		}
	}
	if in.HighOpen {
		out.High = types.NewText(string(begin) + high)
		return out
	}
	out.High = textAbove(append(slices.Clip(begin), high...))
	return out
}

func trimmed(v types.Value) string {
	if v.Kind() == types.KindBpchar {
		return types.TrimBlanks(v.Text())
	}
	return v.Text()
}

// endsBelow says whether what follows a piece, or the end of the text, is below a byte.
func (t *text) endsBelow(at int, b byte) bool {
	if at+1 == len(t.pieces) {
		return true
	}
	next := t.pieces[at+1]
	return next.isLiteral() && next.literal[0] < b
}

// joined are intervals in order, those that overlap made one.
func joined(all []span.Interval) []span.Interval {
	slices.SortFunc(all, func(a, b span.Interval) int { return types.Compare(a.Low, b.Low) })
	var out []span.Interval
	for _, in := range all {
		n := len(out)
		switch {
		case n == 0 || !out[n-1].High.IsNull() && types.Compare(out[n-1].High, in.Low) <= 0:
			out = append(out, in)
		case !out[n-1].High.IsNull() && (in.High.IsNull() || types.Compare(out[n-1].High, in.High) < 0):
			out[n-1].High = in.High
		}
	}
	return out
}

// prefix is the first hexadecimal digits of the md5 of a text.
type prefix struct {
	of      []source
	text    text
	digits  int
	counted bool // all prefixes are counted out, where there are few
}

func (p *prefix) value(row types.Row) types.Value {
	v := p.text.value(row)
	if v.IsNull() {
		return v
	}
	sum := md5.Sum([]byte(v.Text()))
	return types.NewText(hex.EncodeToString(sum[:])[:p.digits])
}

// maxPrefixes is how many prefixes there may be to be counted out.
const maxPrefixes = 256

func (p *prefix) choices(w *walker, from way, most int) ([]choice, bool) {
	if out, ok := computeAll(w, from, p.of, most, p); ok {
		return out, true
	}
	n := 1 << min(4*p.digits, 62)
	if !p.counted || n > maxPrefixes {
		return nil, false
	}
	var out []choice
	for i := range n {
		out = append(out, choice{from, types.NewText(fmt.Sprintf("%0*x", p.digits, i))})
	}
	if slices.ContainsFunc(p.of, func(s source) bool { return w.set(s).Null }) {
		out = append(out, choice{from, types.Null})
	}
	return out, true
}

func (p *prefix) rest(*walker, way, int) span.Set { return span.Everything }
