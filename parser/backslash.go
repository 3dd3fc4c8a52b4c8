package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// Strings is how a session reads the strings in its texts. The zero value is how all else reads them.
type Strings struct {
	Escapes bool // standard_conforming_strings is off: plain strings have escapes, as E'' has
	NoQuote bool // \' does not stand for a quote
	Warn    bool // tell of escapes in plain strings
}

// Conform writes the strings of a text as everyone else reads them. The result has the same length, with spaces behind
// strings that are shorter then. The notices tell of escapes; their positions and that of the error count bytes.
func (s Strings) Conform(sql string) (string, []*sqlerr.Error, error) {
	if !s.Escapes && !s.NoQuote || !strings.Contains(sql, `\`) && !strings.Contains(sql, `&`) {
		return sql, nil, nil
	}
	w := conforming{Strings: s, sql: sql, out: make([]byte, 0, len(sql))}
	for w.at < len(sql) {
		if err := w.token(); err != nil {
			return "", nil, err
		}
	}
	return string(w.out), w.notices, nil
}

// conforming walks through a text.
type conforming struct {
	Strings
	sql     string
	at      int
	out     []byte // what sql[:at] becomes
	notices []*sqlerr.Error
}

// copies takes n bytes as they are.
func (w *conforming) copies(n int) {
	n = min(n, len(w.sql)-w.at)
	w.out = append(w.out, w.sql[w.at:w.at+n]...)
	w.at += n
}

// token takes what may have a quote in it as a whole, or one byte of anything else.
func (w *conforming) token() error {
	rest := w.sql[w.at:]
	switch c := rest[0]; {
	case c == '\'':
		return w.plain()
	case len(rest) > 1 && (c|0x20 == 'e') && rest[1] == '\'':
		return w.escaped()
	case len(rest) > 2 && (c|0x20 == 'u') && rest[1:3] == "&'" && w.Escapes:
		return sqlerr.New(sqlerr.FeatureNotSupported, "unsafe use of string constant with Unicode escapes").
			WithDetail("String constants with Unicode escapes cannot be used when standard_conforming_strings is off.").
			At(w.at)
	case len(rest) > 1 && (c|0x20 == 'b' || c|0x20 == 'x') && rest[1] == '\'':
		w.copies(2)
		w.copies(through(w.sql[w.at:], "'"))
	case isNameStart(c):
		w.copies(form.SpanWhile(rest, isNamePart))
	case c == '"':
		w.copies(1 + through(rest[1:], `"`))
	case c == '$':
		w.copies(dollarQuoted(rest))
	case strings.HasPrefix(rest, "--"):
		w.copies(through(rest, "\n"))
	case strings.HasPrefix(rest, "/*"):
		w.copies(commentLength(rest))
	default:
		w.copies(1)
	}
	return nil
}

// plain takes a string without a mark before it.
func (w *conforming) plain() error {
	if !w.Escapes {
		w.copies(1 + through(w.sql[w.at+1:], "'"))
		return nil
	}
	body, err := w.body(w.at+1, w.Warn)
	if err != nil {
		return err
	}
	if w.at+1+len(body) == len(w.sql) {
		return sqlerr.New(sqlerr.SyntaxError, "unterminated quoted string at or near \"%s\"", w.sql[w.at:]).At(w.at)
	}
	if !strings.Contains(body, `\`) {
		w.copies(1 + len(body) + 1)
		return nil
	}
	text, refused := unescaped(body)
	if refused != nil {
		refused.Position = 0 // of another text
		return refused.At(w.at)
	}
	w.out = append(append(append(w.out, '\''), strings.ReplaceAll(text, "'", "''")...), '\'')
	w.at += 1 + len(body) + 1
	w.out = append(w.out, strings.Repeat(" ", max(w.at-len(w.out), 0))...)
	return nil
}

// escaped takes an E” string, and those that go on with it.
func (w *conforming) escaped() error {
	w.copies(1)
	for {
		body, err := w.body(w.at+1, false)
		if err != nil {
			return err
		}
		w.copies(1 + len(body) + 1)
		next := continued(w.sql[w.at:])
		if next < 0 {
			return nil
		}
		w.copies(next)
	}
}

// body is what stands between the quotes of a string with escapes, to the end of a text that does not end it.
func (w *conforming) body(start int, warn bool) (string, error) {
	for i := start; i < len(w.sql); i++ {
		switch w.sql[i] {
		case '\'':
			if !strings.HasPrefix(w.sql[i+1:], "'") {
				return w.sql[start:i], nil
			}
			i++
		case '\\':
			i++
			next := w.sql[i:min(i+1, len(w.sql))]
			if next == "'" && w.NoQuote {
				return "", unsafeQuote().At(i - 1)
			}
			if warn {
				w.notices = append(w.notices, escapeNotice(next).At(start-1))
				warn = false
			}
		}
	}
	return w.sql[start:], nil
}

func unsafeQuote() *sqlerr.Error {
	return sqlerr.New(sqlerr.NonstandardEscape, `unsafe use of \' in a string literal`).
		WithHint(`Use '' to write quotes in strings. \' is insecure in client-only encodings.`)
}

// escapeNotice warns of what follows a backslash in a plain string.
func escapeNotice(next string) *sqlerr.Error {
	what, hint := "escape", `Use the escape string syntax for escapes, e.g., E'\r\n'.`
	switch next {
	case "'":
		what, hint = `\'`, `Use '' to write quotes in strings, or use the escape string syntax (E'...').`
	case `\`:
		what, hint = `\\`, `Use the escape string syntax for backslashes, e.g., E'\\'.`
	}
	return sqlerr.Warn(sqlerr.NonstandardEscape, "nonstandard use of %s in a string literal", what).WithHint("%s", hint)
}

// unescaped is the text of a string with escapes, whose quotes are doubled.
func unescaped(body string) (string, *sqlerr.Error) {
	tree, err := postgres("SELECT E'"+body+"'", &watch{})
	if err != nil {
		return "", err
	}
	target := tree.GetStmts()[0].GetStmt().GetSelectStmt().GetTargetList()[0].GetResTarget()
	text := target.GetVal().GetAConst().GetVal().(*pg.A_Const_Sval).Sval.GetSval()
	return text, nil
}

// through is the length of a text to the end of what it has first, all of it without that.
func through(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// continued is the length of the blanks behind a string that another quote goes on with: they have a line's end; -1:
// none does.
func continued(text string) int {
	newline := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' && newline:
			return i
		case c == '\n' || c == '\r':
			newline = true
		case strings.HasPrefix(text[i:], "--"):
			i += through(text[i:], "\n") - 1
			newline = true
		case !form.IsSpace(c):
			return -1
		}
	}
	return -1
}

// commentLength is the length of a comment, with those inside.
func commentLength(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// dollarQuoted is the length of a string in dollar quotes, or 1 for a dollar that begins none.
func dollarQuoted(text string) int {
	tag := 1
	if tag < len(text) && isNameStart(text[tag]) {
		tag += form.SpanWhile(text[tag:], func(c byte) bool { return c != '$' && isNamePart(c) })
	}
	if tag >= len(text) || text[tag] != '$' {
		return 1
	}
	quote := text[:tag+1]
	return len(quote) + through(text[len(quote):], quote)
}

func isNameStart(c byte) bool { return form.IsLetter(c) || c == '_' || c >= 0x80 }

func isNamePart(c byte) bool { return isNameStart(c) || form.IsDigit(c) || c == '$' }
