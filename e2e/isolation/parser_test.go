package isolation

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// token is a part of a spec's text.
type token struct {
	kind tokenKind
	text string
	line int
}

type tokenKind string

const (
	keyword tokenKind = "a keyword"
	name    tokenKind = "a name"
	block   tokenKind = "a block of SQL"
	number  tokenKind = "a number"
	mark    tokenKind = "a mark"
	end     tokenKind = "the end"
)

// keywords have to be quoted to be names.
const keywords = " notices permutation session setup step teardown "

// scan cuts a text into tokens. Blocks of SQL are in braces and contain none; comments begin with # outside of them.
func scan(text string) (out []token, err error) {
	line := 1
	for i := 0; i < len(text); {
		at, start := i, line
		t := token{line: start}
		switch c := text[i]; {
		case c == '\n':
			line++
			i++
			continue
		case strings.IndexByte(" \t\r\f", c) >= 0:
			i++
			continue
		case c == '#':
			i += lengthUntil(text[i:], '\n')
			continue
		case c == '{':
			n := strings.IndexByte(text[i:], '}')
			if n < 0 {
				return nil, fmt.Errorf("line %d: a block of SQL has no end", start)
			}
			t.kind, t.text = block, strings.Trim(text[i+1:i+n], " \t\r\f")
			line += strings.Count(t.text, "\n")
			i += n + 1
		case c == '"':
			if t.text, i, err = quoted(text, i+1, start); err != nil {
				return nil, err
			}
			t.kind = name
		case c >= '0' && c <= '9':
			for i < len(text) && text[i] >= '0' && text[i] <= '9' {
				i++
			}
			t.kind, t.text = number, text[at:i]
		case inName(c) && c != '$':
			for i < len(text) && inName(text[i]) {
				i++
			}
			if t.kind, t.text = name, text[at:i]; strings.Contains(keywords, " "+t.text+" ") {
				t.kind = keyword
			}
		case strings.IndexByte(",()*", c) >= 0:
			i++
			t.kind, t.text = mark, string(c)
		default:
			return nil, fmt.Errorf("line %d: unexpected %q", start, c)
		}
		out = append(out, t)
	}
	return append(out, token{kind: end, line: line}), nil
}

func lengthUntil(text string, c byte) int {
	if n := strings.IndexByte(text, c); n >= 0 {
		return n
	}
	return len(text)
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || c == '_' || c == '$' || c >= '0' && c <= '9'
}

// quoted reads a name up to its closing quote; two quotes stand for one.
func quoted(text string, i, line int) (name string, after int, err error) {
	var b strings.Builder
	for ; i < len(text) && text[i] != '\n'; i++ {
		if text[i] == '"' {
			if i+1 == len(text) || text[i+1] != '"' {
				return b.String(), i + 1, nil
			}
			i++
		}
		b.WriteByte(text[i])
	}
	return "", i, fmt.Errorf("line %d: a quoted name has no end", line)
}

// parser reads tokens. The first error ends the reading, by a panic that parse recovers.
type parser struct {
	tokens []token
	spec   *spec
}

type syntaxError struct{ error }

// parse reads a spec.
func parse(text string) (s *spec, err error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case syntaxError:
			s, err = nil, r.error
		default:
			panic(r)
		}
	}()
	p := &parser{tokens, &spec{}}
	p.read()
	return p.spec, nil
}

func (p *parser) fail(line int, format string, args ...any) {
	panic(syntaxError{fmt.Errorf("line %d: "+format, append([]any{line}, args...)...)})
}

// accept takes the next token if it is the keyword or mark.
func (p *parser) accept(text string) bool {
	t := p.tokens[0]
	ok := t.text == text && (t.kind == keyword || t.kind == mark)
	if ok {
		p.tokens = p.tokens[1:]
	}
	return ok
}

func (p *parser) take(kind tokenKind) string {
	t := p.tokens[0]
	if t.kind != kind {
		p.fail(t.line, "%s is expected, not %q", kind, t.text)
	}
	p.tokens = p.tokens[1:]
	return t.text
}

func (p *parser) optional(word string) (sql string) {
	if p.accept(word) {
		sql = p.take(block)
	}
	return sql
}

func (p *parser) read() {
	s := p.spec
	for p.accept("setup") {
		s.setups = append(s.setups, p.take(block))
	}
	s.teardown = p.optional("teardown")
	for p.accept("session") {
		p.session()
	}
	if len(s.sessions) == 0 {
		p.fail(p.tokens[0].line, "a session is expected")
	}
	for p.accept("permutation") {
		p.permutation()
	}
	p.take(end)
}

func (p *parser) session() {
	one := sessionSpec{name: p.take(name), setup: p.optional("setup")}
	for line := p.tokens[0].line; p.accept("step"); line = p.tokens[0].line {
		st := step{name: p.take(name), sql: p.take(block), session: len(p.spec.sessions)}
		_, found := p.spec.find(st.name)
		for _, before := range one.steps {
			found = found || before.name == st.name
		}
		if found {
			p.fail(line, "there are two steps %s", st.name)
		}
		one.steps = append(one.steps, st)
	}
	if len(one.steps) == 0 {
		p.fail(p.tokens[0].line, "session %s has no step", one.name)
	}
	one.teardown = p.optional("teardown")
	p.spec.sessions = append(p.spec.sessions, one)
}

func (p *parser) permutation() {
	var out permutation
	line := p.tokens[0].line
	for p.tokens[0].kind == name {
		e := entry{step: p.step(p.take(name))}
		if p.accept("(") {
			for more := true; more; more = p.accept(",") {
				e.conditions = append(e.conditions, p.condition())
			}
			if !p.accept(")") {
				p.fail(p.tokens[0].line, "a ) is expected")
			}
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		p.fail(line, "a permutation without steps")
	}
	out.check(p, line)
	p.spec.permutations = append(p.spec.permutations, out)
}

func (p *parser) step(name string) step {
	st, ok := p.spec.find(name)
	if !ok {
		p.fail(p.tokens[0].line, "there is no step %s", name)
	}
	return st
}

func (p *parser) condition() condition {
	if p.accept("*") {
		return condition{kind: untilLooked}
	}
	other := p.step(p.take(name))
	out := condition{kind: untilStep, step: other.name, session: other.session}
	if p.accept("notices") {
		n, err := strconv.Atoi(p.take(number))
		if err != nil {
			p.fail(p.tokens[0].line, "%v", err)
		}
		out.kind, out.notices = untilNotices, n
	}
	return out
}

// check wants conditions to name steps of other sessions that are in the permutation.
func (o permutation) check(p *parser, line int) {
	for _, e := range o {
		for _, c := range e.conditions {
			if c.kind == untilLooked {
				continue
			}
			found := false
			for _, other := range o {
				found = found || other.name == c.step
			}
			if !found || c.session == e.session {
				p.fail(line, "step %s cannot wait for %s", e.name, c.step)
			}
		}
	}
}

// TestParser reads specs and writes what they say. The command orders writes their permutations.
func TestParser(t *testing.T) {
	datadriven.Walk(t, "testdata/parser", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s, err := parse(d.Input)
			if err != nil {
				return err.Error()
			}
			if d.Cmd == "parse" {
				return s.String()
			}
			limit := 100
			d.MaybeScanArgs(t, "limit", &limit)
			orders, more := s.orders(limit)
			var b strings.Builder
			for _, o := range orders {
				fmt.Fprintln(&b, o)
			}
			if more {
				fmt.Fprintln(&b, "and more")
			}
			return b.String()
		})
	})
}

func (s *spec) String() string {
	var b strings.Builder
	for _, sql := range s.setups {
		fmt.Fprintf(&b, "setup %q\n", sql)
	}
	fmt.Fprintf(&b, "teardown %q\n", s.teardown)
	for _, one := range s.sessions {
		fmt.Fprintf(&b, "session %s setup %q teardown %q\n", one.name, one.setup, one.teardown)
		for _, st := range one.steps {
			fmt.Fprintf(&b, "  step %s of session %d %q\n", st.name, st.session, st.sql)
		}
	}
	for _, o := range s.permutations {
		fmt.Fprintf(&b, "permutation %s\n", o)
	}
	return b.String()
}

func (o permutation) String() string {
	names := make([]string, len(o))
	for i, e := range o {
		names[i] = e.name
		var conditions []string
		for _, c := range e.conditions {
			conditions = append(conditions, c.String())
		}
		if conditions != nil {
			names[i] += "(" + strings.Join(conditions, ", ") + ")"
		}
	}
	return strings.Join(names, " ")
}

func (c condition) String() string {
	switch c.kind {
	case untilStep:
		return c.step
	case untilNotices:
		return fmt.Sprintf("%s notices %d", c.step, c.notices)
	}
	return "*"
}
