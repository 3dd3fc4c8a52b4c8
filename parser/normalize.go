package parser

import (
	"strconv"
	"strings"
)

// Normalize is the text of a statement with each literal replaced by a parameter, numbered
// behind those that it has, without comments, and with single blanks. It reads by the
// rules of PostgreSQL's lexer, and any text, also one that no grammar takes: what it gives
// may go to logs, so that no value may be left in it.
func Normalize(sql string) string {
	last := 0
	for l := range lexemes(sql) {
		if l.kind == lexParam {
			if n, err := strconv.ParseUint(sql[l.start+1:l.end], 10, 16); err == nil { // no statement has more
				last = max(last, int(n))
			}
		}
	}
	var b strings.Builder
	for l := range lexemes(sql) {
		if l.blank && b.Len() > 0 {
			b.WriteByte(' ')
		}
		if l.kind == lexLiteral {
			last++
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(last))
			continue
		}
		b.WriteString(sql[l.start:l.end])
	}
	return b.String()
}

// Fingerprint is a number of the text of a statement. It is the same for texts that differ
// in literals, blanks, comments, and the case of words.
func Fingerprint(sql string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	hash := uint64(offset)
	add := func(b byte) { hash = (hash ^ uint64(b)) * prime }
	for l := range lexemes(sql) {
		switch l.kind {
		case lexLiteral:
			add('?')
		case lexWord:
			for i := l.start; i < l.end; i++ {
				c := sql[i]
				if 'A' <= c && c <= 'Z' {
					c += 'a' - 'A'
				}
				add(c)
			}
		default:
			for i := l.start; i < l.end; i++ {
				add(sql[i])
			}
		}
		add(0)
	}
	return hash
}

type lexKind uint8

const (
	lexOther lexKind = iota // a quoted name, or a part of an operator
	lexWord
	lexParam
	lexLiteral
)

// lexeme is a piece of a text that is no blank and no comment.
type lexeme struct {
	kind       lexKind
	start, end int
	blank      bool // there was something in front of it
}

// lexemes cuts a text into lexemes, all but a semicolon at its end. What lacks its end goes
// on to that of the text.
func lexemes(sql string) func(yield func(lexeme) bool) {
	return func(yield func(lexeme) bool) {
		end := len(strings.TrimRight(sql, blanks+";"))
		for i := 0; ; {
			start := skipBlanks(sql, i)
			if start >= end {
				return
			}
			l := lexeme{start: start, blank: start > i}
			l.kind, l.end = lex(sql, start)
			if !yield(l) {
				return
			}
			i = l.end
		}
	}
}

// blanks are what may stand between words.
const blanks = " \t\r\n\f\v"

// skipBlanks is where blanks and comments end.
func skipBlanks(sql string, i int) int {
	for i < len(sql) {
		switch {
		case strings.IndexByte(blanks, sql[i]) >= 0:
			i++
		case strings.HasPrefix(sql[i:], "--"):
			n := strings.IndexAny(sql[i:], "\r\n")
			if n < 0 {
				return len(sql)
			}
			i += n
		case strings.HasPrefix(sql[i:], "/*"):
			i = skipComment(sql, i)
		default:
			return i
		}
	}
	return i
}

// skipComment is where a comment ends, and with it those inside.
func skipComment(sql string, i int) int {
	depth := 0
	for i < len(sql) {
		switch {
		case strings.HasPrefix(sql[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(sql[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return i
}

// lex reads the lexeme that begins at a place.
func lex(sql string, i int) (lexKind, int) {
	switch c := sql[i]; {
	case c == '\'':
		return lexLiteral, stringEnd(sql, i, false)
	case strings.HasPrefix(sql[i:], ".."): // between the bounds 1..2
		return lexOther, i + 2
	case c == '"':
		return lexOther, quoteEnd(sql, i, '"', false)
	case c == '$':
		return lexDollar(sql, i)
	case isDigit(c), c == '.' && i+1 < len(sql) && isDigit(sql[i+1]):
		return lexLiteral, numberEnd(sql, i)
	case isLetter(c):
		return lexWordOrString(sql, i)
	}
	return lexOther, i + 1
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

// lexWordOrString reads a word, or a string with a letter in front.
func lexWordOrString(sql string, i int) (lexKind, int) {
	rest := sql[i+1:]
	switch sql[i] {
	case 'e', 'E':
		if strings.HasPrefix(rest, "'") {
			return lexLiteral, stringEnd(sql, i+1, true)
		}
	case 'b', 'B', 'x', 'X', 'n', 'N':
		if strings.HasPrefix(rest, "'") {
			return lexLiteral, stringEnd(sql, i+1, false)
		}
	case 'u', 'U':
		if strings.HasPrefix(rest, "&'") {
			return lexLiteral, stringEnd(sql, i+2, false)
		}
	}
	for i < len(sql) && (isLetter(sql[i]) || isDigit(sql[i]) || sql[i] == '$') {
		i++
	}
	return lexWord, i
}

// stringEnd is the end of a string whose first quote is at a place. It goes on behind a
// line break when there is a quote again.
func stringEnd(sql string, i int, escapes bool) int {
	for {
		end := quoteEnd(sql, i, '\'', escapes)
		next := skipBlanks(sql, end)
		if next >= len(sql) || sql[next] != '\'' || !strings.ContainsAny(sql[end:next], "\r\n") {
			return end
		}
		i = next
	}
}

// quoteEnd is the end of what is quoted from a place on.
func quoteEnd(sql string, i int, quote byte, escapes bool) int {
	for i++; i < len(sql); i++ {
		switch {
		case escapes && sql[i] == '\\':
			i++
		case sql[i] != quote:
		case i+1 < len(sql) && sql[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(sql)
}

// lexDollar reads a parameter, a string between $tag$ and $tag$, or a lone $.
func lexDollar(sql string, i int) (lexKind, int) {
	end := i + 1
	for end < len(sql) && isDigit(sql[end]) {
		end++
	}
	if end > i+1 {
		return lexParam, end
	}
	for end < len(sql) && (isLetter(sql[end]) || isDigit(sql[end])) {
		end++
	}
	if end == len(sql) || sql[end] != '$' {
		return lexOther, i + 1
	}
	tag := sql[i : end+1]
	n := strings.Index(sql[end+1:], tag)
	if n < 0 {
		return lexLiteral, len(sql)
	}
	return lexLiteral, end + 1 + n + len(tag)
}

// numberEnd is the end of a number, and of what stands directly behind it: the digits of a
// hexadecimal one, or what no grammar takes.
func numberEnd(sql string, i int) int {
	for dot := false; i < len(sql); i++ {
		c := sql[i]
		switch {
		case isDigit(c), isLetter(c):
		case c == '.' && !dot && !strings.HasPrefix(sql[i:], ".."):
			dot = true
		case (c == '+' || c == '-') && (sql[i-1] == 'e' || sql[i-1] == 'E') && i+1 < len(sql) && isDigit(sql[i+1]):
		default:
			return i
		}
	}
	return i
}
