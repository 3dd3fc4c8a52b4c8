package parser

import (
	"fmt"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// maxIdentifier is how many bytes of an identifier count.
const maxIdentifier = 63

// truncations are the notices about identifiers that the grammar has cut. Few texts have
// any, so that a look at the bytes comes first.
func truncations(text string, w *watch) []ast.Notice {
	if !mayTruncate(text) {
		return nil
	}
	list, ok := tokenize(text, w)
	if !ok {
		return nil
	}
	var out []ast.Notice
	for i, token := range list.list {
		name := list.name(i)
		if token.Token != pg.Token_IDENT || len(name) <= maxIdentifier {
			continue
		}
		n := maxIdentifier
		for !utf8.RuneStart(name[n]) {
			n--
		}
		out = append(out, ast.Notice{
			Message: fmt.Sprintf(`identifier "%s" will be truncated to "%s"`, name, name[:n]), Code: "42622", Pos: -1,
		})
	}
	return out
}

// mayTruncate says whether a text has a word, or something in double quotes, that is too
// long for an identifier.
func mayTruncate(text string) bool {
	run, quoted := 0, false
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '"':
			run, quoted = 0, !quoted
		case quoted || c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z':
			if run++; run > maxIdentifier {
				return true
			}
		default:
			run = 0
		}
	}
	return false
}
