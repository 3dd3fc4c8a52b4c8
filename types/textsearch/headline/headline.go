// Package headline shows the parts of a document that answer a query of text search, with the words of the query
// marked. Make divides the document into pieces and notes which of them the query means; best or fragments choose the
// pieces that are shown; text writes them. Which parts are chosen is as in PostgreSQL. Begin with Make.
package headline

import (
	"strings"

	"zproxy/types/form"
	"zproxy/types/textsearch/config"
	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/token"
)

// span is the pieces from one to another one, which is in it.
type span struct{ first, last int }

// piece is a token of the document.
type piece struct {
	kind     token.Kind
	text     string
	position int // of the word
	word     *query.Node
	repeated bool // it is the piece before it again, which two words of the query mean
	shown    bool
}

// headline is a document whose parts are shown.
type headline struct {
	Options
	of     *query.Node
	work   form.Work
	pieces []piece
}

// Make is the headline of a document.
func Make(c *config.Config, document string, of *query.Node, o Options, work form.Work) (string, error) {
	h := &headline{Options: o, of: of, work: work}
	if err := c.Tokens(document, work, h.add); err != nil {
		return "", err
	}
	var shown []span
	var err error
	switch {
	case o.Fragments > 0:
		shown, err = h.fragments()
	case o.All:
		shown = []span{{0, len(h.pieces) - 1}}
	default:
		var best span
		best, err = h.best()
		shown = []span{best}
	}
	if err != nil {
		return "", err
	}
	for _, s := range shown {
		h.show(s)
	}
	return h.text()
}

// add adds a token, once for each word of the query that means it.
func (h *headline) add(t config.Token) error {
	const bytes = 64
	if err := form.Make(h.work, bytes); err != nil {
		return err
	}
	p := piece{kind: t.Kind, text: t.Text, position: t.Position}
	if t.Lexeme != "" {
		h.of.Words(func(w *query.Node) {
			if w.Lexeme != t.Lexeme && !(w.Prefix && strings.HasPrefix(t.Lexeme, w.Lexeme)) {
				return
			}
			if p.word != nil {
				h.pieces = append(h.pieces, p)
				p.repeated = true
			}
			p.word = w
		})
	}
	h.pieces = append(h.pieces, p)
	return nil
}

// found says that the query means a piece, which counts once.
func (h *headline) found(i int) bool { return h.pieces[i].word != nil && !h.pieces[i].repeated }

// isWord says that a piece counts as a word of the headline.
func (h *headline) isWord(i int) bool {
	switch h.pieces[i].kind {
	case token.Blank, token.Tag:
		return false
	}
	return !inParts(h.pieces[i].kind)
}

// inParts says that the parts of a token follow it as tokens.
func inParts(k token.Kind) bool {
	switch k {
	case token.URL, token.NumHyphenated, token.ASCIIHyphenated, token.Hyphenated:
		return true
	}
	return false
}

// badEnd says that a headline should not end with a piece.
func (h *headline) badEnd(i int) bool {
	if h.found(i) {
		return false
	}
	switch h.pieces[i].kind {
	case token.Scientific, token.Version, token.Decimal, token.Signed, token.Unsigned, token.Protocol, token.Entity:
		return true
	}
	return !h.isWord(i) || len(h.pieces[i].text) <= h.ShortWord
}

// count is the words and the found pieces of a part.
type count struct{ words, found int }

// count adds the piece to a count, or takes it away.
func (h *headline) count(c *count, i, sign int) {
	if h.isWord(i) {
		c.words += sign
	}
	if h.found(i) {
		c.found += sign
	}
}

// beginning is the first words of the document, as many as a headline must have.
func (h *headline) beginning() span {
	end := 0
	for words := 0; end < len(h.pieces) && words < h.MinWords; end++ {
		if h.isWord(end) {
			words++
		}
	}
	return span{0, end - 1}
}

func (h *headline) show(s span) {
	for i := s.first; i <= s.last; i++ {
		h.pieces[i].shown = !h.pieces[i].repeated
	}
}

// text writes the pieces that are shown.
func (h *headline) text() (string, error) {
	var out strings.Builder
	fragments, inside := 0, false
	for _, p := range h.pieces {
		if !p.shown {
			inside = inside && p.repeated
			continue
		}
		if !inside {
			inside = true
			if fragments++; fragments > 1 {
				out.WriteString(h.Delimiter)
			}
		}
		if err := form.Make(h.work, int64(len(h.Start)+len(p.text)+len(h.Stop))); err != nil {
			return "", err
		}
		switch {
		case p.kind == token.Tag && !h.All:
			out.WriteByte(' ')
		case inParts(p.kind):
		case p.word != nil:
			out.WriteString(h.Start + p.text + h.Stop)
		default:
			out.WriteString(p.text)
		}
	}
	return out.String(), nil
}
