package plpgsql

import (
	"slices"
	"strings"

	"zproxy/parser"
	"zproxy/sqlerr"
)

// reader reads the tokens of a body.
type reader struct {
	text  string
	list  []parser.Token
	at    int
	f     *Function
	scope *Scope
	loops []string // the labels of the loops and blocks around, empty for those without
	err   error
}

// fail keeps the first error, at a token.
func (r *reader) fail(err *sqlerr.Error) {
	if r.err == nil {
		r.err = err.At(r.start())
	}
	r.at = len(r.list)
}

func (r *reader) start() int {
	if r.at < len(r.list) {
		return r.list[r.at].Start
	}
	return len(r.text)
}

// syntax fails at the present token.
func (r *reader) syntax() {
	if r.at >= len(r.list) {
		r.fail(sqlerr.New(sqlerr.SyntaxError, "syntax error at end of input"))
		return
	}
	r.fail(sqlerr.New(sqlerr.SyntaxError, "syntax error at or near \"%s\"", r.written(r.at)))
}

func (r *reader) written(i int) string {
	if i < 0 || i >= len(r.list) {
		return ""
	}
	return r.text[r.list[i].Start:r.list[i].End]
}

// word is a token in lower case; a name in quotes is none.
func (r *reader) word(i int) string {
	w := r.written(i)
	if strings.HasPrefix(w, `"`) {
		return ""
	}
	return strings.ToLower(w)
}

func (r *reader) is(words ...string) bool {
	for k, w := range words {
		if r.word(r.at+k) != w {
			return false
		}
	}
	return true
}

// accept passes words if they are there.
func (r *reader) accept(words ...string) bool {
	if !r.is(words...) {
		return false
	}
	r.at += len(words)
	return true
}

func (r *reader) expect(word string) {
	if !r.accept(word) {
		r.syntax()
	}
}

// name is an identifier.
func (r *reader) name() string {
	w := r.written(r.at)
	switch {
	case strings.HasPrefix(w, `"`):
		w = strings.ReplaceAll(w[1:len(w)-1], `""`, `"`)
	case w == "" || !isLetter(w[0]):
		r.syntax()
		return ""
	default:
		w = strings.ToLower(w)
	}
	r.at++
	return w
}

// variableName is a name, or the number of a parameter.
func variableName(r *reader) string {
	if w := r.written(r.at); strings.HasPrefix(w, "$") && r.f.Scope.Vars[w] != nil {
		r.at++
		return w
	}
	return r.name()
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

// line is that of the present token.
func (r *reader) line() int { return 1 + strings.Count(r.text[:min(r.start(), len(r.text))], "\n") }

// until is the text up to one of some words outside of parentheses, which is not passed.
func (r *reader) until(expression bool, ends ...string) *SQL {
	from, line, depth := r.start(), r.line(), 0
	first := r.at
	for ; r.at < len(r.list); r.at++ {
		w := r.word(r.at)
		if depth == 0 && slices.Contains(ends, w) {
			return r.sql(first, from, line, expression)
		}
		switch w {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
		if depth < 0 || depth == 0 && w == ";" {
			break
		}
	}
	r.syntax()
	return nil
}

func (r *reader) sql(first, from, line int, expression bool) *SQL {
	if first == r.at {
		if expression {
			r.fail(sqlerr.New(sqlerr.SyntaxError, "missing expression at or near \"%s\"", r.written(r.at)))
		} else {
			r.syntax()
		}
		return nil
	}
	return r.f.note(&SQL{Text: strings.TrimSpace(r.text[from:r.list[r.at-1].End]), Expression: expression, Line: line,
		Scope: r.scope})
}

// note keeps a text with the function.
func (f *Function) note(q *SQL) *SQL {
	f.Texts = append(f.Texts, q)
	return q
}

// expression is one up to some words, the last of which is passed.
func (r *reader) expression(end string) *SQL {
	out := r.until(true, end)
	r.at++
	return out
}

// list are expressions with commas between them, up to some words.
func (r *reader) expressions(ends ...string) (out []*SQL) {
	for r.err == nil {
		out = append(out, r.until(true, append([]string{","}, ends...)...))
		if !r.accept(",") {
			return out
		}
	}
	return out
}

// find looks a variable up.
func (s *Scope) Find(name string) *Var {
	for ; s != nil; s = s.Outer {
		if v := s.Vars[name]; v != nil {
			return v
		}
	}
	return nil
}

// Labelled finds the scope with a label.
func (s *Scope) Labelled(label string) *Scope {
	for ; s != nil; s = s.Outer {
		if s.Label == label && label != "" {
			return s
		}
	}
	return nil
}
