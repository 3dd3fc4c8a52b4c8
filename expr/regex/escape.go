package regex

import (
	"unicode"
	"unicode/utf8"
)

func badEscape() error { return bad(`invalid escape \ sequence`) }

// escape reads what a backslash begins outside of brackets.
func (p *parser) escape() (it item, quantifiable bool, err error) {
	p.pos++
	if !p.more() {
		return it, false, badEscape()
	}
	c := p.src[p.pos]
	if at, ok := map[rune]assertion{
		'A': textStart, 'Z': textEnd, 'm': wordStart, 'M': wordEnd, 'y': wordBorder, 'Y': notWordBorder,
	}[c]; ok {
		p.pos++
		return assertAt(at), false, nil
	}
	if class, ok := shorthand(c); ok {
		p.pos++
		s := &set{classes: []func(rune) bool{class}, notLine: p.opt.NotLine && unicode.IsUpper(c)}
		return item{setNode(s), true}, true, nil
	}
	if n, ok := p.reference(); ok {
		if p.look > 0 || n >= len(p.closed) || p.closed[n] == nil {
			return it, false, bad("invalid backreference number")
		}
		group := p.closed[n]
		back := &node{op: opBackref, group: n, subs: []*node{group}, min: 1, max: 1, refers: true}
		return item{back, false}, true, nil
	}
	r, err := p.character()
	return item{p.char(r), true}, true, err
}

// reference reads the number of a back reference: one digit, or more if there are as
// many groups; otherwise the digits are octal.
func (p *parser) reference() (n int, ok bool) {
	start := p.pos
	if p.src[start] == '0' {
		return 0, false
	}
	for ; p.more() && isDigit(p.src[p.pos]) && n < 1000; p.pos++ {
		n = n*10 + int(p.src[p.pos]-'0')
	}
	if digits := p.pos - start; digits == 1 || digits > 1 && n <= p.groups {
		return n, true
	}
	p.pos = start
	return 0, false
}

// character reads an escape that stands for one character.
func (p *parser) character() (rune, error) {
	c := p.src[p.pos]
	p.pos++
	switch c {
	case 'a':
		return '\a', nil
	case 'b':
		return '\b', nil
	case 'B':
		return '\\', nil
	case 'e':
		return 0x1b, nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'v':
		return '\v', nil
	case 'c':
		if !p.more() {
			return 0, badEscape()
		}
		p.pos++
		return p.src[p.pos-1] & 0x1f, nil
	case 'x':
		return p.digits(16, 1, 255)
	case 'u':
		return p.digits(16, 4, 4)
	case 'U':
		return p.digits(16, 8, 8)
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.pos--
		r, err := p.digits(8, 1, 3)
		if r > 0xff {
			p.pos--
			r >>= 3
		}
		return r, err
	}
	if c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
		return 0, badEscape()
	}
	return c, nil
}

func (p *parser) digits(base rune, least, most int) (rune, error) {
	n, count := rune(0), 0
	for ; p.more() && count < most; count++ {
		digit := rune(99)
		switch c := p.src[p.pos]; {
		case isDigit(c):
			digit = c - '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			digit = c | 0x20 - 'a' + 10
		}
		if digit >= base {
			break
		}
		if n = n*base + digit; n > utf8.MaxRune {
			return 0, badEscape()
		}
		p.pos++
	}
	if count < least {
		return 0, badEscape()
	}
	return n, nil
}

// brackets reads a bracket expression.
func (p *parser) brackets() (*set, error) {
	p.pos++
	s := &set{fold: p.opt.Fold}
	if p.take("^") {
		s.negate, s.notLine = true, p.opt.NotLine
	}
	for first := true; ; first = false {
		switch {
		case !p.more():
			return nil, bad("brackets [] not balanced")
		case !first && p.take("]"):
			return s, nil
		}
		if err := p.bracketItem(s, first); err != nil {
			return nil, err
		}
	}
}

// bracketItem reads a character, a range or a class in brackets.
func (p *parser) bracketItem(s *set, first bool) error {
	if p.take("[:") {
		return p.namedClass(s)
	}
	if p.have(`\`) && p.pos+1 < len(p.src) {
		if class, ok := shorthand(p.src[p.pos+1]); ok {
			p.pos += 2
			s.classes = append(s.classes, class)
			return nil
		}
	}
	if p.have("-") && !first && !p.have("-]") {
		return bad("invalid character range")
	}
	low, err := p.bracketChar()
	if err != nil {
		return err
	}
	high := low
	if p.have("-") && !p.have("-]") {
		p.pos++
		if !p.more() {
			return bad("brackets [] not balanced")
		}
		if p.have("[:") || p.have("[=") {
			return bad("invalid character range")
		}
		if high, err = p.bracketChar(); err != nil {
			return err
		}
	}
	if low > high {
		return bad("invalid character range")
	}
	s.ranges = append(s.ranges, low, high)
	return nil
}

// bracketChar reads one character, written in any way.
func (p *parser) bracketChar() (rune, error) {
	for _, sign := range []string{"[.", "[="} {
		if !p.take(sign) {
			continue
		}
		name, err := p.until(sign[1:] + "]")
		if err != nil {
			return 0, err
		}
		if len(name) == 1 {
			return name[0], nil
		}
		c, ok := collating[string(name)]
		if !ok {
			return 0, bad("invalid collating element")
		}
		return c, nil
	}
	c := p.src[p.pos]
	p.pos++
	if c != '\\' {
		return c, nil
	}
	if !p.more() {
		return 0, badEscape()
	}
	return p.character()
}

func (p *parser) namedClass(s *set) error {
	name, err := p.until(":]")
	if err != nil {
		return err
	}
	class, ok := classes[string(name)]
	if !ok {
		return bad("invalid character class")
	}
	if p.opt.Fold && (string(name) == "lower" || string(name) == "upper") {
		class = classes["alpha"]
	}
	s.classes = append(s.classes, class)
	return nil
}

func (p *parser) until(end string) ([]rune, error) {
	for start := p.pos; p.more(); p.pos++ {
		if p.have(end) {
			name := p.src[start:p.pos]
			p.pos += len(end)
			return name, nil
		}
	}
	return nil, bad("brackets [] not balanced")
}
