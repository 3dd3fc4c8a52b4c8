// Package parser reads SQL text into ast. PostgreSQL's grammar reads first; the few forms
// that it lacks are lifted out of the token stream; what it still refuses is read as
// MySQL-style SQL. README.md tells where things go.
package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Parse reads the statements of a text, in order, none for a text without any. Positions
// are byte offsets in the whole text. When no grammar reads the text, the error is
// PostgreSQL's.
func Parse(sql string) ([]ast.Parsed, error) {
	if err := guard(sql); err != nil {
		return nil, err
	}
	tree, refused := postgres(sql)
	if refused == nil {
		return convert(tree, source{text: sql, grammar: sql})
	}
	return parsePieces(sql, refused)
}

// source is the text of one or more statements, as it was sent and as the grammar saw it.
type source struct {
	text    string
	grammar string // of the same length: what was lifted out is blank
	base    int    // of text in what was sent
	lifted  lifted
}

// parsePieces reads a text that PostgreSQL's grammar refused as a whole: each statement
// by the first grammar that takes it.
func parsePieces(sql string, refused *sqlerr.Error) ([]ast.Parsed, error) {
	tokens, err := scan(sql)
	if err != nil {
		return nil, refused
	}
	var all []ast.Parsed
	for _, piece := range pieces(sql, tokens) {
		parsed, err := parsePiece(piece)
		if err != nil {
			return nil, err
		}
		all = append(all, parsed...)
	}
	return all, nil
}

// parsePiece reads one statement.
func parsePiece(piece source) ([]ast.Parsed, error) {
	tree, refused := postgres(piece.grammar)
	if refused == nil {
		return convert(tree, piece)
	}
	if lifted, ok := lift(piece); ok {
		if tree, err := postgres(lifted.grammar); err == nil {
			return convert(tree, lifted)
		}
	}
	parsed, ok, err := mysql(piece)
	if ok || err != nil {
		return parsed, err
	}
	return nil, shift(refused, piece.base)
}

// pieces cuts a text after each semicolon. A semicolon stays with the statement that it
// ends, since an error may point at it.
func pieces(sql string, tokens []*pg.ScanToken) []source {
	var out []source
	start, empty := 0, true
	cut := func(end int) {
		if text := sql[start:end]; !empty {
			out = append(out, source{text: text, grammar: text, base: start})
		}
		start, empty = end, true
	}
	for _, t := range tokens {
		switch t.Token {
		case pg.Token_ASCII_59:
			cut(int(t.End))
		case pg.Token_C_COMMENT, pg.Token_SQL_COMMENT:
		default:
			empty = false
		}
	}
	cut(len(sql))
	return out
}

// convert turns PostgreSQL's trees into statements.
func convert(tree *pg.ParseResult, src source) ([]ast.Parsed, error) {
	hints, err := findHints(src.text)
	if err != nil {
		return nil, err
	}
	var all []ast.Parsed
	for _, raw := range tree.GetStmts() {
		c := &converter{base: src.base, lifted: src.lifted, hints: hints}
		p := bounds(src, raw)
		p.Statement = c.statement(raw.GetStmt())
		if c.err != nil {
			return nil, c.err
		}
		p.Params = c.params
		all = append(all, p)
	}
	placeNotices(all, hints, src.base)
	return all, nil
}

// bounds is where a statement lies in the text, without the blanks around it.
func bounds(src source, raw *pg.RawStmt) ast.Parsed {
	start, end := int(raw.GetStmtLocation()), len(src.text)
	if n := int(raw.GetStmtLen()); n > 0 {
		end = start + n
	}
	const blanks = " \t\r\n\f\v"
	text := strings.TrimRight(src.text[start:end], blanks+";")
	trimmed := strings.TrimLeft(text, blanks)
	return ast.Parsed{Text: trimmed, Offset: src.base + start + len(text) - len(trimmed)}
}
