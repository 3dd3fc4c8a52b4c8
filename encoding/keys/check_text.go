package keys

import (
	"math"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types"
)

// CheckValues says why a row can have no key: a value has no place in a text, since what is
// written must be read back as the same values, and sort as they do where it is padded. Key
// makes of such a row what may be the key of another. The index is what the error, an
// *sqlerr.Error, calls it.
func (c *Codec) CheckValues(row types.Row, index string) error {
	if !c.computes {
		return nil
	}
	for i := range c.parts {
		t, ok := c.parts[i].of.(*text)
		if !ok {
			continue
		}
		for j := range t.pieces {
			p := &t.pieces[j]
			if p.isLiteral() {
				continue
			}
			if why, column := t.misfit(j, row); why != "" {
				name := c.table.Columns[column].Name
				err := sqlerr.New(sqlerr.InvalidParameterValue, "value of column \"%s\" cannot stand in the key of \"%s\": %s", name, index, why).
					WithDetail("The key is made by partition_key = '%s'.", c.table.TemplateText(c.layout.Parts()[i]))
				err.Column = name
				return err
			}
		}
	}
	return nil
}

// misfit says what is wrong with the value that piece i has in a row; it is empty where
// nothing is.
func (t *text) misfit(i int, row types.Row) (why string, column int) {
	p := &t.pieces[i]
	if b, ok := p.of.(*bucket); ok {
		return misdated(row[b.column]), b.column
	}
	if p.of != nil {
		return "", 0
	}
	v := row[p.column]
	switch v.Kind() {
	case types.KindInt:
		return t.misnumbered(i, v.Int()+p.from), p.column
	case types.KindText, types.KindBpchar:
		return t.misspelt(i, trimmed(v)), p.column
	}
	return "", p.column
}

// misdated is about a year that has not four digits.
func misdated(v types.Value) string {
	if v.IsNull() {
		return ""
	}
	micros, near := momentOf(v)
	switch {
	case !near && (v.Kind() != types.KindDate || v.Days() == math.MaxInt32 || v.Days() == math.MinInt32):
		return "it is infinite"
	case !near || civil(micros).Year() < 1 || civil(micros).Year() > 9999:
		return "its year is not one of 1 to 9999"
	}
	return ""
}

// misnumbered is about a number with more digits than it is padded to, or with a sign
// that would sort amiss or could belong to the text before it.
func (t *text) misnumbered(i int, n int64) string {
	p := &t.pieces[i]
	if n < 0 && (p.width > 0 || i > 0 && strings.HasSuffix(t.pieces[i-1].literal, "-")) {
		return "it is negative"
	}
	if p.width > 0 && p.width < 19 && n >= int64(math.Pow10(p.width)) {
		return "it has more digits than its place"
	}
	return ""
}

// misspelt is about a text that holds the beginning of the literal behind it. The last
// text may: it ends where what follows, counted from the end, begins.
func (t *text) misspelt(i int, s string) string {
	if i+1 == len(t.pieces) || !t.pieces[i+1].isLiteral() || !t.textBehind(i) {
		return ""
	}
	if sep := t.pieces[i+1].literal[:1]; strings.Contains(s, sep) {
		return "it contains \"" + sep + "\", which ends it there"
	}
	return ""
}

// textBehind says whether another text of any length stands behind a piece.
func (t *text) textBehind(i int) bool {
	for _, p := range t.pieces[i+1:] {
		if p.of != nil || p.isLiteral() {
			continue
		}
		if kind := p.t.Kind(); kind == types.KindText || kind == types.KindBpchar {
			return true
		}
	}
	return false
}
