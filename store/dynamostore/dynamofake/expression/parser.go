package expression

import (
	"strconv"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// The limits of an expression.
const (
	maxBytes     = 4096
	maxOperators = 300
	maxOperands  = 100 // of IN
)

// parser reads one expression. It stops at the first fault, which it keeps.
type parser struct {
	kind      string // the parameter with the expression, for errors
	text      string
	tokens    []token
	at        int
	subs      *Substitutes
	operators int
	err       error
}

func newParser(kind, text string, s *Substitutes) *parser {
	p := &parser{kind: kind, text: text, subs: s, tokens: lex(text)}
	switch {
	case text == "":
		p.fail("The expression can not be empty;")
	case len(text) > maxBytes:
		p.failBehind(0, "Expression size has exceeded the maximum allowed size; expression size: %d", len(text))
	}
	return p
}

// fail notes a fault in what the expression means, which DynamoDB looks for in what it could read.
func (p *parser) fail(format string, args ...any) {
	p.failBehind(len(p.tokens), format, args...)
}

// failBehind notes a fault, unless there is an earlier one: redundant parentheses that end before a token.
func (p *parser) failBehind(at int, format string, args ...any) {
	if p.err != nil {
		return
	}
	if p.redundant(at) {
		format, args = redundantParentheses, nil
	}
	p.err = invalid("Invalid "+p.kind+": "+format, args...)
}

// syntax is the error at the present token, shown with its neighbours.
func (p *parser) syntax() {
	from, to := p.tokens[max(p.at-1, 0)].from, p.tokens[min(p.at+1, len(p.tokens)-1)].to
	if p.tokens[0].shape == end {
		from = 0
	}
	p.failBehind(p.at, "Syntax error; token: \"%s\", near: \"%s\"", p.now().text, p.text[from:to])
}

func (p *parser) now() *token { return &p.tokens[p.at] }

func (p *parser) behind() *token { return &p.tokens[min(p.at+1, len(p.tokens)-1)] }

// take goes behind a word or a mark, if it is the present token.
func (p *parser) take(text string) bool {
	if p.err != nil || !p.now().is(text) {
		return false
	}
	p.at++
	return true
}

// want goes behind a word or a mark, which must be there.
func (p *parser) want(text string) {
	if p.err == nil && !p.take(text) {
		p.syntax()
	}
}

// finish wants the end.
func (p *parser) finish() error {
	if p.err == nil && p.now().shape != end {
		p.syntax()
	}
	if p.err == nil && p.redundant(len(p.tokens)) {
		p.fail(redundantParentheses)
	}
	if p.err == nil && p.operators > maxOperators {
		p.fail("The expression contains too many operators; operator count: %d", p.operators)
	}
	return p.err
}

// path reads the place of a value.
func (p *parser) path() (path Path) {
	for p.err == nil {
		path = append(path, Step{Name: p.step()})
		for p.take("[") {
			t := p.now()
			index, err := strconv.Atoi(t.text)
			if t.shape != number || err != nil {
				p.syntax()
				return nil
			}
			p.at++
			p.want("]")
			path = append(path, Step{Index: index, Element: true})
		}
		if !p.take(".") {
			return path
		}
	}
	return nil
}

// keyword says whether a word can only be one of the language.
func keyword(t *token) bool {
	for _, k := range []string{"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"} {
		if t.is(k) {
			return true
		}
	}
	return false
}

// step reads a name.
func (p *parser) step() string {
	t := p.now()
	switch {
	case t.shape == word && !keyword(t):
		if reserved(t.text) {
			p.fail("Attribute name is a reserved keyword; reserved keyword: %s", t.text)
		}
		p.at++
		return t.text
	case t.shape == name:
		n, ok := p.subs.name(t.text)
		if !ok {
			p.fail("An expression attribute name used in the document path is not defined; attribute name: %s", t.text)
		}
		p.at++
		return n
	}
	p.syntax()
	return ""
}

// operand is a value that an expression gives, or one that it finds in an item.
type operand struct {
	path  Path // nil: the value
	value attribute.Value
	size  bool // the length of what is at the path
}

// of is the value of an operand for an item.
func (o *operand) of(i attribute.Item) (attribute.Value, bool) {
	v, ok := o.value, true
	if o.path != nil {
		v, ok = o.path.Find(i)
	}
	if ok && o.size {
		n, is := v.Length()
		return attribute.Value{Kind: attribute.N, Text: strconv.Itoa(n)}, is
	}
	return v, ok
}

// kind is that of the operand where it is known before an item is.
func (o *operand) kind() attribute.Kind {
	switch {
	case o.size:
		return attribute.N
	case o.path != nil:
		return attribute.None
	}
	return o.value.Kind
}

// operand reads one operand of a comparison.
func (p *parser) operand() (o operand) {
	switch t := p.now(); {
	case p.err != nil:
	case t.shape == value:
		o.value = p.value()
	case p.take("("):
		o = p.operand()
		p.want(")")
	case t.text == "size" && p.behind().is("("):
		o = p.size()
	case t.shape == word && p.behind().is("("):
		p.function(t)
	default:
		o.path = p.path()
	}
	return o
}

// size reads the function size.
func (p *parser) size() (o operand) {
	p.at += 2
	p.operators++
	n := 0
	for p.err == nil {
		o = p.operand()
		n++
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	if p.err == nil && n != 1 {
		p.fail("Incorrect number of operands for operator or function; operator or function: size, number of operands: %d", n)
	}
	k := o.kind()
	if _, ok := (attribute.Value{Kind: k}).Length(); !ok && k != attribute.None && p.err == nil {
		p.fail("Incorrect operand type for operator or function; operator or function: size, operand type: %s", k)
	}
	o.size = true
	return o
}

// function says what is wrong with a function that cannot be an operand here.
func (p *parser) function(t *token) {
	if t.text == "if_not_exists" || t.text == "list_append" {
		p.fail("The function is not allowed in a condition expression; function: %s", t.text)
		return
	}
	if _, known := functions[t.text]; known {
		p.fail("The function is not allowed to be used this way in an expression; function: %s", t.text)
		return
	}
	p.fail("Invalid function name; function: %s", t.text)
}

// value reads a value's placeholder.
func (p *parser) value() attribute.Value {
	t := p.now()
	if t.shape != value {
		p.syntax()
		return attribute.Value{}
	}
	v, ok := p.subs.value(t.text)
	if !ok {
		p.fail("An expression attribute value used in expression is not defined; attribute value: %s", t.text)
	}
	p.at++
	return v
}
