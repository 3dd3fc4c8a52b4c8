package jsonpath

import (
	"strconv"

	"zproxy/sqlerr"
)

// accessor reads what is done to a result, nil when that is all.
func (p *parser) accessor() (*Node, error) {
	switch {
	case p.is("?"):
		return p.filter()
	case p.is("["):
		return p.subscripts()
	case !p.is("."):
		return nil, nil
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	switch {
	case p.is("*"):
		return &Node{Op: AnyKey}, p.next()
	case p.is("**"):
		return p.levels()
	case p.token != wordToken && p.token != quotedToken:
		return nil, p.unexpected()
	}
	n := &Node{Op: Key, Text: p.text}
	word, method := p.keyword, p.token == wordToken
	if err := p.next(); err != nil || !method || !p.is("(") {
		return n, err
	}
	switch word {
	case "abs", "size", "type", "floor", "double", "ceiling", "keyvalue":
	case "datetime":
		return p.datetime()
	default:
		return nil, p.unexpected()
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	return &Node{Op: Method, Text: word}, p.expect(")")
}

// datetime reads the format that the method may be given.
func (p *parser) datetime() (*Node, error) {
	n := &Node{Op: Method, Text: "datetime"}
	if err := p.next(); err != nil {
		return nil, err
	}
	if p.token == quotedToken {
		n.Left = &Node{Op: String, Text: p.text}
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	return n, p.expect(")")
}

func (p *parser) filter() (*Node, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	p.filters++
	defer func() { p.filters-- }()
	if err := p.expect("("); err != nil {
		return nil, err
	}
	test, err := p.or()
	if err != nil {
		return nil, err
	}
	if !test.isTest() {
		return nil, p.unexpected()
	}
	return &Node{Op: Filter, Left: test}, p.expect(")")
}

func (p *parser) subscripts() (*Node, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	if p.is("*") {
		if err := p.next(); err != nil {
			return nil, err
		}
		return &Node{Op: AnyArray}, p.expect("]")
	}
	p.indexes++
	defer func() { p.indexes-- }()
	n := &Node{Op: Indexes}
	for {
		from, err := p.expression()
		if err != nil {
			return nil, err
		}
		var to *Node
		if ok, err := p.take("to"); err != nil {
			return nil, err
		} else if ok {
			if to, err = p.expression(); err != nil {
				return nil, err
			}
		}
		n.Subscripts = append(n.Subscripts, [2]*Node{from, to})
		if ok, err := p.take(","); err != nil {
			return nil, err
		} else if !ok {
			return n, p.expect("]")
		}
	}
}

// levels reads ** and between which levels it looks.
func (p *parser) levels() (*Node, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	n := &Node{Op: Any, Last: Last}
	if ok, err := p.take("{"); !ok || err != nil {
		return n, err
	}
	var err error
	if n.First, err = p.level(); err != nil {
		return nil, err
	}
	n.Last = n.First
	if ok, err := p.take("to"); err != nil {
		return nil, err
	} else if ok {
		if n.Last, err = p.level(); err != nil {
			return nil, err
		}
	}
	return n, p.expect("}")
}

func (p *parser) level() (uint32, error) {
	if p.is("last") {
		return Last, p.next()
	}
	if p.token != integerToken {
		return 0, p.unexpected()
	}
	level, err := strconv.ParseInt(p.text, 10, 32)
	if err != nil {
		return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, "value \"%s\" is out of range for type integer", p.text)
	}
	return uint32(level), p.next()
}
