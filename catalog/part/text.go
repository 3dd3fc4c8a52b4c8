package part

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/types"
)

// Text is the pieces' text.
const Text Kind = 5

type text struct{ base }

// Joined is a text that is joined from pieces. It is NULL where one of them is.
type Joined struct {
	pieces []Bound
	read   func() *reading // made when it is needed first
}

func (text) columns(p *Part) []uint32 { return columnsOf(p.Pieces) }

// columnsOf are the columns of parts, each once.
func columnsOf(parts []Part) []uint32 {
	var ids []uint32
	for i := range parts {
		for _, id := range parts[i].Columns() {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func (text) bind(p *Part, t Table) (Bound, error) {
	pieces, err := BindAll(p.Pieces, t)
	if err != nil {
		return Bound{}, err
	}
	for i := range pieces {
		if d, ok := pieces[i].Of.(*digest); ok {
			d.ends = !slices.ContainsFunc(pieces[i+1:], func(b Bound) bool { return !b.isLiteral() })
		}
	}
	out := &Joined{pieces: pieces}
	out.read = sync.OnceValue(out.reading)
	return Bound{Of: out, Type: types.Text}, nil
}

func (b *Bound) isLiteral() bool {
	_, ok := b.Of.(*same)
	return ok
}

// Literal is the text of a piece that is the same in every row; of others it is empty.
func (b *Bound) Literal() string {
	if s, ok := b.Of.(*same); ok {
		return s.text
	}
	return ""
}

// Value implements Computed.
func (t *Joined) Value(row types.Row) types.Value {
	var buf [64]byte
	out := buf[:0]
	for i := range t.pieces {
		p := &t.pieces[i]
		if s, ok := p.Of.(*same); ok {
			out = append(out, s.text...)
			continue
		}
		v := p.Value(row)
		if v.IsNull() {
			return types.Null
		}
		out = p.appendText(out, v)
	}
	return types.NewText(string(out))
}

// appendText writes a value that is not NULL.
func (b *Bound) appendText(dst []byte, v types.Value) []byte {
	switch {
	case b.pattern != nil:
		return appendPattern(dst, b.pattern, v)
	case v.Kind() == types.KindInt:
		return appendPadded(dst, v.Int()+b.from, b.width)
	case v.Kind() == types.KindBpchar, v.Kind() == types.KindCitext, v.Kind() == types.KindCollated:
		return append(dst, v.Compared()...)
	}
	return types.AppendText(dst, v, b.Type, nil)
}

// appendPadded writes a number with at least so many digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	if width == 0 || n < 0 {
		return strconv.AppendInt(dst, n, 10)
	}
	return fmt.Appendf(dst, "%0*d", width, n)
}

// Take walks through the pieces as through parts of a key.
func (t *Joined) Take(k Known) bool {
	for i := range t.pieces {
		if !k.Piece(t, i) {
			return k.Begins(t, i)
		}
	}
	return k.Whole(t)
}

// Piece is piece i.
func (t *Joined) Piece(i int) *Bound { return &t.pieces[i] }

// Kept is the column whose value can be read back from a piece; Filled and so on are of that.
func (b *Bound) Kept() (column uint32, ok bool) {
	switch of := b.Of.(type) {
	case nil:
		return b.ID, b.kept
	case piece:
		if nulls := of.nulls(); b.kept && len(nulls) == 1 {
			return nulls[0].ID, true
		}
	}
	return 0, false
}

// Ordered says whether texts that go on with a piece are in the order of the values of a column, as
// those of texts and of padded numbers are.
func (t *Joined) Ordered(i int) (column *Source, ok bool) {
	p := &t.pieces[i]
	kind := p.Type.Kind()
	return &p.Source, p.Of == nil && (p.width > 0 || kind == types.KindText || kind == types.KindBpchar)
}

// Ends says whether a text ends with piece i.
func (t *Joined) Ends(i int) bool { return i+1 == len(t.pieces) }

// rest are the texts that begin with some texts, and go on with what is known of the piece behind
// them, the n-th.
func (t *Joined) rest(w *walker, drafts []draft, n int) span.Set {
	out := span.Set{}
	for i := n; i < len(t.pieces); i++ {
		out.Null = out.Null || w.mayBeNull(&t.pieces[i])
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

// continued are the texts that begin with some text, as far as a column that follows
// there keeps its order.
func (t *Joined) continued(w *walker, begin []byte, at int) []span.Interval {
	p := &t.pieces[at]
	if p.Of != nil {
		return []span.Interval{beginning(begin)}
	}
	set := w.set(&p.Source)
	out := make([]span.Interval, 0, len(set.Intervals))
	for _, in := range set.Intervals {
		switch p.Type.Kind() {
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
func (b *Bound) paddedInterval(begin []byte, in span.Interval) (span.Interval, bool) {
	if b.width == 0 {
		return beginning(begin), true
	}
	low, high := int64(0), int64(math.MaxInt64)
	if b.width < maxDigits {
		high = int64(math.Pow10(b.width)) - 1
	}
	if !in.Low.IsNull() {
		low = max(low, span.Inward(in.Low, in.LowOpen, true).Int())
	}
	if !in.High.IsNull() {
		high = min(high, span.Inward(in.High, in.HighOpen, false).Int())
	}
	out := span.Interval{
		Low:  types.NewText(string(appendPadded(slices.Clip(begin), low, b.width))),
		High: textAbove(appendPadded(slices.Clip(begin), max(high, 0), b.width)), HighOpen: true,
	}
	return out, low <= high
}

// textInterval is the texts of an interval of texts behind a text, with what follows them.
// What begins as the high end but is shorter than that comes below it only if what
// follows sorts below the rest of the end. So the end is cut where that does not hold.
func (t *Joined) textInterval(begin []byte, in span.Interval, at int) span.Interval {
	out := beginning(begin)
	if !in.Low.IsNull() {
		out.Low = types.NewText(string(begin) + in.Low.Compared())
	}
	if in.High.IsNull() {
		return out
	}
	high := in.High.Compared()
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

// endsBelow says whether what follows a piece, or the end of the text, is below a byte.
func (t *Joined) endsBelow(at int, b byte) bool {
	if at+1 == len(t.pieces) {
		return true
	}
	next := t.pieces[at+1].Literal()
	return next != "" && next[0] < b
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

func (text) describe(p *Part, t Table) string { return quoted(p, t) }

func (text) template(p *Part, t Table) string {
	var b strings.Builder
	for _, piece := range p.Pieces {
		b.WriteString(piece.Template(t))
	}
	return b.String()
}

func (text) leastBytes(p *Part, t Table) int { return leastOfText(p, t) }

// leastOfText is no more than the bytes of a text in a key. There is none of NULL.
func leastOfText(p *Part, t Table) int {
	for _, id := range p.Columns() {
		if !t.Source(id).Filled {
			return 1
		}
	}
	return 1 + p.kind().leastText(p) + 2
}

func (text) leastText(p *Part) int {
	n := 0
	for i := range p.Pieces {
		n += p.Pieces[i].kind().leastText(&p.Pieces[i])
	}
	return n
}

// literalBytes is what the literals of a text are thought to take.
const literalBytes = 8

func (text) bytes(p *Part, t Table) float64 {
	sum := float64(literalBytes)
	for _, id := range p.Columns() {
		sum += t.KeyBytes(id)
	}
	return sum
}

// Lead is the piece that a text begins with, behind literals. Other parts are their own.
func (p Part) Lead() Part {
	if p.Kind == Text {
		if i := slices.IndexFunc(p.Pieces, func(q Part) bool { return q.Kind != Literal }); i >= 0 {
			return p.Pieces[i]
		}
	}
	return p
}

// Varying is the one piece of a text whose columns have several values, or the text itself
// where there are several such pieces. Other parts are their own.
func (p Part) Varying(several func(column uint32) bool) Part {
	if p.Kind != Text {
		return p
	}
	var found []Part
	for _, piece := range p.Pieces {
		if slices.ContainsFunc(piece.Columns(), several) {
			found = append(found, piece)
		}
	}
	if len(found) != 1 {
		return p
	}
	return found[0]
}
