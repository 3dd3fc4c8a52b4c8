package regress

import (
	"regexp"
	"strings"
	"testing"
)

// piece is a part of a file that psql runs as one.
type piece struct {
	text string
	// copies is whether it is a COPY from standard input, and data are what it reads.
	copies bool
	data   string
	// counted is whether psql asks the server something: a statement, or a command such as \d.
	counted bool
}

// split divides a file as psql does.
func split(text string) []piece {
	s := splitter{rest: text}
	for s.rest != "" {
		s.step()
	}
	s.end(false)
	return s.out
}

// splitter reads a file from its start. What it has read of the current piece is in current.
type splitter struct {
	rest    string
	current strings.Builder
	// begun is whether the current piece has more than blanks and comments.
	begun  bool
	parens int
	// atomic counts the BEGIN ATOMIC and CASE that have no END yet.
	atomic int
	copies bool
	copied string
	out    []piece
}

var (
	quoted    = regexp.MustCompile(`^(?:'(?:[^']|'')*'?|"(?:[^"]|"")*"?)`)
	escaped   = regexp.MustCompile(`^[eE]'(?:[^'\\]|''|\\(?s:.))*'?`)
	dollar    = regexp.MustCompile(`^\$(?:[A-Za-z_\x80-\xff][A-Za-z_0-9\x80-\xff]*)?\$`)
	word      = regexp.MustCompile(`^[A-Za-z_\x80-\xff][A-Za-z_0-9$\x80-\xff]*`)
	remark    = regexp.MustCompile(`^--[^\n]*`)
	copyStdin = regexp.MustCompile(`(?is)^\s*copy\b.*\bfrom\s+(?:stdin|pstdin)\b`)
	function  = regexp.MustCompile(`(?is)^\s*create\s+(?:or\s+replace\s+)?(?:function|procedure)\b`)
	copyLine  = regexp.MustCompile(`(?im)^\\?copy\b.*\bfrom\s+p?stdin\b`)
	comments  = regexp.MustCompile(`(?m)--[^\n]*`)
	asks      = regexp.MustCompile(`^\\(?:d[a-zA-Z]*|l|z|s[fv]|copy)\b`)
	sends     = regexp.MustCompile(`^\\(?:g|gx|gset|gexec|gdesc|crosstabview|watch)\b`)
)

// step reads one token.
func (s *splitter) step() {
	switch token := s.match(); {
	case token != "":
		s.take(len(token), strings.TrimSpace(token) != "" && !strings.HasPrefix(token, "--"))
	case s.rest[0] == '\\':
		s.command()
	case s.rest[0] == ';' && s.parens == 0 && s.atomic == 0:
		s.take(1, true)
		s.data()
		s.end(true)
	default:
		switch s.rest[0] {
		case '(':
			s.parens++
		case ')':
			s.parens = max(0, s.parens-1)
		}
		s.take(1, strings.TrimSpace(s.rest[:1]) != "")
	}
}

// match is the token ahead that may hold a semicolon or a backslash, or a word.
func (s *splitter) match() string {
	if strings.HasPrefix(s.rest, "/*") {
		return s.rest[:commentEnd(s.rest)]
	}
	if tag := dollar.FindString(s.rest); tag != "" {
		if i := strings.Index(s.rest[len(tag):], tag); i >= 0 {
			return s.rest[:i+2*len(tag)]
		}
		return s.rest
	}
	for _, r := range []*regexp.Regexp{quoted, escaped, remark} {
		if token := r.FindString(s.rest); token != "" {
			return token
		}
	}
	token := word.FindString(s.rest)
	s.nest(strings.ToLower(token))
	return token
}

// nest notes the words that open and close the body of a function in SQL's own form.
func (s *splitter) nest(token string) {
	switch {
	case token == "begin" && function.MatchString(comments.ReplaceAllString(s.current.String(), "")),
		token == "case" && s.atomic > 0:
		s.atomic++
	case token == "end" && s.atomic > 0:
		s.atomic--
	}
}

func commentEnd(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		}
	}
	return len(text)
}

// command reads a command of psql, to the end of its line.
func (s *splitter) command() {
	if strings.HasPrefix(s.rest, `\;`) || strings.HasPrefix(s.rest, `\:`) {
		s.take(2, true)
		return
	}
	line, _, _ := strings.Cut(s.rest, "\n")
	if s.begun && !sends.MatchString(line) {
		// A command amid a statement, such as \if, belongs to it.
		s.take(len(line), true)
		return
	}
	counted := s.begun || asks.MatchString(line)
	s.take(len(line), true)
	s.end(counted)
}

// data reads the data of a COPY from standard input, which follow the line of the statement. A COPY that is meant to
// fail has none: the next end of data is that of another COPY.
func (s *splitter) data() {
	if !copyStdin.MatchString(strings.TrimSpace(uncommented(s.current.String()))) {
		return
	}
	s.copies = true
	_, after, _ := strings.Cut(s.rest, "\n")
	data, rest, found := strings.Cut("\n"+after, "\n\\.\n")
	if !found || copyLine.MatchString(data) {
		return
	}
	s.copied, s.rest = strings.TrimPrefix(data+"\n", "\n"), rest
}

func uncommented(text string) string {
	text = comments.ReplaceAllString(text, "")
	for i := strings.Index(text, "/*"); i >= 0; i = strings.Index(text, "/*") {
		text = text[:i] + text[i+commentEnd(text[i:]):]
	}
	return text
}

func (s *splitter) take(n int, begins bool) {
	s.current.WriteString(s.rest[:n])
	s.rest = s.rest[n:]
	s.begun = s.begun || begins
}

func (s *splitter) end(counted bool) {
	if text := s.current.String(); s.begun {
		s.out = append(s.out, piece{text, s.copies, s.copied, counted})
	}
	s.current.Reset()
	s.begun, s.parens, s.atomic, s.copies, s.copied = false, 0, 0, false, ""
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"SELECT 1; SELECT 2;", []string{"+SELECT 1;", "+SELECT 2;"}},
		{"SELECT ';' /* ; /* ; */ */, $x$;$x$ -- ;\n;", []string{"+SELECT ';' /* ; /* ; */ */, $x$;$x$ -- ;\n;"}},
		{`SELECT E'\';' || "a;b";`, []string{`+SELECT E'\';' || "a;b";`}},
		{"COPY t FROM stdin;\n1;\n\\.\nSELECT 1;", []string{"+COPY t FROM stdin;1;\n", "+SELECT 1;"}},
		{"COPY t (no) FROM stdin;\nCOPY t FROM stdin;\n1\n\\.\n", []string{"+COPY t (no) FROM stdin;", "+COPY t FROM stdin;1\n"}},
		{"\\set x 'a'\nSELECT :'x' \\gset\n\\d t\n", []string{`-\set x 'a'`, `+SELECT :'x' \gset`, `+\d t`}},
		{`SELECT 1\; SELECT 2;`, []string{`+SELECT 1\; SELECT 2;`}},
		{"CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);", []string{
			"+CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);"}},
		{"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END; BEGIN; END;", []string{
			"+CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END;", "+BEGIN;", "+END;"}},
		{"-- only a remark", nil},
	} {
		var got []string
		for _, p := range split(c.text) {
			got = append(got, map[bool]string{true: "+", false: "-"}[p.counted]+strings.TrimSpace(p.text)+p.data)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
