package part

import (
	"strings"

	"zproxy/types"
)

// Literal is a text that is the same in every row: a piece of a text, or what tells the keys of a table from others
// in the same space.
const Literal Kind = 6

type literal struct{ base }

// same is a text that is the same in every row.
type same struct{ text string }

func (literal) columns(*Part) []uint32 { return nil }

func (literal) bind(p *Part, _ Table) (Bound, error) {
	return Bound{Of: &same{p.Text}, Type: types.Text}, nil
}

func (s *same) Value(types.Row) types.Value { return types.NewText(s.text) }

func (s *same) Take(k Known) bool {
	return k.Each(1, func(int) types.Value { return types.NewText(s.text) })
}

func (s *same) nulls() []Source { return nil }

func (s *same) misfit(types.Row, spot) (string, int) { return "", 0 }

func (literal) describe(p *Part, t Table) string { return quoted(p, t) }

func (literal) template(p *Part, _ Table) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(p.Text)
}

func (literal) leastText(p *Part) int { return len(p.Text) }

// literal reads text up to the next brace that is not doubled.
func (r *Template) literal() (string, error) {
	var b strings.Builder
	for r.at < len(r.Text) {
		switch rest := r.Text[r.at:]; {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			b.WriteByte(rest[0])
			r.at += 2
			continue
		case rest[0] == '}':
			return "", r.bad("a \"}\" without \"{\"").WithHint("Write \"}}\" for a brace.")
		case rest[0] == '{':
			return b.String(), nil
		}
		b.WriteByte(r.Text[r.at])
		r.at++
	}
	return b.String(), nil
}
