package types

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
	"zproxy/types/numeric"
)

// pathParser reads the jsonpath language of SQL/JSON by recursive descent. Predicates
// and expressions are read alike; where only one of them may stand, the other is an error.
type pathParser struct {
	pathLexer
	depth   int
	filters int // that the parser is in; @ stands only there
	indexes int // that the parser is in; last stands only there
}

// maxPathDepth bounds the nesting of a jsonpath.
const maxPathDepth = 1000

// ParseJSONPath reads a jsonpath.
func ParseJSONPath(s string) (*JSONPath, error) {
	p := pathParser{pathLexer: pathLexer{s: s}}
	if err := p.next(); err != nil {
		return nil, err
	}
	if p.token == pathEnd {
		return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", "jsonpath", s)
	}
	out := new(JSONPath)
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
	if p.token != pathEnd {
		return nil, p.unexpected()
	}
	return out, nil
}

// unexpected is the error of a token. Where that is a name, PostgreSQL shows the blank
// behind it, with which its scanner ended it.
func (p *pathParser) unexpected() error {
	near := p.raw
	if p.token == pathWord {
		near = ""
		if p.end < len(p.s) && isPathBlank(p.s[p.end]) {
			near = p.s[p.end : p.end+1]
		}
	}
	return pathError("syntax error", near)
}

// is says whether the token is a sign or a keyword.
func (p *pathParser) is(what string) bool {
	return p.token == pathSign && p.raw == what || p.token == pathWord && p.keyword == what
}

// take passes over a sign or a keyword that may be there.
func (p *pathParser) take(what string) (bool, error) {
	if !p.is(what) {
		return false, nil
	}
	return true, p.next()
}

// expect passes over a sign or a keyword that must be there.
func (p *pathParser) expect(what string) error {
	ok, err := p.take(what)
	if err == nil && !ok {
		err = p.unexpected()
	}
	return err
}

// or reads what is joined by ||, or a single expression.
func (p *pathParser) or() (*PathNode, error) { return p.joined("||", PathOr, p.and) }

func (p *pathParser) and() (*PathNode, error) { return p.joined("&&", PathAnd, p.predicate) }

func (p *pathParser) joined(sign string, op PathOp, operand func() (*PathNode, error)) (*PathNode, error) {
	if p.depth++; p.depth > maxPathDepth {
		return nil, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("The jsonpath is nested more than %d deep.", maxPathDepth)
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
		var right *PathNode
		if right, err = operand(); err != nil {
			break
		}
		if !right.isTest() {
			return nil, p.unexpected()
		}
		left = &PathNode{Op: op, Left: left, Right: right}
	}
	return left, err
}

// isTest says whether an item is a predicate with nothing done to its result.
func (n *PathNode) isTest() bool { return n.Op.IsPredicate() && n.Next == nil }

var pathComparisons = map[string]PathOp{
	"==": PathEqual, "!=": PathNotEqual, "<>": PathNotEqual,
	"<": PathLess, ">": PathGreater, "<=": PathLessOrEqual, ">=": PathGreaterOrEqual,
}

// predicate reads a comparison and its like, or an expression.
func (p *pathParser) predicate() (*PathNode, error) {
	if ok, err := p.take("!"); ok || err != nil {
		return p.negation(err)
	}
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	op, compares := pathComparisons[p.raw]
	switch {
	case left.isTest() && p.is("is"):
		return p.isUnknown(left)
	case left.isTest():
		return left, nil
	case p.token == pathSign && compares:
		if err := p.next(); err != nil {
			return nil, err
		}
		right, err := p.expression()
		return &PathNode{Op: op, Left: left, Right: right}, err
	case p.is("starts"):
		return p.startsWith(left)
	case p.is("like_regex"):
		return p.likeRegex(left)
	}
	return left, nil
}

// negation reads what ! stands before: a predicate in parentheses, or exists.
func (p *pathParser) negation(err error) (*PathNode, error) {
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
	return &PathNode{Op: PathNot, Left: arg}, err
}

func (p *pathParser) isUnknown(arg *PathNode) (*PathNode, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	return &PathNode{Op: PathIsUnknown, Left: arg}, p.expect("unknown")
}

func (p *pathParser) startsWith(left *PathNode) (*PathNode, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	if err := p.expect("with"); err != nil {
		return nil, err
	}
	right := &PathNode{Op: PathString, Text: p.text}
	switch p.token {
	case pathVariable:
		right.Op = PathVariable
	case pathQuoted:
	default:
		return nil, p.unexpected()
	}
	return &PathNode{Op: PathStartsWith, Left: left, Right: right}, p.next()
}

func (p *pathParser) likeRegex(left *PathNode) (*PathNode, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	n := &PathNode{Op: PathLikeRegex, Left: left, Text: p.text}
	if p.token != pathQuoted {
		return nil, p.unexpected()
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	if ok, err := p.take("flag"); !ok || err != nil {
		return n, err
	}
	if p.token != pathQuoted {
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
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "XQuery \"x\" flag (expanded regular expressions) is not implemented")
	}
	return n, p.next()
}

// expression reads what is no predicate.
func (p *pathParser) expression() (*PathNode, error) {
	n, err := p.sum()
	if err == nil && n.isTest() {
		err = p.unexpected()
	}
	return n, err
}

func (p *pathParser) sum() (*PathNode, error) {
	return p.arithmetic(map[string]PathOp{"+": PathAdd, "-": PathSub}, p.product)
}

func (p *pathParser) product() (*PathNode, error) {
	return p.arithmetic(map[string]PathOp{"*": PathMul, "/": PathDiv, "%": PathMod}, p.signed)
}

func (p *pathParser) arithmetic(signs map[string]PathOp, operand func() (*PathNode, error)) (*PathNode, error) {
	left, err := operand()
	for err == nil {
		op, ok := signs[p.raw]
		if !ok || p.token != pathSign {
			return left, nil
		}
		if left.isTest() {
			return nil, p.unexpected()
		}
		if err = p.next(); err != nil {
			break
		}
		var right *PathNode
		if right, err = operand(); err == nil && right.isTest() {
			err = p.unexpected()
		}
		left = &PathNode{Op: op, Left: left, Right: right}
	}
	return nil, err
}

// signed reads signs before an item; a number takes them in.
func (p *pathParser) signed() (*PathNode, error) {
	op := PathPlus
	switch {
	case p.is("-"):
		op = PathMinus
	case !p.is("+"):
		return p.primary()
	}
	if p.depth++; p.depth > maxPathDepth {
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
	case arg.Op != PathNumber || arg.Next != nil:
		return &PathNode{Op: op, Left: arg}, nil
	case op == PathMinus && !arg.Number.IsZero():
		return &PathNode{Op: PathNumber, Number: new(apd.Decimal).Neg(arg.Number)}, nil
	}
	return arg, nil
}

// primary reads an item and its accessors.
func (p *pathParser) primary() (*PathNode, error) {
	n, parenthesized, err := p.item()
	if err != nil {
		return nil, err
	}
	if n.Op == PathExists && !parenthesized {
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
func (p *pathParser) item() (n *PathNode, parenthesized bool, err error) {
	n = &PathNode{Text: p.text}
	switch {
	case p.token == pathQuoted:
		n.Op = PathString
	case p.token == pathVariable:
		n.Op = PathVariable
	case p.token == pathInteger || p.token == pathDecimal:
		number, err := numeric.Parse(p.text)
		if err != nil {
			return nil, false, err
		}
		*n = PathNode{Op: PathNumber, Number: number}
	case p.is("null"):
		*n = PathNode{Op: PathNull}
	case p.is("true"), p.is("false"):
		*n = PathNode{Op: PathBool, Bool: p.keyword == "true"}
	case p.is("$"):
		*n = PathNode{Op: PathRoot}
	case p.is("@"):
		if p.filters == 0 {
			return nil, false, sqlerr.New(sqlerr.SyntaxError, "@ is not allowed in root expressions")
		}
		*n = PathNode{Op: PathCurrent}
	case p.is("last"):
		if p.indexes == 0 {
			return nil, false, sqlerr.New(sqlerr.SyntaxError, "LAST is allowed only in array subscripts")
		}
		*n = PathNode{Op: PathLastIndex}
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

func (p *pathParser) exists() (*PathNode, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	arg, err := p.parentheses(p.expression)
	return &PathNode{Op: PathExists, Left: arg}, err
}

func (p *pathParser) parentheses(inside func() (*PathNode, error)) (*PathNode, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	n, err := inside()
	if err != nil {
		return nil, err
	}
	return n, p.expect(")")
}
