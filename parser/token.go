package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// tokens is a token stream over the text that it was made from, without comments.
type tokens struct {
	text string
	list []*pg.ScanToken
}

// tokenize is the stream of a text that PostgreSQL can scan.
func tokenize(text string, w *watch) (tokens, bool) {
	list, err := scan(text, w)
	if err != nil {
		return tokens{}, false
	}
	return tokens{text: text, list: code(list)}, true
}

// code is a stream without its comments.
func code(list []*pg.ScanToken) []*pg.ScanToken {
	var out []*pg.ScanToken
	for _, t := range list {
		if !isComment(t) {
			out = append(out, t)
		}
	}
	return out
}

func isComment(t *pg.ScanToken) bool {
	return t.Token == pg.Token_C_COMMENT || t.Token == pg.Token_SQL_COMMENT
}

// kind is the kind of the i-th token, NUL beyond the end.
func (t tokens) kind(i int) pg.Token {
	if i < 0 || i >= len(t.list) {
		return pg.Token_NUL
	}
	return t.list[i].Token
}

// is says whether the tokens from the i-th on are of these kinds.
func (t tokens) is(i int, kinds ...pg.Token) bool {
	for k, want := range kinds {
		if t.kind(i+k) != want {
			return false
		}
	}
	return true
}

// word is the i-th token as a keyword would be written, in lower case, and "" beyond the
// end.
func (t tokens) word(i int) string {
	if i < 0 || i >= len(t.list) {
		return ""
	}
	return strings.ToLower(t.written(i))
}

// written is the i-th token as it stands in the text.
func (t tokens) written(i int) string { return t.text[t.list[i].Start:t.list[i].End] }

// name is the i-th token as an identifier, or "" when it cannot be one.
func (t tokens) name(i int) string {
	if i < 0 || i >= len(t.list) {
		return ""
	}
	text := t.written(i)
	switch {
	case t.list[i].Token == pg.Token_IDENT && text[0] == '"':
		return strings.ReplaceAll(text[1:len(text)-1], `""`, `"`)
	case t.list[i].Token == pg.Token_IDENT,
		t.list[i].KeywordKind == pg.KeywordKind_UNRESERVED_KEYWORD,
		t.list[i].KeywordKind == pg.KeywordKind_COL_NAME_KEYWORD:
		return strings.ToLower(text)
	}
	return ""
}

// depths is how many parentheses are open at each token; both parentheses of a pair stand
// at the depth around it.
func (t tokens) depths() []int {
	out, depth := make([]int, len(t.list)), 0
	for i, k := range t.list {
		if k.Token == pg.Token_ASCII_41 {
			depth--
		}
		out[i] = depth
		if k.Token == pg.Token_ASCII_40 {
			depth++
		}
	}
	return out
}
