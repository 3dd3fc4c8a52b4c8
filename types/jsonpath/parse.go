package jsonpath

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/numeric"
)

// parser reads the jsonpath language of SQL/JSON by recursive descent. Predicates
// and expressions are read alike; where only one of them may stand, the other is an error.
type parser struct {
	lexer
	depth   int
	filters int // that the parser is in; @ stands only there
	indexes int // that the parser is in; last stands only there
}

// maxDepth bounds the nesting of a jsonpath.
const maxDepth = 1000

// Parse reads a jsonpath.
func Parse(s string) (*Path, error) {
	p := parser{lexer: lexer{s: s}}
	if err := p.next(); err != nil {
		return nil, err
	}
	if p.token == endToken {
		return nil, form.InvalidText("jsonpath", s)
	}
	out := new(Path)
	if p.keyword == "strict" || p.keyword == "lax" {
		out.Strict = p.keyword == "strict"
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	var err error
	if out.Root, err = p.or(); err != nil {
		return nil, err
	}
	if p.token != endToken {
		return nil, p.unexpected()
	}
	return out, nil
}

// unexpected is the error of a token. Where that is a name, PostgreSQL shows the blank
// behind it, with which its scanner ended it.
func (p *parser) unexpected() error {
	near := p.raw
	if p.token == wordToken {
		near = ""
		if p.end < len(p.s) && isBlank(p.s[p.end]) {
			near = p.s[p.end : p.end+1]
		}
	}
	return syntaxError("syntax error", near)
}

// is says whether the token is a sign or a keyword.
func (p *parser) is(what string) bool {
	return p.token == signToken && p.raw == what || p.token == wordToken && p.keyword == what
}

// take passes over a sign or a keyword that may be there.
func (p *parser) take(what string) (bool, error) {
	if !p.is(what) {
		return false, nil
	}
	return true, p.next()
}

// expect passes over a sign or a keyword that must be there.
func (p *parser) expect(what string) error {
	ok, err := p.take(what)
	if err == nil && !ok {
		err = p.unexpected()
	}
	return err
}

// or reads what is joined by ||, or a single expression.
func (p *parser) or() (*Node, error) { return p.joined("||", Or, p.and) }

func (p *parser) and() (*Node, error) { return p.joined("&&", And, p.predicate) }

func (p *parser) joined(sign string, op Op, operand func() (*Node, error)) (*Node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("The jsonpath is nested more than %d deep.", maxDepth)
	}
	defer func() { p.depth-- }()
	left, err := operand()
	for err == nil && p.is(sign) {
		if !left.isTest() {
			return nil, p.unexpected()
		}
		if err = p.next(); err != nil {
			break
		}
		var right *Node
		if right, err = operand(); err != nil {
			break
		}
		if !right.isTest() {
			return nil, p.unexpected()
		}
		left = &Node{Op: op, Left: left, Right: right}
	}
	return left, err
}

// isTest says whether an item is a predicate with nothing done to its result.
func (n *Node) isTest() bool { return n.Op.IsPredicate() && n.Next == nil }

var comparisons = map[string]Op{
	"==": Equal, "!=": NotEqual, "<>": NotEqual,
	"<": Less, ">": Greater, "<=": LessOrEqual, ">=": GreaterOrEqual,
}

// predicate reads a comparison and its like, or an expression.
func (p *parser) predicate() (*Node, error) {
	if ok, err := p.take("!"); ok || err != nil {
		return p.negation(err)
	}
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	op, compares := comparisons[p.raw]
	switch {
	case left.isTest() && p.is("is"):
		return p.isUnknown(left)
	case left.isTest():
		return left, nil
	case p.token == signToken && compares:
		if err := p.next(); err != nil {
			return nil, err
		}
		right, err := p.expression()
		return &Node{Op: op, Left: left, Right: right}, err
	case p.is("starts"):
		return p.startsWith(left)
	case p.is("like_regex"):
		return p.likeRegex(left)
	}
	return left, nil
}

// negation reads what ! stands before: a predicate in parentheses, or exists.
func (p *parser) negation(err error) (*Node, error) {
	if err != nil {
		return nil, err
	}
	if !p.is("(") && !p.is("exists") {
		return nil, p.unexpected()
	}
	arg, err := p.primary()
	if err == nil && !arg.isTest() {
		err = p.unexpected()
	}
	return &Node{Op: Not, Left: arg}, err
}

func (p *parser) isUnknown(arg *Node) (*Node, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	return &Node{Op: IsUnknown, Left: arg}, p.expect("unknown")
}

func (p *parser) startsWith(left *Node) (*Node, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	if err := p.expect("with"); err != nil {
		return nil, err
	}
	right := &Node{Op: String, Text: p.text}
	switch p.token {
	case variableToken:
		right.Op = Variable
	case quotedToken:
	default:
		return nil, p.unexpected()
	}
	return &Node{Op: StartsWith, Left: left, Right: right}, p.next()
}

func (p *parser) likeRegex(left *Node) (*Node, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	n := &Node{Op: LikeRegex, Left: left, Text: p.text}
	if p.token != quotedToken {
		return nil, p.unexpected()
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	if ok, err := p.take("flag"); !ok || err != nil {
		return n, err
	}
	if p.token != quotedToken {
		return nil, p.unexpected()
	}
	for _, flag := range p.text {
		if !strings.ContainsRune("ismxq", flag) {
			return nil, sqlerr.New(sqlerr.SyntaxError, "invalid input syntax for type %s", "jsonpath").
				WithDetail("Unrecognized flag character \"%c\" in LIKE_REGEX predicate.", flag)
		}
	}
	for _, flag := range "ismxq" {
		if strings.ContainsRune(p.text, flag) {
			n.Flags += string(flag)
		}
	}
	if strings.Contains(n.Flags, "x") && !strings.Contains(n.Flags, "q") {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"XQuery \"x\" flag (expanded regular expressions) is not implemented")
	}
	return n, p.next()
}

// expression reads what is no predicate.
func (p *parser) expression() (*Node, error) {
	n, err := p.sum()
	if err == nil && n.isTest() {
		err = p.unexpected()
	}
	return n, err
}

func (p *parser) sum() (*Node, error) {
	return p.arithmetic(map[string]Op{"+": Add, "-": Sub}, p.product)
}

func (p *parser) product() (*Node, error) {
	return p.arithmetic(map[string]Op{"*": Mul, "/": Div, "%": Mod}, p.signed)
}

func (p *parser) arithmetic(signs map[string]Op, operand func() (*Node, error)) (*Node, error) {
	left, err := operand()
	for err == nil {
		op, ok := signs[p.raw]
		if !ok || p.token != signToken {
			return left, nil
		}
		if left.isTest() {
			return nil, p.unexpected()
		}
		if err = p.next(); err != nil {
			break
		}
		var right *Node
		if right, err = operand(); err == nil && right.isTest() {
			err = p.unexpected()
		}
		left = &Node{Op: op, Left: left, Right: right}
	}
	return nil, err
}

// signed reads signs before an item; a number takes them in.
func (p *parser) signed() (*Node, error) {
	op := Plus
	switch {
	case p.is("-"):
		op = Minus
	case !p.is("+"):
		return p.primary()
	}
	if p.depth++; p.depth > maxDepth {
		return nil, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded")
	}
	defer func() { p.depth-- }()
	if err := p.next(); err != nil {
		return nil, err
	}
	arg, err := p.signed()
	switch {
	case err != nil:
		return nil, err
	case arg.isTest():
		return nil, p.unexpected()
	case arg.Op != Number || arg.Next != nil:
		return &Node{Op: op, Left: arg}, nil
	case op == Minus && !arg.Number.IsZero():
		return &Node{Op: Number, Number: new(apd.Decimal).Neg(arg.Number)}, nil
	}
	return arg, nil
}

// primary reads an item and its accessors.
func (p *parser) primary() (*Node, error) {
	n, parenthesized, err := p.item()
	if err != nil {
		return nil, err
	}
	if n.Op == Exists && !parenthesized {
		return n, nil
	}
	last := n
	for last.Next != nil {
		last = last.Next
	}
	for {
		accessor, err := p.accessor()
		if err != nil {
			return nil, err
		}
		if accessor == nil {
			return n, nil
		}
		last.Next, last = accessor, accessor
	}
}

// item reads an item without accessors.
func (p *parser) item() (n *Node, parenthesized bool, err error) {
	n = &Node{Text: p.text}
	switch {
	case p.token == quotedToken:
		n.Op = String
	case p.token == variableToken:
		n.Op = Variable
	case p.token == integerToken || p.token == decimalToken:
		number, err := numeric.Parse(p.text)
		if err != nil {
			return nil, false, err
		}
		*n = Node{Op: Number, Number: number}
	case p.is("null"):
		*n = Node{Op: Null}
	case p.is("true"), p.is("false"):
		*n = Node{Op: Bool, Bool: p.keyword == "true"}
	case p.is("$"):
		*n = Node{Op: Root}
	case p.is("@"):
		if p.filters == 0 {
			return nil, false, sqlerr.New(sqlerr.SyntaxError, "@ is not allowed in root expressions")
		}
		*n = Node{Op: Current}
	case p.is("last"):
		if p.indexes == 0 {
			return nil, false, sqlerr.New(sqlerr.SyntaxError, "LAST is allowed only in array subscripts")
		}
		*n = Node{Op: LastIndex}
	case p.is("exists"):
		n, err := p.exists()
		return n, false, err
	case p.is("("):
		n, err := p.parentheses(p.or)
		return n, true, err
	default:
		return nil, false, p.unexpected()
	}
	return n, false, p.next()
}

func (p *parser) exists() (*Node, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	arg, err := p.parentheses(p.expression)
	return &Node{Op: Exists, Left: arg}, err
}

func (p *parser) parentheses(inside func() (*Node, error)) (*Node, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	n, err := inside()
	if err != nil {
		return nil, err
	}
	return n, p.expect(")")
}
