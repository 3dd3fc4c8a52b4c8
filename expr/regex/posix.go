package regex

import "strings"

// translator writes an expression in a syntax of POSIX as an advanced one.
type translator struct {
	*parser
	out   []rune
	last  token
	depth int // of parentheses
}

// token is what was written last, as far as that decides what the next character is.
type token uint8

const (
	atStart token = iota
	opening
	lineBegin
	repeated  // a quantifier
	reference // a back reference
	other
)

// translate has the parser read what is left in a syntax of POSIX.
func (p *parser) translate() error {
	t := &translator{parser: p}
	for t.space(); t.more(); t.space() {
		if err := t.next(); err != nil {
			return err
		}
	}
	p.src, p.pos, p.opt.Expanded = t.out, 0, false
	return nil
}

// space passes over white space and comments where they mean nothing.
func (t *translator) space() {
	for t.opt.Expanded && t.more() && (isSpace(t.src[t.pos]) || t.src[t.pos] == '#') {
		if t.src[t.pos] != '#' {
			t.pos++
			continue
		}
		for t.more() && t.src[t.pos] != '\n' {
			t.pos++
		}
	}
}

func (t *translator) write(text string, as token) { t.out, t.last = append(t.out, []rune(text)...), as }

// literal writes a character that stands for itself.
func (t *translator) literal(c rune) {
	switch {
	case isDigit(c) && t.last == reference:
		t.write("["+string(c)+"]", other)
	case isSpace(c) || strings.ContainsRune(`\^$.[]|()*+?{}#`, c):
		t.write(`\`+string(c), other)
	default:
		t.write(string(c), other)
	}
}

func (t *translator) next() error {
	c := t.src[t.pos]
	switch {
	case c == '[':
		t.bracket()
		return nil
	case c == '.':
		t.write(".", other)
	case c == '\\':
		return t.escaped()
	case t.opt.Syntax == Basic:
		return t.basic(c)
	default:
		return t.extended(c)
	}
	t.pos++
	return nil
}

// basic writes a character of a basic expression.
func (t *translator) basic(c rune) error {
	t.pos++
	switch begins := t.last == atStart || t.last == opening; {
	case c == '*' && !begins && t.last != lineBegin:
		return t.quantify("*")
	case c == '^' && begins:
		t.write("^", lineBegin)
		return nil
	case c == '$':
		if t.space(); !t.more() || t.have(`\)`) {
			t.write("$", other)
			return nil
		}
	}
	t.literal(c)
	return nil
}

// extended writes a character of an extended expression, in which a parenthesis that closes none stands for itself.
func (t *translator) extended(c rune) error {
	t.pos++
	switch c {
	case '*', '+', '?':
		return t.quantify(string(c))
	case '{':
		if t.space(); t.more() && isDigit(t.src[t.pos]) {
			return t.bounds("}")
		}
	case '(':
		t.depth++
		t.write("(", opening)
		return nil
	case ')':
		if t.depth > 0 {
			t.depth--
			t.write(")", other)
			return nil
		}
	case '|', '^', '$':
		t.write(string(c), other)
		return nil
	}
	t.literal(c)
	return nil
}

// escaped writes what a backslash begins.
func (t *translator) escaped() error {
	t.pos++
	if !t.more() {
		return badEscape()
	}
	c := t.src[t.pos]
	t.pos++
	switch {
	case t.opt.Syntax == Extended:
	case c == '{':
		return t.bounds(`\}`)
	case c == '(':
		t.write("(", opening)
		return nil
	case c == ')':
		t.write(")", other)
		return nil
	case c == '<' || c == '>':
		t.write("[[:"+string(c)+":]]", other)
		return nil
	case '1' <= c && c <= '9':
		t.write(`\`+string(c), reference)
		return nil
	}
	t.literal(c)
	return nil
}

// quantify writes a quantifier. There is none behind another one, which makes none that prefers its shortest match.
func (t *translator) quantify(sign string) error {
	if t.last == repeated || t.last == opening {
		return bad("quantifier operand invalid")
	}
	t.write(sign, repeated)
	return nil
}

// bounds writes the bounds that end with a sign.
func (t *translator) bounds(end string) error {
	least := t.number()
	if least == "" {
		least = "0"
	}
	if t.space(); t.take(",") {
		least += "," + t.number()
	}
	switch t.space(); {
	case !t.more():
		return bad("braces {} not balanced")
	case !t.take(end):
		return bad("invalid repetition count(s)")
	}
	return t.quantify("{" + least + "}")
}

func (t *translator) number() string {
	t.space()
	start := t.pos
	for t.more() && isDigit(t.src[t.pos]) {
		t.pos++
	}
	return string(t.src[start:t.pos])
}

// bracket writes a bracket expression, in which a backslash stands for itself.
func (t *translator) bracket() {
	if t.have("[[:<:]]") || t.have("[[:>:]]") {
		t.write(string(t.src[t.pos:t.pos+len("[[:<:]]")]), other)
		t.pos += len("[[:<:]]")
		return
	}
	t.pos++
	t.write("[", other)
	for _, first := range []string{"^", "]"} {
		if t.take(first) {
			t.write(first, other)
		}
	}
	for t.more() {
		switch c := t.src[t.pos]; {
		case t.have("[:") || t.have("[.") || t.have("[="):
			t.named(string(t.src[t.pos+1]) + "]")
			continue
		case c == '\\':
			t.write(`\\`, other)
		default:
			t.write(string(c), other)
			if c == ']' {
				t.pos++
				return
			}
		}
		t.pos++
	}
}

// named writes a class or a character by its name, with the sign behind it.
func (t *translator) named(end string) {
	start := t.pos
	t.pos += len(end)
	for t.more() && !t.take(end) {
		t.pos++
	}
	t.write(string(t.src[start:t.pos]), other)
}
