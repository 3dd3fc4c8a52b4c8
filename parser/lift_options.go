package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// quotedOptions makes names of the strings that Lindorm has for the names of options in
// parentheses: WITH ('TTL' = 1).
func (l *lifter) quotedOptions() {
	for i := range l.list {
		before := l.kind(i - 1)
		if l.depth[i] != 1 || l.option(i) == "" || l.kind(i+1) != pg.Token_ASCII_61 ||
			before != pg.Token_ASCII_40 && before != pg.Token_ASCII_44 {
			continue
		}
		if l.kind(i) == pg.Token_SCONST {
			l.overwrite(i, `"`+l.option(i)+`"`)
		}
	}
}

// bareOptions lifts the options that follow SET without parentheses: SET 'TTL' = 1, 'a' = 'b'.
func (l *lifter) bareOptions() {
	for i := range l.list {
		if l.kind(i) != pg.Token_SET || l.depth[i] > 0 || l.kind(i+2) != pg.Token_ASCII_61 {
			continue
		}
		if options := l.optionList(i + 1); options != nil {
			l.src.lifted.setOptions = options
			l.blank(i+1, len(l.list))
			copy(l.grammar[l.list[i+1].Start:], "(a)")
		}
		return
	}
}

// optionList reads name = value, ... from the i-th token to the end of the statement.
func (l *lifter) optionList(i int) (out []ast.Option) {
	for {
		name, value, ok := l.option(i), "", false
		if value, ok = l.optionValue(i + 2); name == "" || l.kind(i+1) != pg.Token_ASCII_61 || !ok {
			return nil
		}
		out = append(out, ast.Option{Name: strings.ToLower(name), Value: value, Pos: l.pos(i)})
		switch l.kind(i + 3) {
		case pg.Token_NUL, pg.Token_ASCII_59:
			return out
		case pg.Token_ASCII_44:
			i += 4
		default:
			return nil
		}
	}
}

// option is the i-th token as the name of an option, in quotes of a string or not; "" when it is none.
func (l *lifter) option(i int) string {
	if l.kind(i) != pg.Token_SCONST {
		return l.name(i)
	}
	text := l.written(i)
	name := strings.Trim(text, "'")
	if len(name) != len(text)-2 || strings.ContainsAny(name, `'"\`) || text[0] != '\'' {
		return ""
	}
	return name
}

// optionValue is the i-th token as the value of an option.
func (l *lifter) optionValue(i int) (string, bool) {
	if i >= len(l.list) {
		return "", false
	}
	text := l.written(i)
	switch l.kind(i) {
	case pg.Token_SCONST:
		if text[0] != '\'' {
			return "", false
		}
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'"), true
	case pg.Token_ICONST, pg.Token_FCONST, pg.Token_TRUE_P, pg.Token_FALSE_P, pg.Token_ON:
		return strings.ToLower(text), true
	}
	return l.name(i), l.name(i) != ""
}
