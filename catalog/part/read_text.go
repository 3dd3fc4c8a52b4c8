package part

import (
	"regexp"
	"strconv"
	"strings"

	"zproxy/types"
)

// reading is how the values of columns are read back from a text that was joined from pieces. A template that passes
// its Check has one reading at the most: a piece that varies in length ends where the literal behind it begins, and
// the last one takes what is left.
type reading struct {
	pattern *regexp.Regexp
	columns []*Bound // in the order of their groups
}

func (t *Joined) reading() *reading {
	r := &reading{}
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for i := range t.pieces {
		switch p := &t.pieces[i]; {
		case p.isLiteral():
			pattern.WriteString(regexp.QuoteMeta(p.Literal()))
		case p.Of != nil:
			pattern.WriteString(`(?s:.+?)`)
		default:
			pattern.WriteString("(" + t.expression(i) + ")")
			r.columns = append(r.columns, p)
		}
	}
	pattern.WriteString(`\z`)
	r.pattern = regexp.MustCompile(pattern.String())
	return r
}

// expression is what the values of the column in piece i look like. A number behind a dash has no sign.
func (t *Joined) expression(i int) string {
	switch p := &t.pieces[i]; {
	case p.width > 0:
		return `[0-9]{` + strconv.Itoa(p.width) + `}`
	case p.Type.Kind() == types.KindInt && i > 0 && strings.HasSuffix(t.pieces[i-1].Literal(), "-"):
		return `[0-9]+`
	case p.Type.Kind() == types.KindInt:
		return `-?[0-9]+`
	case p.Type.OID == types.OIDUUID:
		return `[0-9a-f-]{36}`
	case p.Type.OID == types.OIDBool:
		return `[tf]`
	case p.Type.Kind() == types.KindDate:
		return `-?infinity|[0-9]{4,}-[0-9]{2}-[0-9]{2}(?: BC)?`
	case t.Ends(i):
		return `(?s:.*)`
	}
	return `(?s:.*?)`
}

// Kept are the ordinals of the columns that Read finds.
func (t *Joined) Kept() []int {
	var out []int
	for _, p := range t.read().columns {
		out = append(out, p.Ordinal)
	}
	return out
}

// Read fills in columns of a row from a text. It says false of a text that no row has, and then the row is of no use.
func (t *Joined) Read(text string, row types.Row) bool {
	r := t.read()
	groups := r.pattern.FindStringSubmatch(text)
	if groups == nil {
		return false
	}
	for i, p := range r.columns {
		v, err := types.ParseText(groups[i+1], p.Type, nil)
		if err == nil {
			v, err = types.ApplyMod(v, p.Type, false, nil)
		}
		if err != nil {
			return false
		}
		row[p.Ordinal] = v
	}
	return t.rejoins(text, row)
}

// rejoins says whether the values make the text: 07 is no number that is written without zeros.
func (t *Joined) rejoins(text string, row types.Row) bool {
	rest := text
	for i := range t.pieces {
		p := &t.pieces[i]
		if p.Of != nil && !p.isLiteral() {
			return true // what is computed has other columns, too
		}
		if why, _ := t.misfit(i, row); why != "" {
			return false
		}
		piece := p.Literal()
		if !p.isLiteral() {
			piece = string(p.appendText(nil, row[p.Ordinal]))
		}
		var ok bool
		if rest, ok = strings.CutPrefix(rest, piece); !ok {
			return false
		}
	}
	return rest == ""
}

// Last is the column in whose order texts come that differ in it alone, if they end with it: a text, or a number with
// zeros before it. Of the columns before it single must be true.
func (p *Part) Last(t Table, single func(column uint32) bool) (column uint32, ok bool) {
	if p.Kind != Text || len(p.Pieces) == 0 {
		return 0, false
	}
	end := len(p.Pieces) - 1
	for _, piece := range p.Pieces[:end] {
		for _, id := range piece.Columns() {
			if !single(id) {
				return 0, false
			}
		}
	}
	last := p.Pieces[end]
	if last.Kind != Column {
		return 0, false
	}
	kind := t.Source(last.Column).Type.Kind()
	return last.Column, last.Width > 0 || kind == types.KindText
}
