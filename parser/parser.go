// Package parser reads SQL text into ast. PostgreSQL's grammar reads first; the few forms
// that it lacks are lifted out of the token stream; what it still refuses is read as
// MySQL-style SQL. README.md tells where things go.
package parser

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Parse reads the statements of a text, in order, none for a text without any. The text is UTF-8 without a
// zero byte, which package wire makes sure of. Positions are byte offsets in the whole text. When no grammar
// reads the text, the error is PostgreSQL's.
func Parse(sql string) ([]ast.Parsed, error) { return ParseUntil(sql, Until{}) }

// ParseUntil is Parse for a statement that may be ended.
func ParseUntil(sql string, until Until) ([]ast.Parsed, error) {
	w := &watch{Until: until}
	all, err := statements(sql, w)
	if w.err != nil {
		return nil, w.err // whatever became of a text that was not read to its end
	}
	return all, err
}

// statements reads a text by the first grammar that takes it.
func statements(sql string, w *watch) ([]ast.Parsed, error) {
	if err := guard(sql, w); err != nil {
		return nil, err
	}
	if err := w.ended(); err != nil {
		return nil, err
	}
	tree, refused := postgres(sql, w)
	if err := w.ended(); err != nil {
		return nil, err
	}
	if refused == nil {
		return convert(tree, source{text: sql, grammar: sql, watch: w})
	}
	return parsePieces(sql, refused, w)
}

// source is the text of one or more statements, as it was sent and as the grammar saw it.
type source struct {
	text    string
	grammar string // of the same length: what was lifted out is blank
	base    int    // of text in what was sent
	lifted  lifted
	watch   *watch
}

// parsePieces reads a text that PostgreSQL's grammar refused as a whole: each statement
// by the first grammar that takes it.
func parsePieces(sql string, refused *sqlerr.Error, w *watch) ([]ast.Parsed, error) {
	list, err := scan(sql, w)
	if err != nil {
		return nil, refused
	}
	var all []ast.Parsed
	for _, piece := range pieces(sql, code(list)) {
		if err := w.ended(); err != nil {
			return nil, err
		}
		piece.watch = w
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
	tree, read, refused := piece.tree()
	if refused == nil {
		return convert(tree, read)
	}
	if lifted, ok := lift(piece); ok {
		if tree, read, err := lifted.tree(); err == nil {
			return convert(tree, read)
		}
	}
	if parsed, ok := readIndexStatement(piece); ok {
		return parsed, nil
	}
	return nil, shift(refused, piece.base)
}

// pieces cuts a text after each semicolon, but for those in the body of a function, BEGIN ATOMIC ... END. A semicolon
// stays with the statement that it ends, since an error may point at it.
func pieces(sql string, list []*pg.ScanToken) []source {
	var out []source
	start, words, open := 0, 0, 0
	cut := func(end int) {
		if text := sql[start:end]; words > 0 {
			out = append(out, source{text: text, grammar: text, base: start})
		}
		start, words = end, 0
	}
	for _, t := range list {
		switch {
		case t.Token == pg.Token_ATOMIC, t.Token == pg.Token_CASE && open > 0:
			open++
		case t.Token == pg.Token_END_P && open > 0:
			open--
		case t.Token == pg.Token_ASCII_59 && open == 0:
			cut(int(t.End))
			continue
		}
		words++
	}
	cut(len(sql))
	return out
}

// convert turns PostgreSQL's trees into statements.
func convert(tree *pg.ParseResult, src source) ([]ast.Parsed, error) {
	var all []ast.Parsed
	rest := hintTokens(src)
	for _, raw := range tree.GetStmts() {
		start, end := raw.GetStmtLocation(), int32(len(src.text))
		if n := raw.GetStmtLen(); n > 0 {
			end = start + n
		}
		var mine []*pg.ScanToken
		mine, rest = cutAt(rest, end)
		c := &converter{base: src.base, lifted: src.lifted, version: tree.Version, hints: findHints(src, mine),
			watch: src.watch}
		c.err = c.hints.err
		p := trimmed(src.text[start:end], src.base+int(start))
		p.Statement = c.statement(raw.GetStmt())
		findBody(p.Statement, src)
		c.fail(c.hints.misplaced())
		if c.err != nil {
			return nil, c.err
		}
		p.Params, p.Notices = c.params, slices.Concat(truncations(src.text[start:end], src.watch), c.hints.ignored(),
			c.notices)
		p.Clauses = c.inert
		p.AllowFiltering = c.hints.allowFiltering
		all = append(all, p)
	}
	return all, nil
}

// trimmed is a statement's text without the blanks and the semicolon around it.
func trimmed(text string, offset int) ast.Parsed {
	text = strings.TrimRight(text, blanks+";")
	start := len(text) - len(strings.TrimLeft(text, blanks))
	return ast.Parsed{Text: text[start:], Offset: offset + start}
}
