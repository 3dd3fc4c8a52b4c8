package regex

import (
	"strings"
	"unicode"

	"zproxy/sqlerr"
)

// Options are what flags say.
type Options struct {
	Fold     bool // i: in any case
	NotLine  bool // n, p: . and [^...] are no newline
	Lines    bool // n, w: ^ and $ stand at lines, too
	Literal  bool // q: no character is special
	Expanded bool // x: white space and comments mean nothing
	Syntax   Syntax

	// Tick counts units of work; an error of it ends matching and compiling. Nil: nothing does.
	Tick func(units int) error
}

// Syntax is what an expression is written in.
type Syntax uint8

// The syntaxes. Those of POSIX are without escapes for classes, conditions and back references, but that a basic one
// has the last.
const (
	Advanced Syntax = iota
	Extended
	Basic // its signs for groups and bounds have backslashes, and it has no |, + and ?
)

func (o *Options) tick(units int) error {
	if o.Tick == nil {
		return nil
	}
	return o.Tick(units)
}

// The limits of PostgreSQL's bounds, and of what is nested.
const (
	maxRepeat = 255
	maxDepth  = 250
	maxSource = 1 << 19 // bytes; what is longer has more states than PostgreSQL compiles
)

// atomUnits is the work of reading one atom, and of making its states.
const atomUnits = 256

type parser struct {
	src    []rune
	pos    int
	opt    Options
	groups int
	closed []*node // groups by number, nil while they are open
	depth  int
	look   int // how many lookarounds are open
	chars  map[rune]*node
}

func bad(reason string) error {
	return sqlerr.New(sqlerr.InvalidRegularExpression, "invalid regular expression: %s", reason)
}

// parse reads a whole expression.
func parse(pattern string, opt Options) (*node, *parser, error) {
	if len(pattern) > maxSource {
		return nil, nil, bad("regular expression is too complex")
	}
	p := &parser{src: []rune(pattern), opt: opt, closed: []*node{nil}, chars: map[rune]*node{}}
	if opt.Literal && (opt.Expanded || opt.NotLine || opt.Lines) {
		return nil, nil, bad("invalid argument to regex function")
	}
	if err := p.prefix(); err != nil {
		return nil, nil, err
	}
	if p.opt.Literal {
		var items []item
		for _, c := range p.src[p.pos:] {
			items = append(items, item{p.char(c), true})
		}
		return branch(items), p, nil
	}
	if p.opt.Syntax != Advanced {
		if err := p.translate(); err != nil {
			return nil, nil, err
		}
	}
	n, err := p.alternatives()
	if err == nil && p.more() {
		err = bad("parentheses () not balanced")
	}
	return n, p, err
}

func (p *parser) more() bool { return p.pos < len(p.src) }

func (p *parser) have(s string) bool {
	return strings.HasPrefix(string(p.src[p.pos:min(len(p.src), p.pos+len(s))]), s)
}

func (p *parser) take(s string) bool {
	if !p.have(s) {
		return false
	}
	p.pos += len(s)
	return true
}

// prefix reads *** and the options in parentheses.
func (p *parser) prefix() error {
	switch {
	case p.opt.Literal:
		return nil
	case p.take("***="):
		p.opt.Literal = true
		return nil
	case p.take("***:"):
		p.opt.Syntax = Advanced
	case p.have("***?"):
		return bad("invalid regexp (reg version 0.8)")
	case p.have("***"):
		return bad("quantifier operand invalid")
	}
	if p.opt.Syntax != Advanced || !p.have("(?") || p.pos+2 >= len(p.src) || !unicode.IsLetter(p.src[p.pos+2]) {
		return nil
	}
	for p.pos += 2; p.more() && unicode.IsLetter(p.src[p.pos]); p.pos++ {
		if err := p.opt.embed(p.src[p.pos]); err != nil {
			return bad("invalid embedded option")
		}
	}
	if !p.take(")") {
		return bad("invalid embedded option")
	}
	return nil
}

// embed sets what an option in the expression says.
func (o *Options) embed(flag rune) error {
	if flag == 'e' {
		o.Syntax, o.Literal = Extended, false
		return nil
	}
	return o.Set(flag)
}

// Set sets what a flag of a function says.
func (o *Options) Set(flag rune) error {
	switch flag {
	case 'i':
		o.Fold = true
	case 'c':
		o.Fold = false
	case 'm', 'n':
		o.NotLine, o.Lines = true, true
	case 'p':
		o.NotLine, o.Lines = true, false
	case 'w':
		o.NotLine, o.Lines = false, true
	case 's':
		o.NotLine, o.Lines = false, false
	case 'q':
		o.Literal = true
	case 'x':
		o.Expanded = true
	case 't':
		o.Expanded = false
	case 'b', 'e': // which PostgreSQL takes for the same, although e is to be the extended syntax
		o.Syntax, o.Literal = Basic, false
	default:
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid regular expression option: \"%c\"", flag)
	}
	return nil
}

// skip passes over comments, and white space where it means nothing.
func (p *parser) skip() {
	for p.more() {
		switch {
		case p.have("(?#"):
			for p.more() && p.src[p.pos] != ')' {
				p.pos++
			}
			p.pos = min(p.pos+1, len(p.src))
		case p.opt.Expanded && isSpace(p.src[p.pos]):
			p.pos++
		case p.opt.Expanded && p.src[p.pos] == '#':
			for p.more() && p.src[p.pos] != '\n' {
				p.pos++
			}
		default:
			return
		}
	}
}

func (p *parser) alternatives() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, bad("regular expression is too complex")
	}
	defer func() { p.depth-- }()
	var all []*node
	for {
		items, err := p.items()
		if err != nil {
			return nil, err
		}
		all = append(all, branch(items))
		if !p.take("|") {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	n := newNode(opAlt, all...)
	n.prefers = longest
	return n, nil
}

// items reads the atoms of a branch.
func (p *parser) items() (items []item, err error) {
	for p.skip(); p.more() && !p.have("|") && !p.have(")"); p.skip() {
		it, quantifiable, err := p.atom()
		if err != nil {
			return nil, err
		}
		if quantifiable {
			p.skip()
			if it.node, err = p.quantifier(it.node); err != nil {
				return nil, err
			}
		}
		items = append(items, it)
	}
	return items, nil
}

// atom reads one atom, or a condition, behind which no quantifier may stand.
func (p *parser) atom() (it item, quantifiable bool, err error) {
	if err := p.opt.tick(atomUnits); err != nil {
		return it, false, err
	}
	c := p.src[p.pos]
	switch c {
	case '(':
		return p.parentheses()
	case '[':
		if p.take("[[:<:]]") {
			return assertAt(wordStart), false, nil
		}
		if p.take("[[:>:]]") {
			return assertAt(wordEnd), false, nil
		}
		s, err := p.brackets()
		return item{setNode(s), true}, true, err
	case '*', '+', '?':
		return it, false, bad("quantifier operand invalid")
	case '{':
		if p.pos+1 < len(p.src) && isDigit(p.src[p.pos+1]) {
			return it, false, bad("quantifier operand invalid")
		}
	case '\\':
		return p.escape()
	case '^', '$':
		p.pos++
		at := textStart
		if c == '$' {
			at = textEnd
		}
		if p.opt.Lines {
			at += lineStart - textStart
		}
		return assertAt(at), false, nil
	case '.':
		p.pos++
		return item{setNode(&set{negate: true, notLine: p.opt.NotLine}), true}, true, nil
	}
	p.pos++
	return item{p.char(c), true}, true, nil
}

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

func assertAt(a assertion) item { return item{&node{op: opAssert, assert: a}, true} }

func setNode(s *set) *node {
	if s == nil {
		return nil
	}
	return &node{op: opSet, set: s.ready()}
}

func (p *parser) char(c rune) *node {
	if p.chars[c] == nil {
		p.chars[c] = setNode(&set{ranges: []rune{c, c}, fold: p.opt.Fold})
	}
	n := *p.chars[c]
	return &n
}

// parentheses reads a group, or a condition on what is ahead or behind.
func (p *parser) parentheses() (it item, quantifiable bool, err error) {
	looks := []struct {
		sign           string
		behind, negate bool
	}{{"(?=", false, false}, {"(?!", false, true}, {"(?<=", true, false}, {"(?<!", true, true}}
	for _, l := range looks {
		if !p.take(l.sign) {
			continue
		}
		p.look++
		n, err := p.closing()
		p.look--
		if err != nil {
			return it, false, err
		}
		return item{&node{op: opLook, subs: []*node{n}, behind: l.behind, negate: l.negate}, true}, false, nil
	}
	switch {
	case p.take("(?:"):
		n, err := p.closing()
		if err == nil && n.op == opBackref {
			n.within = true
		}
		return item{n, false}, true, err
	case p.have("(?"):
		return it, false, bad("quantifier operand invalid")
	}
	p.pos++
	if p.look > 0 { // captures nothing there
		n, err := p.closing()
		return item{n, false}, true, err
	}
	p.groups++
	number := p.groups
	p.closed = append(p.closed, nil)
	sub, err := p.closing()
	if err != nil {
		return it, false, err
	}
	n := newNode(opGroup, sub)
	n.group, n.captures, n.prefers = number, true, sub.prefers
	p.closed[number] = n
	return item{n, false}, true, nil
}

func (p *parser) closing() (*node, error) {
	n, err := p.alternatives()
	if err == nil && !p.take(")") {
		err = bad("parentheses () not balanced")
	}
	return n, err
}

// quantifier reads the quantifier of an atom, if there is one.
func (p *parser) quantifier(atom *node) (*node, error) {
	least, most, prefers := 1, 1, longest
	switch {
	case p.take("*"):
		least, most = 0, infinite
	case p.take("+"):
		most = infinite
	case p.take("?"):
		least = 0
	case p.have("{") && p.pos+1 < len(p.src) && isDigit(p.src[p.pos+1]):
		var err error
		var fixed bool
		if least, most, fixed, err = p.bound(); err != nil {
			return nil, err
		}
		if p.take("?") {
			prefers = shortest
		}
		if fixed {
			prefers = noPreference
		}
		return quantify(atom, least, most, prefers), nil
	default:
		return atom, nil
	}
	if p.take("?") {
		prefers = shortest
	}
	return quantify(atom, least, most, prefers), nil
}

// bound reads {m}, {m,} or {m,n}.
func (p *parser) bound() (least, most int, fixed bool, err error) {
	p.pos++
	if least, err = p.count(); err != nil {
		return 0, 0, false, err
	}
	most, fixed = least, true
	if p.take(",") {
		most, fixed = infinite, false
		if p.more() && isDigit(p.src[p.pos]) {
			if most, err = p.count(); err != nil {
				return 0, 0, false, err
			}
			if least > most {
				return 0, 0, false, bad("invalid repetition count(s)")
			}
		}
	}
	if !p.more() {
		return 0, 0, false, bad("braces {} not balanced")
	}
	if !p.take("}") {
		return 0, 0, false, bad("invalid repetition count(s)")
	}
	return least, most, fixed, nil
}

func (p *parser) count() (n int, err error) {
	for ; p.more() && isDigit(p.src[p.pos]) && n <= maxRepeat; p.pos++ {
		n = n*10 + int(p.src[p.pos]-'0')
	}
	if n > maxRepeat {
		return 0, bad("invalid repetition count(s)")
	}
	return n, nil
}
