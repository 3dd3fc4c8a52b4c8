package part

import (
	"math"
	"strings"

	"zproxy/types"
)

// A value may have no place in a text: what is written must be read back as the same values, and sort
// as they do where it is padded.

// maxDigits is how many digits a padded number has at most: as many as a bigint.
const maxDigits = 19

// Misfit says why a row can have no value of a part, and the ordinal of the column that is to blame;
// it is empty where nothing is wrong.
func (b *Bound) Misfit(row types.Row) (why string, ordinal int) {
	t, ok := b.Of.(*Joined)
	if !ok {
		return "", 0
	}
	for i := range t.pieces {
		if why, ordinal := t.misfit(i, row); why != "" {
			return why, ordinal
		}
	}
	return "", 0
}

// spot is where in a text a piece stands.
type spot struct {
	text *Joined
	at   int
}

// misfit says what is wrong with the value that piece i has in a row.
func (t *Joined) misfit(i int, row types.Row) (why string, ordinal int) {
	p, at := &t.pieces[i], spot{t, i}
	if of, ok := p.Of.(piece); ok {
		return of.misfit(row, at)
	}
	switch v := row[p.Ordinal]; v.Kind() {
	case types.KindInt:
		return at.misnumbered(v), p.Ordinal
	case types.KindText, types.KindBpchar:
		return at.misspelt(v.Compared()), p.Ordinal
	}
	return "", p.Ordinal
}

// misnumbered is about a number with more digits than it is padded to, or with a sign
// that would sort amiss or could belong to the text before it.
func (s spot) misnumbered(v types.Value) string {
	p := &s.text.pieces[s.at]
	if v.IsNull() {
		return ""
	}
	n := v.Int() + p.from
	if n < 0 && (p.width > 0 || s.at > 0 && strings.HasSuffix(s.text.pieces[s.at-1].Literal(), "-")) {
		return "it is negative"
	}
	if p.width > 0 && p.width < maxDigits && n >= int64(math.Pow10(p.width)) {
		return "it has more digits than its place"
	}
	return ""
}

// misspelt is about a text that holds the beginning of the literal behind it. The last
// text may: it ends where what follows, counted from the end, begins.
func (s spot) misspelt(text string) string {
	pieces := s.text.pieces[s.at+1:]
	if len(pieces) == 0 || pieces[0].Literal() == "" || !s.textBehind() {
		return ""
	}
	if sep := pieces[0].Literal()[:1]; strings.Contains(text, sep) {
		return "it contains \"" + sep + "\", which ends it there"
	}
	return ""
}

// textBehind says whether another text of any length stands behind a piece.
func (s spot) textBehind() bool {
	for _, p := range s.text.pieces[s.at+1:] {
		if kind := p.Type.Kind(); p.Of == nil && (kind == types.KindText || kind == types.KindBpchar) {
			return true
		}
	}
	return false
}
