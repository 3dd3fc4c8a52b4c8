package part

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"zproxy/types"
)

// Prefix is the first digits of the md5 of the pieces' text.
const Prefix Kind = 4

type prefix struct{ base }

// digest is the first hexadecimal digits of the md5 of a text.
type digest struct {
	of     []Source
	text   Joined
	digits int
	ends   bool // nothing but literals follows it in a text
}

func (prefix) columns(p *Part) []uint32 { return columnsOf(p.Pieces) }

func (prefix) bind(p *Part, t Table) (Bound, error) {
	pieces, err := BindAll(p.Pieces, t)
	return Bound{Of: &digest{of: sourcesOf(t, p.Columns()...), text: Joined{pieces: pieces}, digits: p.Count},
		Type: types.Text}, err
}

func (d *digest) Value(row types.Row) types.Value {
	v := d.text.Value(row)
	if v.IsNull() {
		return v
	}
	sum := md5.Sum([]byte(v.Text()))
	return types.NewText(hex.EncodeToString(sum[:])[:d.digits])
}

// maxPrefixes is how many prefixes there may be to be counted out.
const maxPrefixes = 256

func (d *digest) Take(k Known) bool {
	if k.Values(d.of, d) {
		return true
	}
	n := 1 << min(4*d.digits, 62)
	if !d.ends || n > maxPrefixes {
		return k.Nothing()
	}
	return k.Possible(n, d.of, func(i int) types.Value { return types.NewText(fmt.Sprintf("%0*x", d.digits, i)) })
}

func (d *digest) nulls() []Source { return d.of }

func (d *digest) misfit(types.Row, spot) (string, int) { return "", 0 }

func (prefix) describe(p *Part, t Table) string { return quoted(p, t) }

func (prefix) template(p *Part, t Table) string {
	list := make([]string, len(p.Pieces))
	for i, piece := range p.Pieces {
		if list[i] = templateName(t, piece.Column); piece.Kind == Literal {
			list[i] = quoteLiteral(piece.Text)
		}
	}
	return hole("md5("+strings.Join(list, " || ")+")", strconv.Itoa(p.Count))
}

func (prefix) leastBytes(p *Part, t Table) int { return leastOfText(p, t) }
func (prefix) leastText(p *Part) int           { return p.Count }

func (prefix) word() (name, parenthesis string) { return "md5", "(" }

// read reads what is hashed.
func (prefix) read(r *Template, _ string) (Part, error) {
	out := Part{Kind: Prefix}
	for {
		piece, err := r.operand()
		if err != nil {
			return out, err
		}
		out.Pieces = append(out.Pieces, piece)
		if r.take("||") {
			continue
		}
		if !r.take(")") {
			return out, r.bad("md5 takes columns and texts joined by ||")
		}
		if len(out.Columns()) == 0 {
			return out, r.bad("md5 of no column is the same in every row")
		}
		return out, nil
	}
}

// operand reads a column or a text.
func (r *Template) operand() (Part, error) {
	if escaped := r.take("E'") || r.take("e'"); escaped || r.take("'") {
		read := func() (string, error) { return r.until('\'') }
		if escaped {
			read = r.escaped
		}
		text, err := read()
		return Part{Kind: Literal, Text: text}, err
	}
	name, _, err := r.name()
	if err != nil {
		return Part{}, err
	}
	of, err := r.source(name)
	if err != nil {
		return Part{}, err
	}
	return Part{Column: of.ID}, r.hasText(of, false)
}

// format says how much of the hash there is.
func (prefix) format(r *Template, p *Part, format string, given bool) error {
	p.Count = 32
	if !given {
		return nil
	}
	n, err := strconv.Atoi(format)
	if err != nil || n < 1 || n > 32 || strconv.Itoa(n) != format {
		return r.bad("md5 has 1 to 32 digits, not %s", format)
	}
	p.Count = n
	return nil
}
